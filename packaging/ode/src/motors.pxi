cdef class AMotor(Joint):
    """Drives how two bodies turn, about up to three axes."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateAMotor(world.wid, join(self, world, jointgroup))

    def setMode(self, int mode):
        """Set AMotorUser (axes and angles are set) or AMotorEuler (they are computed)."""
        dJointSetAMotorMode(alive(self), mode)

    def getMode(self):
        """Return AMotorUser or AMotorEuler."""
        return dJointGetAMotorMode(alive(self))

    def setNumAxes(self, int num):
        """Set how many axes there are, 0 to 3."""
        dJointSetAMotorNumAxes(alive(self), num)

    def getNumAxes(self):
        """Return how many axes there are."""
        return dJointGetAMotorNumAxes(alive(self))

    def setAxis(self, int anum, int rel, axis):
        """Set axis 0, 1 or 2, which is fixed to the world (rel 0), the first (1) or the second body (2)."""
        dJointSetAMotorAxis(alive(self), anum, rel, axis[0], axis[1], axis[2])

    def getAxis(self, int anum):
        """Return axis 0, 1 or 2."""
        cdef dVector3 result
        dJointGetAMotorAxis(alive(self), anum, result)
        return triple(result)

    def getAxisRel(self, int anum):
        """Return what axis 0, 1 or 2 is fixed to."""
        return dJointGetAMotorAxisRel(alive(self), anum)

    def setAngle(self, int anum, double angle):
        """Set the angle about axis 0, 1 or 2, for its stops."""
        dJointSetAMotorAngle(alive(self), anum, angle)

    def getAngle(self, int anum):
        """Return the angle about axis 0, 1 or 2."""
        return dJointGetAMotorAngle(alive(self), anum)

    def getAngleRate(self, int anum):
        """Return the angular velocity about axis 0, 1 or 2."""
        return dJointGetAMotorAngleRate(alive(self), anum)

    def addTorques(self, double torque0, double torque1, double torque2):
        """Add torques about the axes, for the next step."""
        dJointAddAMotorTorques(alive(self), torque0, torque1, torque2)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetAMotorParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetAMotorParam(alive(self), param)


cdef class LMotor(Joint):
    """Drives how two bodies shift, along up to three axes."""

    def __cinit__(self, World world not None, JointGroup jointgroup=None):
        self.jid = dJointCreateLMotor(world.wid, join(self, world, jointgroup))

    def setNumAxes(self, int num):
        """Set how many axes there are, 0 to 3."""
        dJointSetLMotorNumAxes(alive(self), num)

    def getNumAxes(self):
        """Return how many axes there are."""
        return dJointGetLMotorNumAxes(alive(self))

    def setAxis(self, int anum, int rel, axis):
        """Set axis 0, 1 or 2, which is fixed to the world (rel 0), the first (1) or the second body (2)."""
        dJointSetLMotorAxis(alive(self), anum, rel, axis[0], axis[1], axis[2])

    def getAxis(self, int anum):
        """Return axis 0, 1 or 2."""
        cdef dVector3 result
        dJointGetLMotorAxis(alive(self), anum, result)
        return triple(result)

    def setParam(self, int param, double value):
        """Set a parameter, ParamVel and so on."""
        dJointSetLMotorParam(alive(self), param, value)

    def getParam(self, int param):
        """Return a parameter, ParamVel and so on."""
        return dJointGetLMotorParam(alive(self), param)
