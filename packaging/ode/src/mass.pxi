cdef class Mass:
    """Mass, centre of mass and inertia of a body.

    Attributes:
        mass: can be set; the inertia follows.
        c: centre of mass, in the body's frame.
        I: inertia in the body's frame, three rows.
    """

    cdef dMass of_ode

    def __cinit__(self, *arguments, **named):
        dMassSetZero(&self.of_ode)

    @property
    def mass(self):
        return self.of_ode.mass

    @mass.setter
    def mass(self, double mass):
        self.adjust(mass)

    @property
    def c(self):
        return triple(self.of_ode.c)

    @property
    def I(self):
        return triple(&self.of_ode.I[0]), triple(&self.of_ode.I[4]), triple(&self.of_ode.I[8])

    def setZero(self):
        """Set everything to 0."""
        dMassSetZero(&self.of_ode)

    def setParameters(self, double mass, double cgx, double cgy, double cgz, double I11, double I22, double I33,
                      double I12, double I13, double I23):
        """Set the mass, the centre of mass and the inertia."""
        dMassSetParameters(&self.of_ode, mass, cgx, cgy, cgz, I11, I22, I33, I12, I13, I23)

    def setSphere(self, double density, double radius):
        """Set the mass of a ball."""
        dMassSetSphere(&self.of_ode, density, radius)

    def setSphereTotal(self, double total_mass, double radius):
        """Set the mass of a ball, given in all."""
        dMassSetSphereTotal(&self.of_ode, total_mass, radius)

    def setCappedCylinder(self, double density, int direction, double r, double h):
        """Set the mass of a capsule along axis 1, 2 or 3; h is the length without the caps."""
        dMassSetCapsule(&self.of_ode, density, axis_number(direction), r, h)

    def setCappedCylinderTotal(self, double total_mass, int direction, double r, double h):
        """Set the mass of a capsule along axis 1, 2 or 3, given in all; h is the length without the caps."""
        dMassSetCapsuleTotal(&self.of_ode, total_mass, axis_number(direction), r, h)

    def setCylinder(self, double density, int direction, double r, double h):
        """Set the mass of a cylinder along axis 1, 2 or 3."""
        dMassSetCylinder(&self.of_ode, density, axis_number(direction), r, h)

    def setCylinderTotal(self, double total_mass, int direction, double r, double h):
        """Set the mass of a cylinder along axis 1, 2 or 3, given in all."""
        dMassSetCylinderTotal(&self.of_ode, total_mass, axis_number(direction), r, h)

    def setBox(self, double density, double lx, double ly, double lz):
        """Set the mass of a box."""
        dMassSetBox(&self.of_ode, density, lx, ly, lz)

    def setBoxTotal(self, double total_mass, double lx, double ly, double lz):
        """Set the mass of a box, given in all."""
        dMassSetBoxTotal(&self.of_ode, total_mass, lx, ly, lz)

    def adjust(self, double newmass):
        """Scale mass and inertia so that the mass is this."""
        dMassAdjust(&self.of_ode, newmass)

    def translate(self, t):
        """Move the centre of mass by a vector."""
        dMassTranslate(&self.of_ode, t[0], t[1], t[2])

    def add(self, Mass b not None):
        """Add another mass to this one."""
        dMassAdd(&self.of_ode, &b.of_ode)

    def __add__(self, Mass other not None):
        cdef Mass result = Mass()
        result.of_ode = (<Mass?>self).of_ode
        dMassAdd(&result.of_ode, &other.of_ode)
        return result

    def __str__(self):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.I
        return f"Mass={self.mass}\nCg={self.c}\nI11={xx} I22={yy} I33={zz}\nI12={xy} I13={xz} I23={yz}"


cdef int axis_number(int direction) except -1:
    """Check what ends the process in ODE."""
    if not 1 <= direction <= 3:
        raise ValueError(f"direction: found {direction}, expected 1 (x), 2 (y) or 3 (z)")
    return direction
