cdef class GeomObject:
    """What all shapes have in common. Other attributes can be set as on any Python object.

    A geom ends with its last reference; a space does not keep its geoms. The address of ODE's geom is the first
    thing in the object, as in PyODE's.
    """

    cdef dGeomID gid
    cdef SpaceBase space
    cdef Body body
    cdef dict __dict__
    cdef object __weakref__

    def __init__(self, *arguments, **named):
        if self.gid is NULL:
            raise NotImplementedError("GeomObject is the base of all geoms: make one of a kind, such as GeomSphere")

    def __dealloc__(self):
        if self.gid is not NULL:
            dGeomDestroy(self.gid)

    @property
    def attribs(self):
        """The attributes that were set, by name."""
        return vars(self)

    def _id(self):
        """Return the address of ODE's geom."""
        return <size_t>self.gid

    def placeable(self):
        """Return whether the geom has a position: planes and spaces have none."""
        return has_place(self.gid)

    def isSpace(self):
        """Return whether the geom is a space, 1 or 0."""
        return dGeomIsSpace(self.gid)

    def getSpace(self):
        """Return the space that the geom is in, or None."""
        return self.space

    def setBody(self, Body body):
        """Let the geom move with a body; None: with none."""
        if not has_place(self.gid):
            raise ValueError("a geom without a position cannot move with a body")
        dGeomSetBody(self.gid, id_of(body))
        self.body = body

    def getBody(self):
        """Return the body that the geom moves with, or None."""
        return self.body

    def setPosition(self, pos):
        """Set where the geom and its body are."""
        dGeomSetPosition(placed(self), pos[0], pos[1], pos[2])

    def getPosition(self):
        """Return where the geom is."""
        return triple(dGeomGetPosition(placed(self)))

    def setRotation(self, R):
        """Set how the geom and its body are turned, as a matrix."""
        cdef dMatrix3 rotation
        read_rotation(R, rotation)
        dGeomSetRotation(placed(self), rotation)

    def getRotation(self):
        """Return how the geom is turned, as a list."""
        return list(rows(dGeomGetRotation(placed(self))))

    def setQuaternion(self, q):
        """Set how the geom and its body are turned, as a quaternion."""
        cdef dQuaternion quaternion
        read_quaternion(q, quaternion)
        dGeomSetQuaternion(placed(self), quaternion)

    def getQuaternion(self):
        """Return how the geom is turned, as a quaternion."""
        cdef dQuaternion q
        dGeomGetQuaternion(placed(self), q)
        return q[0], q[1], q[2], q[3]

    def setOffsetPosition(self, pos):
        """Set where the geom is in the frame of its body."""
        dGeomSetOffsetPosition(on_body(self), pos[0], pos[1], pos[2])

    def setOffsetRotation(self, R):
        """Set how the geom is turned in the frame of its body, as a matrix."""
        cdef dMatrix3 rotation
        read_rotation(R, rotation)
        dGeomSetOffsetRotation(on_body(self), rotation)

    def setOffsetQuaternion(self, q):
        """Set how the geom is turned in the frame of its body, as a quaternion."""
        cdef dQuaternion quaternion
        read_quaternion(q, quaternion)
        dGeomSetOffsetQuaternion(on_body(self), quaternion)

    def clearOffset(self):
        """Put the geom at the origin of its body."""
        dGeomClearOffset(self.gid)

    def getAABB(self):
        """Return the box round the geom: (x low, x high, y low, y high, z low, z high)."""
        cdef dReal[6] box
        dGeomGetAABB(self.gid, box)
        return box[0], box[1], box[2], box[3], box[4], box[5]

    def setCategoryBits(self, unsigned long bits):
        """Set the categories that the geom is in."""
        dGeomSetCategoryBits(self.gid, bits)

    def getCategoryBits(self):
        """Return the categories that the geom is in."""
        return dGeomGetCategoryBits(self.gid)

    def setCollideBits(self, unsigned long bits):
        """Set the categories that the geom collides with."""
        dGeomSetCollideBits(self.gid, bits)

    def getCollideBits(self):
        """Return the categories that the geom collides with."""
        return dGeomGetCollideBits(self.gid)

    def enable(self):
        """Let spaces look at the geom."""
        dGeomEnable(self.gid)

    def disable(self):
        """Let spaces pass over the geom."""
        dGeomDisable(self.gid)

    def isEnabled(self):
        """Return whether spaces look at the geom, 1 or 0."""
        return dGeomIsEnabled(self.gid)


cdef inline bint has_place(dGeomID gid):
    return not dGeomIsSpace(gid) and dGeomGetClass(gid) != dPlaneClass


cdef inline dGeomID placed(GeomObject geom) except NULL:
    """The address of a geom that has a position."""
    if not has_place(geom.gid):
        raise ValueError("planes and spaces have no position and no rotation")
    return geom.gid


cdef inline dGeomID on_body(GeomObject geom) except NULL:
    """The address of a geom that has a body."""
    if geom.body is None:
        raise ValueError("a geom without a body has no offset from one: call setBody first")
    return geom.gid


cdef inline dSpaceID id_of_space(SpaceBase space):
    return NULL if space is None else <dSpaceID>space.gid


cdef int adopt(GeomObject geom, SpaceBase space, dGeomID gid) except -1:
    """Take over a new geom of ODE."""
    geom.gid = gid
    geom.space = space
    _geom_c2py_lut[<size_t>gid] = geom
    return 0


cdef object known_geom(dGeomID gid):
    """The Python object of one of ODE's geoms, or None."""
    return None if gid is NULL else _geom_c2py_lut.get(<size_t>gid)
