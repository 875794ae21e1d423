cdef class Contact:
    """A contact of two geoms and what their surfaces are like, for a `ContactJoint`.

    It holds one dContact of ode/contact.h and nothing else.
    """

    cdef dContact of_ode

    def __cinit__(self, *arguments, **named):
        self.of_ode.surface.mode = dContactBounce
        self.of_ode.surface.mu = dInfinity
        self.of_ode.surface.bounce = 0.1

    def getMode(self):
        """Return the flags that say which properties count, ContactMu2 and so on."""
        return self.of_ode.surface.mode

    def setMode(self, int flags):
        """Set the flags that say which properties count, ContactMu2 and so on."""
        self.of_ode.surface.mode = flags

    def getMu(self):
        """Return the friction: a coefficient with ContactApprox1, else the largest force."""
        return self.of_ode.surface.mu

    def setMu(self, double mu):
        """Set the friction: a coefficient with ContactApprox1, else the largest force."""
        self.of_ode.surface.mu = mu

    def getMu2(self):
        """Return the friction along the second direction."""
        return self.of_ode.surface.mu2

    def setMu2(self, double mu):
        """Set the friction along the second direction."""
        self.of_ode.surface.mu2 = mu

    def getRho(self):
        """Return the rolling friction about the first direction."""
        return self.of_ode.surface.rho

    def setRho(self, double rho):
        """Set the rolling friction about the first direction; it counts with ContactRolling."""
        self.of_ode.surface.rho = rho

    def getRho2(self):
        """Return the rolling friction about the second direction."""
        return self.of_ode.surface.rho2

    def setRho2(self, double rho):
        """Set the rolling friction about the second direction; it counts with ContactRolling and ContactAxisDep."""
        self.of_ode.surface.rho2 = rho

    def getRhoN(self):
        """Return the spinning friction, about the normal."""
        return self.of_ode.surface.rhoN

    def setRhoN(self, double rho):
        """Set the spinning friction, about the normal; it counts with ContactRolling and ContactAxisDep."""
        self.of_ode.surface.rhoN = rho

    def getBounce(self):
        """Return the part of its velocity that a body keeps, 0 to 1."""
        return self.of_ode.surface.bounce

    def setBounce(self, double b):
        """Set the part of its velocity that a body keeps, 0 to 1."""
        self.of_ode.surface.bounce = b

    def getBounceVel(self):
        """Return the lowest velocity at which bodies bounce."""
        return self.of_ode.surface.bounce_vel

    def setBounceVel(self, double bv):
        """Set the lowest velocity at which bodies bounce."""
        self.of_ode.surface.bounce_vel = bv

    def getSoftERP(self):
        """Return the part of the depth that one step takes away."""
        return self.of_ode.surface.soft_erp

    def setSoftERP(self, double erp):
        """Set the part of the depth that one step takes away."""
        self.of_ode.surface.soft_erp = erp

    def getSoftCFM(self):
        """Return how soft the contact is."""
        return self.of_ode.surface.soft_cfm

    def setSoftCFM(self, double cfm):
        """Set how soft the contact is."""
        self.of_ode.surface.soft_cfm = cfm

    def getMotion1(self):
        """Return the velocity of the surface along the first direction."""
        return self.of_ode.surface.motion1

    def setMotion1(self, double m):
        """Set the velocity of the surface along the first direction."""
        self.of_ode.surface.motion1 = m

    def getMotion2(self):
        """Return the velocity of the surface along the second direction."""
        return self.of_ode.surface.motion2

    def setMotion2(self, double m):
        """Set the velocity of the surface along the second direction."""
        self.of_ode.surface.motion2 = m

    def getSlip1(self):
        """Return how fast the surface slips along the first direction, by the force."""
        return self.of_ode.surface.slip1

    def setSlip1(self, double s):
        """Set how fast the surface slips along the first direction, by the force."""
        self.of_ode.surface.slip1 = s

    def getSlip2(self):
        """Return how fast the surface slips along the second direction, by the force."""
        return self.of_ode.surface.slip2

    def setSlip2(self, double s):
        """Set how fast the surface slips along the second direction, by the force."""
        self.of_ode.surface.slip2 = s

    def getFDir1(self):
        """Return the first direction of friction."""
        return triple(self.of_ode.fdir1)

    def setFDir1(self, fdir):
        """Set the first direction of friction, of length 1; it counts with ContactFDir1."""
        self.of_ode.fdir1[0], self.of_ode.fdir1[1], self.of_ode.fdir1[2] = fdir[0], fdir[1], fdir[2]

    def getContactGeomParams(self):
        """Return place, normal (into the first geom), depth, and the two geoms; None for a geom that is gone."""
        cdef dContactGeom* geom = &self.of_ode.geom
        return triple(geom.pos), triple(geom.normal), geom.depth, known_geom(geom.g1), known_geom(geom.g2)

    def setContactGeomParams(self, pos, normal, double depth, GeomObject g1=None, GeomObject g2=None):
        """Set place, normal (into the first geom), depth, and the two geoms."""
        cdef dContactGeom* geom = &self.of_ode.geom
        geom.pos[0], geom.pos[1], geom.pos[2] = pos[0], pos[1], pos[2]
        geom.normal[0], geom.normal[1], geom.normal[2] = normal[0], normal[1], normal[2]
        geom.depth = depth
        geom.g1 = NULL if g1 is None else g1.gid
        geom.g2 = NULL if g2 is None else g2.gid
