cdef class World:
    """A dynamics world: bodies and joints that are moved together."""

    cdef dWorldID wid
    cdef object __weakref__

    def __cinit__(self, *arguments, **named):
        self.wid = dWorldCreate()

    def __dealloc__(self):
        dWorldDestroy(self.wid)

    def setGravity(self, gravity):
        """Set the acceleration of free fall."""
        dWorldSetGravity(self.wid, gravity[0], gravity[1], gravity[2])

    def getGravity(self):
        """Return the acceleration of free fall."""
        cdef dVector3 gravity
        dWorldGetGravity(self.wid, gravity)
        return triple(gravity)

    def setERP(self, double erp):
        """Set the part of a joint's error that one step takes away, 0 to 1."""
        dWorldSetERP(self.wid, erp)

    def getERP(self):
        """Return the part of a joint's error that one step takes away."""
        return dWorldGetERP(self.wid)

    def setCFM(self, double cfm):
        """Set how soft joints are: 0 is hard."""
        dWorldSetCFM(self.wid, cfm)

    def getCFM(self):
        """Return how soft joints are."""
        return dWorldGetCFM(self.wid)

    def step(self, double stepsize):
        """Move the world on by a time, with the exact solver."""
        dWorldStep(self.wid, stepsize)

    def quickStep(self, double stepsize):
        """Move the world on by a time, with the iterative solver."""
        dWorldQuickStep(self.wid, stepsize)

    def setQuickStepNumIterations(self, int num):
        """Set how many iterations `quickStep` makes."""
        dWorldSetQuickStepNumIterations(self.wid, num)

    def getQuickStepNumIterations(self):
        """Return how many iterations `quickStep` makes."""
        return dWorldGetQuickStepNumIterations(self.wid)

    def setContactMaxCorrectingVel(self, double vel):
        """Set the highest velocity at which contacts push bodies apart."""
        dWorldSetContactMaxCorrectingVel(self.wid, vel)

    def getContactMaxCorrectingVel(self):
        """Return the highest velocity at which contacts push bodies apart."""
        return dWorldGetContactMaxCorrectingVel(self.wid)

    def setContactSurfaceLayer(self, double depth):
        """Set how deep bodies may sink into each other before contacts push."""
        dWorldSetContactSurfaceLayer(self.wid, depth)

    def getContactSurfaceLayer(self):
        """Return how deep bodies may sink into each other before contacts push."""
        return dWorldGetContactSurfaceLayer(self.wid)

    def setAutoDisableFlag(self, int flag):
        """Let bodies that are made from now on fall asleep when they are slow, or not."""
        dWorldSetAutoDisableFlag(self.wid, flag)

    def getAutoDisableFlag(self):
        """Return whether bodies fall asleep, as a number that is not 0."""
        return dWorldGetAutoDisableFlag(self.wid)

    def setAutoDisableLinearThreshold(self, double threshold):
        """Set the speed below which a body is slow."""
        dWorldSetAutoDisableLinearThreshold(self.wid, threshold)

    def getAutoDisableLinearThreshold(self):
        """Return the speed below which a body is slow."""
        return dWorldGetAutoDisableLinearThreshold(self.wid)

    def setAutoDisableAngularThreshold(self, double threshold):
        """Set the angular speed below which a body is slow."""
        dWorldSetAutoDisableAngularThreshold(self.wid, threshold)

    def getAutoDisableAngularThreshold(self):
        """Return the angular speed below which a body is slow."""
        return dWorldGetAutoDisableAngularThreshold(self.wid)

    def setAutoDisableSteps(self, int steps):
        """Set the steps after which a slow body falls asleep."""
        dWorldSetAutoDisableSteps(self.wid, steps)

    def getAutoDisableSteps(self):
        """Return the steps after which a slow body falls asleep."""
        return dWorldGetAutoDisableSteps(self.wid)

    def setAutoDisableTime(self, double time):
        """Set the time after which a slow body falls asleep."""
        dWorldSetAutoDisableTime(self.wid, time)

    def getAutoDisableTime(self):
        """Return the time after which a slow body falls asleep."""
        return dWorldGetAutoDisableTime(self.wid)

    def setLinearDamping(self, double scale):
        """Set the part of their velocity that bodies made from now on lose in a step."""
        dWorldSetLinearDamping(self.wid, scale)

    def getLinearDamping(self):
        """Return the part of their velocity that bodies lose in a step."""
        return dWorldGetLinearDamping(self.wid)

    def setAngularDamping(self, double scale):
        """Set the part of their angular velocity that bodies made from now on lose in a step."""
        dWorldSetAngularDamping(self.wid, scale)

    def getAngularDamping(self):
        """Return the part of their angular velocity that bodies lose in a step."""
        return dWorldGetAngularDamping(self.wid)

    def impulseToForce(self, double stepsize, impulse):
        """Return the force that gives an impulse in one step."""
        cdef dVector3 force
        dWorldImpulseToForce(self.wid, stepsize, impulse[0], impulse[1], impulse[2], force)
        return triple(force)
