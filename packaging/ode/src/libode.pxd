"""What the module uses of ODE's C interface (ode/ode.h)."""

cdef extern from "ode/ode.h":
    ctypedef double dReal
    ctypedef dReal dVector3[4]
    ctypedef dReal dMatrix3[12]
    ctypedef dReal dQuaternion[4]
    ctypedef struct dxWorld:
        pass
    ctypedef dxWorld* dWorldID
    ctypedef struct dxBody:
        pass
    ctypedef dxBody* dBodyID
    ctypedef struct dxJoint:
        pass
    ctypedef dxJoint* dJointID
    ctypedef struct dxJointGroup:
        pass
    ctypedef dxJointGroup* dJointGroupID
    ctypedef struct dxGeom:
        pass
    ctypedef dxGeom* dGeomID
    ctypedef struct dxSpace:
        pass
    ctypedef dxSpace* dSpaceID
    ctypedef struct dxTriMeshData:
        pass
    ctypedef dxTriMeshData* dTriMeshDataID
    ctypedef struct dxHeightfieldData:
        pass
    ctypedef dxHeightfieldData* dHeightfieldDataID

    ctypedef struct dMass:
        dReal mass
        dVector3 c
        dMatrix3 I

    ctypedef struct dJointFeedback:
        dVector3 f1
        dVector3 t1
        dVector3 f2
        dVector3 t2

    ctypedef struct dSurfaceParameters:
        int mode
        dReal mu
        dReal mu2
        dReal rho
        dReal rho2
        dReal rhoN
        dReal bounce
        dReal bounce_vel
        dReal soft_erp
        dReal soft_cfm
        dReal motion1
        dReal motion2
        dReal motionN
        dReal slip1
        dReal slip2

    ctypedef struct dContactGeom:
        dVector3 pos
        dVector3 normal
        dReal depth
        dGeomID g1
        dGeomID g2

    ctypedef struct dContact:
        dSurfaceParameters surface
        dContactGeom geom
        dVector3 fdir1

    ctypedef void dBodyMovedCallback(dBodyID) noexcept
    ctypedef void dNearCallback(void* data, dGeomID o1, dGeomID o2) noexcept
    ctypedef dReal dHeightfieldGetHeight(void* data, int x, int z) noexcept

    const dReal dInfinity
    enum:
        dParamLoStop, dParamHiStop, dParamVel, dParamLoVel, dParamHiVel, dParamFMax, dParamFudgeFactor
        dParamBounce, dParamCFM, dParamStopERP, dParamStopCFM, dParamSuspensionERP, dParamSuspensionCFM
        dParamERP, dParamGroup
        dContactMu2, dContactAxisDep, dContactFDir1, dContactBounce, dContactSoftERP, dContactSoftCFM
        dContactMotion1, dContactMotion2, dContactMotionN, dContactSlip1, dContactSlip2, dContactRolling
        dContactApprox0, dContactApprox1_1, dContactApprox1_2, dContactApprox1_N, dContactApprox1
        dAMotorUser, dAMotorEuler, dPlaneClass, dSAP_AXES_XYZ
        dTRIDATAPREPROCESS_BUILD_CONCAVE_EDGES, dTRIDATAPREPROCESS_BUILD_FACE_ANGLES
    unsigned int dAllocateMaskAll

    int dInitODE2(unsigned int flags)
    int dAllocateODEDataForThread(unsigned int flags)
    void dCloseODE()

    # masses
    void dMassSetZero(dMass*)
    void dMassSetParameters(dMass*, dReal mass, dReal cgx, dReal cgy, dReal cgz, dReal I11, dReal I22, dReal I33,
                            dReal I12, dReal I13, dReal I23)
    void dMassSetSphere(dMass*, dReal density, dReal radius)
    void dMassSetSphereTotal(dMass*, dReal total, dReal radius)
    void dMassSetCapsule(dMass*, dReal density, int direction, dReal radius, dReal length)
    void dMassSetCapsuleTotal(dMass*, dReal total, int direction, dReal radius, dReal length)
    void dMassSetCylinder(dMass*, dReal density, int direction, dReal radius, dReal length)
    void dMassSetCylinderTotal(dMass*, dReal total, int direction, dReal radius, dReal length)
    void dMassSetBox(dMass*, dReal density, dReal lx, dReal ly, dReal lz)
    void dMassSetBoxTotal(dMass*, dReal total, dReal lx, dReal ly, dReal lz)
    void dMassAdjust(dMass*, dReal newmass)
    void dMassTranslate(dMass*, dReal x, dReal y, dReal z)
    void dMassAdd(dMass*, const dMass*)

    # worlds
    dWorldID dWorldCreate()
    void dWorldDestroy(dWorldID)
    void dWorldSetGravity(dWorldID, dReal x, dReal y, dReal z)
    void dWorldGetGravity(dWorldID, dVector3)
    void dWorldSetERP(dWorldID, dReal)
    dReal dWorldGetERP(dWorldID)
    void dWorldSetCFM(dWorldID, dReal)
    dReal dWorldGetCFM(dWorldID)
    int dWorldStep(dWorldID, dReal)
    int dWorldQuickStep(dWorldID, dReal)
    void dWorldSetQuickStepNumIterations(dWorldID, int)
    int dWorldGetQuickStepNumIterations(dWorldID)
    void dWorldSetContactMaxCorrectingVel(dWorldID, dReal)
    dReal dWorldGetContactMaxCorrectingVel(dWorldID)
    void dWorldSetContactSurfaceLayer(dWorldID, dReal)
    dReal dWorldGetContactSurfaceLayer(dWorldID)
    void dWorldSetAutoDisableFlag(dWorldID, int)
    int dWorldGetAutoDisableFlag(dWorldID)
    void dWorldSetAutoDisableLinearThreshold(dWorldID, dReal)
    dReal dWorldGetAutoDisableLinearThreshold(dWorldID)
    void dWorldSetAutoDisableAngularThreshold(dWorldID, dReal)
    dReal dWorldGetAutoDisableAngularThreshold(dWorldID)
    void dWorldSetAutoDisableSteps(dWorldID, int)
    int dWorldGetAutoDisableSteps(dWorldID)
    void dWorldSetAutoDisableTime(dWorldID, dReal)
    dReal dWorldGetAutoDisableTime(dWorldID)
    void dWorldSetLinearDamping(dWorldID, dReal)
    dReal dWorldGetLinearDamping(dWorldID)
    void dWorldSetAngularDamping(dWorldID, dReal)
    dReal dWorldGetAngularDamping(dWorldID)
    void dWorldImpulseToForce(dWorldID, dReal stepsize, dReal ix, dReal iy, dReal iz, dVector3 force)

    # bodies
    dBodyID dBodyCreate(dWorldID)
    void dBodyDestroy(dBodyID)
    void dBodySetData(dBodyID, void*)
    void* dBodyGetData(dBodyID)
    void dBodySetMovedCallback(dBodyID, dBodyMovedCallback*)
    void dBodySetPosition(dBodyID, dReal x, dReal y, dReal z)
    const dReal* dBodyGetPosition(dBodyID)
    void dBodySetRotation(dBodyID, const dMatrix3)
    const dReal* dBodyGetRotation(dBodyID)
    void dBodySetQuaternion(dBodyID, const dQuaternion)
    const dReal* dBodyGetQuaternion(dBodyID)
    void dBodySetLinearVel(dBodyID, dReal x, dReal y, dReal z)
    const dReal* dBodyGetLinearVel(dBodyID)
    void dBodySetAngularVel(dBodyID, dReal x, dReal y, dReal z)
    const dReal* dBodyGetAngularVel(dBodyID)
    void dBodySetMass(dBodyID, const dMass*)
    void dBodyGetMass(dBodyID, dMass*)
    void dBodyAddForce(dBodyID, dReal x, dReal y, dReal z)
    void dBodyAddTorque(dBodyID, dReal x, dReal y, dReal z)
    void dBodyAddRelForce(dBodyID, dReal x, dReal y, dReal z)
    void dBodyAddRelTorque(dBodyID, dReal x, dReal y, dReal z)
    void dBodyAddForceAtPos(dBodyID, dReal fx, dReal fy, dReal fz, dReal px, dReal py, dReal pz)
    void dBodyAddForceAtRelPos(dBodyID, dReal fx, dReal fy, dReal fz, dReal px, dReal py, dReal pz)
    void dBodyAddRelForceAtPos(dBodyID, dReal fx, dReal fy, dReal fz, dReal px, dReal py, dReal pz)
    void dBodyAddRelForceAtRelPos(dBodyID, dReal fx, dReal fy, dReal fz, dReal px, dReal py, dReal pz)
    void dBodySetForce(dBodyID, dReal x, dReal y, dReal z)
    const dReal* dBodyGetForce(dBodyID)
    void dBodySetTorque(dBodyID, dReal x, dReal y, dReal z)
    const dReal* dBodyGetTorque(dBodyID)
    void dBodyGetRelPointPos(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyGetRelPointVel(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyGetPointVel(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyGetPosRelPoint(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyVectorToWorld(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyVectorFromWorld(dBodyID, dReal x, dReal y, dReal z, dVector3 result)
    void dBodyEnable(dBodyID)
    void dBodyDisable(dBodyID)
    int dBodyIsEnabled(dBodyID)
    void dBodySetFiniteRotationMode(dBodyID, int)
    int dBodyGetFiniteRotationMode(dBodyID)
    void dBodySetFiniteRotationAxis(dBodyID, dReal x, dReal y, dReal z)
    void dBodyGetFiniteRotationAxis(dBodyID, dVector3 result)
    int dBodyGetNumJoints(dBodyID)
    void dBodySetGravityMode(dBodyID, int)
    int dBodyGetGravityMode(dBodyID)
    void dBodySetDynamic(dBodyID)
    void dBodySetKinematic(dBodyID)
    int dBodyIsKinematic(dBodyID)
    int dAreConnected(dBodyID, dBodyID)

    # joints
    dJointGroupID dJointGroupCreate(int max_size)
    void dJointGroupDestroy(dJointGroupID)
    void dJointGroupEmpty(dJointGroupID)
    dJointID dJointCreateBall(dWorldID, dJointGroupID)
    dJointID dJointCreateHinge(dWorldID, dJointGroupID)
    dJointID dJointCreateSlider(dWorldID, dJointGroupID)
    dJointID dJointCreateUniversal(dWorldID, dJointGroupID)
    dJointID dJointCreateHinge2(dWorldID, dJointGroupID)
    dJointID dJointCreateFixed(dWorldID, dJointGroupID)
    dJointID dJointCreateContact(dWorldID, dJointGroupID, const dContact*)
    dJointID dJointCreateAMotor(dWorldID, dJointGroupID)
    dJointID dJointCreateLMotor(dWorldID, dJointGroupID)
    dJointID dJointCreatePlane2D(dWorldID, dJointGroupID)
    void dJointDestroy(dJointID)
    void dJointAttach(dJointID, dBodyID, dBodyID)
    void dJointSetFeedback(dJointID, dJointFeedback*)

    void dJointSetBallAnchor(dJointID, dReal x, dReal y, dReal z)
    void dJointGetBallAnchor(dJointID, dVector3 result)
    void dJointGetBallAnchor2(dJointID, dVector3 result)
    void dJointSetBallParam(dJointID, int parameter, dReal value)
    dReal dJointGetBallParam(dJointID, int parameter)

    void dJointSetHingeAnchor(dJointID, dReal x, dReal y, dReal z)
    void dJointGetHingeAnchor(dJointID, dVector3 result)
    void dJointGetHingeAnchor2(dJointID, dVector3 result)
    void dJointSetHingeAxis(dJointID, dReal x, dReal y, dReal z)
    void dJointGetHingeAxis(dJointID, dVector3 result)
    dReal dJointGetHingeAngle(dJointID)
    dReal dJointGetHingeAngleRate(dJointID)
    void dJointAddHingeTorque(dJointID, dReal torque)
    void dJointSetHingeParam(dJointID, int parameter, dReal value)
    dReal dJointGetHingeParam(dJointID, int parameter)

    void dJointSetSliderAxis(dJointID, dReal x, dReal y, dReal z)
    void dJointGetSliderAxis(dJointID, dVector3 result)
    dReal dJointGetSliderPosition(dJointID)
    dReal dJointGetSliderPositionRate(dJointID)
    void dJointAddSliderForce(dJointID, dReal force)
    void dJointSetSliderParam(dJointID, int parameter, dReal value)
    dReal dJointGetSliderParam(dJointID, int parameter)

    void dJointSetUniversalAnchor(dJointID, dReal x, dReal y, dReal z)
    void dJointGetUniversalAnchor(dJointID, dVector3 result)
    void dJointGetUniversalAnchor2(dJointID, dVector3 result)
    void dJointSetUniversalAxis1(dJointID, dReal x, dReal y, dReal z)
    void dJointGetUniversalAxis1(dJointID, dVector3 result)
    void dJointSetUniversalAxis2(dJointID, dReal x, dReal y, dReal z)
    void dJointGetUniversalAxis2(dJointID, dVector3 result)
    dReal dJointGetUniversalAngle1(dJointID)
    dReal dJointGetUniversalAngle2(dJointID)
    dReal dJointGetUniversalAngle1Rate(dJointID)
    dReal dJointGetUniversalAngle2Rate(dJointID)
    void dJointAddUniversalTorques(dJointID, dReal torque1, dReal torque2)
    void dJointSetUniversalParam(dJointID, int parameter, dReal value)
    dReal dJointGetUniversalParam(dJointID, int parameter)

    void dJointSetHinge2Anchor(dJointID, dReal x, dReal y, dReal z)
    void dJointGetHinge2Anchor(dJointID, dVector3 result)
    void dJointGetHinge2Anchor2(dJointID, dVector3 result)
    void dJointSetHinge2Axis1(dJointID, dReal x, dReal y, dReal z)
    void dJointGetHinge2Axis1(dJointID, dVector3 result)
    void dJointSetHinge2Axis2(dJointID, dReal x, dReal y, dReal z)
    void dJointGetHinge2Axis2(dJointID, dVector3 result)
    dReal dJointGetHinge2Angle1(dJointID)
    dReal dJointGetHinge2Angle1Rate(dJointID)
    dReal dJointGetHinge2Angle2Rate(dJointID)
    void dJointAddHinge2Torques(dJointID, dReal torque1, dReal torque2)
    void dJointSetHinge2Param(dJointID, int parameter, dReal value)
    dReal dJointGetHinge2Param(dJointID, int parameter)

    void dJointSetFixed(dJointID)

    void dJointSetAMotorMode(dJointID, int mode)
    int dJointGetAMotorMode(dJointID)
    void dJointSetAMotorNumAxes(dJointID, int number)
    int dJointGetAMotorNumAxes(dJointID)
    void dJointSetAMotorAxis(dJointID, int axis, int relative, dReal x, dReal y, dReal z)
    void dJointGetAMotorAxis(dJointID, int axis, dVector3 result)
    int dJointGetAMotorAxisRel(dJointID, int axis)
    void dJointSetAMotorAngle(dJointID, int axis, dReal angle)
    dReal dJointGetAMotorAngle(dJointID, int axis)
    dReal dJointGetAMotorAngleRate(dJointID, int axis)
    void dJointAddAMotorTorques(dJointID, dReal torque1, dReal torque2, dReal torque3)
    void dJointSetAMotorParam(dJointID, int parameter, dReal value)
    dReal dJointGetAMotorParam(dJointID, int parameter)

    void dJointSetLMotorNumAxes(dJointID, int number)
    int dJointGetLMotorNumAxes(dJointID)
    void dJointSetLMotorAxis(dJointID, int axis, int relative, dReal x, dReal y, dReal z)
    void dJointGetLMotorAxis(dJointID, int axis, dVector3 result)
    void dJointSetLMotorParam(dJointID, int parameter, dReal value)
    dReal dJointGetLMotorParam(dJointID, int parameter)

    void dJointSetPlane2DXParam(dJointID, int parameter, dReal value)
    void dJointSetPlane2DYParam(dJointID, int parameter, dReal value)
    void dJointSetPlane2DAngleParam(dJointID, int parameter, dReal value)

    # geoms
    void dGeomDestroy(dGeomID)
    int dGeomGetClass(dGeomID)
    int dGeomIsSpace(dGeomID)
    void dGeomSetBody(dGeomID, dBodyID)
    void dGeomSetPosition(dGeomID, dReal x, dReal y, dReal z)
    const dReal* dGeomGetPosition(dGeomID)
    void dGeomSetRotation(dGeomID, const dMatrix3)
    const dReal* dGeomGetRotation(dGeomID)
    void dGeomSetQuaternion(dGeomID, const dQuaternion)
    void dGeomGetQuaternion(dGeomID, dQuaternion result)
    void dGeomGetAABB(dGeomID, dReal* aabb)
    void dGeomSetCategoryBits(dGeomID, unsigned long)
    unsigned long dGeomGetCategoryBits(dGeomID)
    void dGeomSetCollideBits(dGeomID, unsigned long)
    unsigned long dGeomGetCollideBits(dGeomID)
    void dGeomEnable(dGeomID)
    void dGeomDisable(dGeomID)
    int dGeomIsEnabled(dGeomID)
    void dGeomSetOffsetPosition(dGeomID, dReal x, dReal y, dReal z)
    void dGeomSetOffsetRotation(dGeomID, const dMatrix3)
    void dGeomSetOffsetQuaternion(dGeomID, const dQuaternion)
    void dGeomClearOffset(dGeomID)

    dGeomID dCreateSphere(dSpaceID, dReal radius)
    void dGeomSphereSetRadius(dGeomID, dReal radius)
    dReal dGeomSphereGetRadius(dGeomID)
    dReal dGeomSpherePointDepth(dGeomID, dReal x, dReal y, dReal z)
    dGeomID dCreateBox(dSpaceID, dReal lx, dReal ly, dReal lz)
    void dGeomBoxSetLengths(dGeomID, dReal lx, dReal ly, dReal lz)
    void dGeomBoxGetLengths(dGeomID, dVector3 result)
    dReal dGeomBoxPointDepth(dGeomID, dReal x, dReal y, dReal z)
    dGeomID dCreatePlane(dSpaceID, dReal a, dReal b, dReal c, dReal d)
    void dGeomPlaneSetParams(dGeomID, dReal a, dReal b, dReal c, dReal d)
    void dGeomPlaneGetParams(dGeomID, dReal* result)
    dReal dGeomPlanePointDepth(dGeomID, dReal x, dReal y, dReal z)
    dGeomID dCreateCapsule(dSpaceID, dReal radius, dReal length)
    void dGeomCapsuleSetParams(dGeomID, dReal radius, dReal length)
    void dGeomCapsuleGetParams(dGeomID, dReal* radius, dReal* length)
    dReal dGeomCapsulePointDepth(dGeomID, dReal x, dReal y, dReal z)
    dGeomID dCreateCylinder(dSpaceID, dReal radius, dReal length)
    void dGeomCylinderSetParams(dGeomID, dReal radius, dReal length)
    void dGeomCylinderGetParams(dGeomID, dReal* radius, dReal* length)
    dGeomID dCreateRay(dSpaceID, dReal length)
    void dGeomRaySetLength(dGeomID, dReal length)
    dReal dGeomRayGetLength(dGeomID)
    void dGeomRaySet(dGeomID, dReal px, dReal py, dReal pz, dReal dx, dReal dy, dReal dz)
    void dGeomRayGet(dGeomID, dVector3 start, dVector3 direction)
    dGeomID dCreateGeomTransform(dSpaceID)
    void dGeomTransformSetGeom(dGeomID, dGeomID)
    void dGeomTransformSetInfo(dGeomID, int mode)
    int dGeomTransformGetInfo(dGeomID)

    dTriMeshDataID dGeomTriMeshDataCreate()
    void dGeomTriMeshDataDestroy(dTriMeshDataID)
    void dGeomTriMeshDataBuildDouble(dTriMeshDataID, const void* points, int stride, int count,
                                     const void* corners, int corner_count, int corner_stride)
    int dGeomTriMeshDataPreprocess2(dTriMeshDataID, unsigned int flags, const void* extra)
    dGeomID dCreateTriMesh(dSpaceID, dTriMeshDataID, void* callback, void* array_callback, void* ray_callback)
    int dGeomTriMeshGetTriangleCount(dGeomID)
    void dGeomTriMeshGetTriangle(dGeomID, int index, dVector3* a, dVector3* b, dVector3* c)
    void dGeomTriMeshClearTCCache(dGeomID)

    dHeightfieldDataID dGeomHeightfieldDataCreate()
    void dGeomHeightfieldDataDestroy(dHeightfieldDataID)
    void dGeomHeightfieldDataBuildCallback(
        dHeightfieldDataID, void* data, dHeightfieldGetHeight*, dReal width, dReal depth, int width_samples,
        int depth_samples, dReal scale, dReal offset, dReal thickness, int wrap)
    void dGeomHeightfieldDataBuildByte(
        dHeightfieldDataID, const unsigned char*, int copy, dReal width, dReal depth, int width_samples,
        int depth_samples, dReal scale, dReal offset, dReal thickness, int wrap)
    void dGeomHeightfieldDataBuildShort(
        dHeightfieldDataID, const short*, int copy, dReal width, dReal depth, int width_samples,
        int depth_samples, dReal scale, dReal offset, dReal thickness, int wrap)
    void dGeomHeightfieldDataBuildSingle(
        dHeightfieldDataID, const float*, int copy, dReal width, dReal depth, int width_samples,
        int depth_samples, dReal scale, dReal offset, dReal thickness, int wrap)
    void dGeomHeightfieldDataBuildDouble(
        dHeightfieldDataID, const double*, int copy, dReal width, dReal depth, int width_samples,
        int depth_samples, dReal scale, dReal offset, dReal thickness, int wrap)
    void dGeomHeightfieldDataSetBounds(dHeightfieldDataID, dReal low, dReal high)
    dGeomID dCreateHeightfield(dSpaceID, dHeightfieldDataID, int placeable)
    void dGeomHeightfieldSetHeightfieldData(dGeomID, dHeightfieldDataID)

    # spaces and collision
    dSpaceID dSimpleSpaceCreate(dSpaceID)
    dSpaceID dHashSpaceCreate(dSpaceID)
    dSpaceID dQuadTreeSpaceCreate(dSpaceID, const dVector3 centre, const dVector3 extents, int depth)
    dSpaceID dSweepAndPruneSpaceCreate(dSpaceID, int axis_order)
    void dHashSpaceSetLevels(dSpaceID, int low, int high)
    void dHashSpaceGetLevels(dSpaceID, int* low, int* high)
    void dSpaceSetCleanup(dSpaceID, int)
    int dSpaceGetCleanup(dSpaceID)
    void dSpaceSetManualCleanup(dSpaceID, int)
    int dSpaceGetManualCleanup(dSpaceID)
    void dSpaceSetSublevel(dSpaceID, int)
    int dSpaceGetSublevel(dSpaceID)
    void dSpaceAdd(dSpaceID, dGeomID)
    void dSpaceRemove(dSpaceID, dGeomID)
    int dSpaceQuery(dSpaceID, dGeomID)
    void dSpaceClean(dSpaceID)
    int dSpaceGetNumGeoms(dSpaceID)
    dGeomID dSpaceGetGeom(dSpaceID, int)
    void dSpaceCollide(dSpaceID, void* data, dNearCallback*)
    void dSpaceCollide2(dGeomID, dGeomID, void* data, dNearCallback*)
    int dCollide(dGeomID, dGeomID, int flags, dContactGeom*, int stride)
