cdef class GeomSphere(GeomObject):
    """A ball."""

    def __cinit__(self, SpaceBase space=None, double radius=1.0):
        adopt(self, space, dCreateSphere(id_of_space(space), radius))

    def setRadius(self, double radius):
        """Set the radius."""
        dGeomSphereSetRadius(self.gid, radius)

    def getRadius(self):
        """Return the radius."""
        return dGeomSphereGetRadius(self.gid)

    def pointDepth(self, p):
        """Return how deep a point is inside; negative: outside."""
        return dGeomSpherePointDepth(self.gid, p[0], p[1], p[2])


cdef class GeomBox(GeomObject):
    """A box."""

    def __cinit__(self, SpaceBase space=None, lengths=(1.0, 1.0, 1.0)):
        adopt(self, space, dCreateBox(id_of_space(space), lengths[0], lengths[1], lengths[2]))

    def setLengths(self, lengths):
        """Set the lengths of the edges."""
        dGeomBoxSetLengths(self.gid, lengths[0], lengths[1], lengths[2])

    def getLengths(self):
        """Return the lengths of the edges."""
        cdef dVector3 lengths
        dGeomBoxGetLengths(self.gid, lengths)
        return triple(lengths)

    def pointDepth(self, p):
        """Return how deep a point is inside; negative: outside."""
        return dGeomBoxPointDepth(self.gid, p[0], p[1], p[2])


cdef class GeomPlane(GeomObject):
    """All points x with normal · x ≤ dist."""

    def __cinit__(self, SpaceBase space=None, normal=(0.0, 0.0, 1.0), double dist=0.0):
        adopt(self, space, dCreatePlane(id_of_space(space), normal[0], normal[1], normal[2], dist))

    def setParams(self, normal, double dist):
        """Set the normal and the distance from the origin."""
        dGeomPlaneSetParams(self.gid, normal[0], normal[1], normal[2], dist)

    def getParams(self):
        """Return the normal and the distance from the origin."""
        cdef dReal[4] numbers
        dGeomPlaneGetParams(self.gid, numbers)
        return triple(numbers), numbers[3]

    def pointDepth(self, p):
        """Return how deep a point is inside; negative: outside."""
        return dGeomPlanePointDepth(self.gid, p[0], p[1], p[2])


cdef class GeomCapsule(GeomObject):
    """A cylinder along z with half balls at its ends, which the length does not count."""

    def __cinit__(self, SpaceBase space=None, double radius=0.5, double length=1.0):
        adopt(self, space, dCreateCapsule(id_of_space(space), radius, length))

    def setParams(self, double radius, double length):
        """Set radius and length."""
        dGeomCapsuleSetParams(self.gid, radius, length)

    def getParams(self):
        """Return radius and length."""
        cdef dReal radius, length
        dGeomCapsuleGetParams(self.gid, &radius, &length)
        return radius, length

    def pointDepth(self, p):
        """Return how deep a point is inside; negative: outside."""
        return dGeomCapsulePointDepth(self.gid, p[0], p[1], p[2])


GeomCCylinder = GeomCapsule


cdef class GeomCylinder(GeomObject):
    """A cylinder along z."""

    def __cinit__(self, SpaceBase space=None, double radius=0.5, double length=1.0):
        adopt(self, space, dCreateCylinder(id_of_space(space), radius, length))

    def setParams(self, double radius, double length):
        """Set radius and length."""
        dGeomCylinderSetParams(self.gid, radius, length)

    def getParams(self):
        """Return radius and length."""
        cdef dReal radius, length
        dGeomCylinderGetParams(self.gid, &radius, &length)
        return radius, length


cdef class GeomRay(GeomObject):
    """A ray: the depth of its contacts is the distance from its start."""

    def __cinit__(self, SpaceBase space=None, double rlen=1.0):
        adopt(self, space, dCreateRay(id_of_space(space), rlen))

    def setLength(self, double rlen):
        """Set the length."""
        dGeomRaySetLength(self.gid, rlen)

    def getLength(self):
        """Return the length."""
        return dGeomRayGetLength(self.gid)

    def set(self, p, u):
        """Set start and direction."""
        dGeomRaySet(self.gid, p[0], p[1], p[2], u[0], u[1], u[2])

    def get(self):
        """Return start and direction."""
        cdef dVector3 start, direction
        dGeomRayGet(self.gid, start, direction)
        return triple(start), triple(direction)


@cython.no_gc_clear  # ODE's transform refers to the other geom
cdef class GeomTransform(GeomObject):
    """Another geom, moved and turned: its position and rotation are those in the frame of this one."""

    cdef GeomObject geom

    def __cinit__(self, SpaceBase space=None):
        adopt(self, space, dCreateGeomTransform(id_of_space(space)))

    def setGeom(self, GeomObject geom not None):
        """Set the other geom; it has a position, and is in no space and on no body."""
        placed(geom)
        if geom.space is not None:
            raise ValueError("the geom of a GeomTransform cannot be in a space")
        if geom.body is not None:
            raise ValueError("the geom of a GeomTransform cannot be on a body")
        dGeomTransformSetGeom(self.gid, geom.gid)
        self.geom = geom

    def getGeom(self):
        """Return the other geom, or None."""
        return self.geom

    def setInfo(self, int mode):
        """Let contacts name this geom (1) or the other one (0)."""
        dGeomTransformSetInfo(self.gid, mode)

    def getInfo(self):
        """Return the mode that `setInfo` sets."""
        return dGeomTransformGetInfo(self.gid)
