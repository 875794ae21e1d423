@cython.no_gc_clear  # the world must be there until the body is destroyed
cdef class Body:
    """A rigid body whose centre of mass is its origin. Other attributes can be set as on any Python object."""

    cdef dBodyID bid
    cdef World world
    cdef object when_moved
    cdef dict __dict__
    cdef object __weakref__

    def __cinit__(self, World world not None):
        self.world = world
        self.bid = dBodyCreate(world.wid)

    def __init__(self, World world not None):
        pass

    def __dealloc__(self):
        if self.bid is not NULL:
            dBodyDestroy(self.bid)

    def setPosition(self, pos):
        """Set where the body is."""
        dBodySetPosition(self.bid, pos[0], pos[1], pos[2])

    def getPosition(self):
        """Return where the body is."""
        return triple(dBodyGetPosition(self.bid))

    def setRotation(self, R):
        """Set how the body is turned, as a matrix."""
        cdef dMatrix3 rotation
        read_rotation(R, rotation)
        dBodySetRotation(self.bid, rotation)

    def getRotation(self):
        """Return how the body is turned, as a matrix."""
        return rows(dBodyGetRotation(self.bid))

    def setQuaternion(self, q):
        """Set how the body is turned, as a quaternion."""
        cdef dQuaternion quaternion
        read_quaternion(q, quaternion)
        dBodySetQuaternion(self.bid, quaternion)

    def getQuaternion(self):
        """Return how the body is turned, as a quaternion."""
        cdef const dReal* q = dBodyGetQuaternion(self.bid)
        return q[0], q[1], q[2], q[3]

    def setLinearVel(self, vel):
        """Set the velocity of the origin."""
        dBodySetLinearVel(self.bid, vel[0], vel[1], vel[2])

    def getLinearVel(self):
        """Return the velocity of the origin."""
        return triple(dBodyGetLinearVel(self.bid))

    def setAngularVel(self, vel):
        """Set the angular velocity."""
        dBodySetAngularVel(self.bid, vel[0], vel[1], vel[2])

    def getAngularVel(self):
        """Return the angular velocity."""
        return triple(dBodyGetAngularVel(self.bid))

    def setMass(self, Mass mass not None):
        """Set mass and inertia."""
        dBodySetMass(self.bid, &mass.of_ode)

    def getMass(self):
        """Return a copy of mass and inertia."""
        cdef Mass mass = Mass()
        dBodyGetMass(self.bid, &mass.of_ode)
        return mass

    def addForce(self, f):
        """Add a force at the origin, for the next step."""
        dBodyAddForce(self.bid, f[0], f[1], f[2])

    def addTorque(self, t):
        """Add a torque, for the next step."""
        dBodyAddTorque(self.bid, t[0], t[1], t[2])

    def addRelForce(self, f):
        """Add a force in the body's frame at the origin, for the next step."""
        dBodyAddRelForce(self.bid, f[0], f[1], f[2])

    def addRelTorque(self, t):
        """Add a torque in the body's frame, for the next step."""
        dBodyAddRelTorque(self.bid, t[0], t[1], t[2])

    def addForceAtPos(self, f, p):
        """Add a force at a point, for the next step."""
        dBodyAddForceAtPos(self.bid, f[0], f[1], f[2], p[0], p[1], p[2])

    def addForceAtRelPos(self, f, p):
        """Add a force at a point of the body's frame, for the next step."""
        dBodyAddForceAtRelPos(self.bid, f[0], f[1], f[2], p[0], p[1], p[2])

    def addRelForceAtPos(self, f, p):
        """Add a force in the body's frame at a point, for the next step."""
        dBodyAddRelForceAtPos(self.bid, f[0], f[1], f[2], p[0], p[1], p[2])

    def addRelForceAtRelPos(self, f, p):
        """Add a force in the body's frame at a point of it, for the next step."""
        dBodyAddRelForceAtRelPos(self.bid, f[0], f[1], f[2], p[0], p[1], p[2])

    def setForce(self, f):
        """Set the force that waits for the next step."""
        dBodySetForce(self.bid, f[0], f[1], f[2])

    def getForce(self):
        """Return the force that waits for the next step."""
        return triple(dBodyGetForce(self.bid))

    def setTorque(self, t):
        """Set the torque that waits for the next step."""
        dBodySetTorque(self.bid, t[0], t[1], t[2])

    def getTorque(self):
        """Return the torque that waits for the next step."""
        return triple(dBodyGetTorque(self.bid))

    def getRelPointPos(self, p):
        """Return the place of a point of the body's frame."""
        cdef dVector3 result
        dBodyGetRelPointPos(self.bid, p[0], p[1], p[2], result)
        return triple(result)

    def getRelPointVel(self, p):
        """Return the velocity of a point of the body's frame."""
        cdef dVector3 result
        dBodyGetRelPointVel(self.bid, p[0], p[1], p[2], result)
        return triple(result)

    def getPointVel(self, p):
        """Return the velocity of the body at a point."""
        cdef dVector3 result
        dBodyGetPointVel(self.bid, p[0], p[1], p[2], result)
        return triple(result)

    def getPosRelPoint(self, p):
        """Return a point in the body's frame."""
        cdef dVector3 result
        dBodyGetPosRelPoint(self.bid, p[0], p[1], p[2], result)
        return triple(result)

    def vectorToWorld(self, v):
        """Return a vector of the body's frame in the world's."""
        cdef dVector3 result
        dBodyVectorToWorld(self.bid, v[0], v[1], v[2], result)
        return triple(result)

    def vectorFromWorld(self, v):
        """Return a vector of the world's frame in the body's."""
        cdef dVector3 result
        dBodyVectorFromWorld(self.bid, v[0], v[1], v[2], result)
        return triple(result)

    def enable(self):
        """Wake the body."""
        dBodyEnable(self.bid)

    def disable(self):
        """Let the body sleep."""
        dBodyDisable(self.bid)

    def isEnabled(self):
        """Return whether the body is awake, 1 or 0."""
        return dBodyIsEnabled(self.bid)

    def setFiniteRotationMode(self, int mode):
        """Set how rotations are integrated: 0 for the first order, 1 for a finite rotation."""
        dBodySetFiniteRotationMode(self.bid, mode)

    def getFiniteRotationMode(self):
        """Return how rotations are integrated."""
        return dBodyGetFiniteRotationMode(self.bid)

    def setFiniteRotationAxis(self, a):
        """Set the axis about which alone rotations are finite; (0, 0, 0) for all axes."""
        dBodySetFiniteRotationAxis(self.bid, a[0], a[1], a[2])

    def getFiniteRotationAxis(self):
        """Return the axis about which alone rotations are finite."""
        cdef dVector3 result
        dBodyGetFiniteRotationAxis(self.bid, result)
        return triple(result)

    def getNumJoints(self):
        """Return how many joints are attached."""
        return dBodyGetNumJoints(self.bid)

    def setGravityMode(self, int mode):
        """Let gravity pull the body (1) or not (0)."""
        dBodySetGravityMode(self.bid, mode)

    def getGravityMode(self):
        """Return whether gravity pulls the body, 1 or 0."""
        return dBodyGetGravityMode(self.bid)

    def setDynamic(self):
        """Let forces move the body."""
        dBodySetDynamic(self.bid)

    def setKinematic(self):
        """Let the body move with its velocity, whatever pushes it."""
        dBodySetKinematic(self.bid)

    def isKinematic(self):
        """Return whether the body is kinematic, 1 or 0."""
        return dBodyIsKinematic(self.bid)

    def setMovedCallback(self, callback):
        """Set the function to call with the body whenever a step has moved it; None: no one."""
        self.when_moved = callback
        dBodySetData(self.bid, <void*>self)
        if callback is None:
            dBodySetMovedCallback(self.bid, NULL)
        else:
            dBodySetMovedCallback(self.bid, tell_moved)


cdef void tell_moved(dBodyID bid) noexcept:
    cdef Body body = <Body>dBodyGetData(bid)
    body.when_moved(body)


def areConnected(Body body1 not None, Body body2 not None):
    """Return whether a joint connects two bodies."""
    return bool(dAreConnected(body1.bid, body2.bid))
