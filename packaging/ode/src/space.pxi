cdef class SpaceBase(GeomObject):
    """A set of geoms, itself one; it finds those that may touch. It does not keep its geoms alive."""

    def __init__(self, *arguments, **named):
        if self.gid is NULL:
            raise NotImplementedError("SpaceBase is the base of all spaces: make one of a kind, such as HashSpace")

    def __len__(self):
        return dSpaceGetNumGeoms(id_of_space(self))

    def __iter__(self):
        cdef int index
        for index in range(dSpaceGetNumGeoms(id_of_space(self))):
            yield self.getGeom(index)

    def add(self, GeomObject geom not None):
        """Add a geom that is in no space."""
        if geom.space is not None:
            raise ValueError("the geom is in a space already")
        dSpaceAdd(id_of_space(self), geom.gid)
        geom.space = self

    def remove(self, GeomObject geom not None):
        """Take a geom out."""
        if geom.space is not self:
            raise ValueError("the geom is not in this space")
        dSpaceRemove(id_of_space(self), geom.gid)
        geom.space = None

    def query(self, GeomObject geom not None):
        """Return whether a geom is in this space, 1 or 0."""
        return dSpaceQuery(id_of_space(self), geom.gid)

    def getNumGeoms(self):
        """Return how many geoms are in this space."""
        return dSpaceGetNumGeoms(id_of_space(self))

    def getGeom(self, int idx):
        """Return a geom by its index, the newest first."""
        if not 0 <= idx < dSpaceGetNumGeoms(id_of_space(self)):
            raise IndexError(f"geom of a space: found {idx}, expected 0 to {dSpaceGetNumGeoms(id_of_space(self)) - 1}")
        return _geom_c2py_lut[<size_t>dSpaceGetGeom(id_of_space(self), idx)]

    def setManualCleanup(self, int mode):
        """Let ODE tidy up the space while threads collide it (0), or only when `clean` is called (1)."""
        dSpaceSetManualCleanup(id_of_space(self), mode)

    def getManualCleanup(self):
        """Return the mode that `setManualCleanup` sets."""
        return dSpaceGetManualCleanup(id_of_space(self))

    def setCleanup(self, int mode):
        """Let the geoms be destroyed with the space (1), or not (0)."""
        dSpaceSetCleanup(id_of_space(self), mode)

    def getCleanup(self):
        """Return the mode that `setCleanup` sets."""
        return dSpaceGetCleanup(id_of_space(self))

    def setSublevel(self, int sublevel):
        """Set how deep the space is nested: `collide2` takes the deeper one of two spaces apart last."""
        dSpaceSetSublevel(id_of_space(self), sublevel)

    def getSublevel(self):
        """Return how deep the space is nested."""
        return dSpaceGetSublevel(id_of_space(self))

    def clean(self):
        """Bring the boxes round all geoms up to date."""
        dSpaceClean(id_of_space(self))

    def collide(self, arg, callback):
        """Call `callback(arg, geom1, geom2)` with each two geoms of this space that may touch.

        What the callback raises first is raised here, and the pairs after that are passed over.
        """
        cdef Search search = Search(arg, callback)
        dSpaceCollide(id_of_space(self), <void*>search, tell_pair)
        search.end()


cdef int adopt_space(SpaceBase made, SpaceBase parent, dSpaceID sid) except -1:
    """Take over a new space of ODE; its geoms belong to Python."""
    dSpaceSetCleanup(sid, 0)
    return adopt(made, parent, <dGeomID>sid)


cdef class SimpleSpace(SpaceBase):
    """Looks at each two of its geoms; for few."""

    def __cinit__(self, SpaceBase space=None):
        adopt_space(self, space, dSimpleSpaceCreate(id_of_space(space)))


cdef class HashSpace(SpaceBase):
    """Sorts its geoms into grids of several cell sizes."""

    def __cinit__(self, SpaceBase space=None):
        adopt_space(self, space, dHashSpaceCreate(id_of_space(space)))

    def setLevels(self, int minlevel, int maxlevel):
        """Set the sizes of the smallest and the largest cells, as powers of 2."""
        if minlevel > maxlevel:
            raise ValueError(f"levels: found {minlevel} and {maxlevel}, expected the lower one first")
        dHashSpaceSetLevels(id_of_space(self), minlevel, maxlevel)

    def getLevels(self):
        """Return the sizes of the smallest and the largest cells, as powers of 2."""
        cdef int low, high
        dHashSpaceGetLevels(id_of_space(self), &low, &high)
        return low, high


cdef class QuadTreeSpace(SpaceBase):
    """Sorts its geoms into a tree of quarters of a region."""

    def __cinit__(self, center, extents, int depth, SpaceBase space=None):
        cdef dVector3 middle, half
        middle[0], middle[1], middle[2], middle[3] = center[0], center[1], center[2], 0.0
        half[0], half[1], half[2], half[3] = extents[0], extents[1], extents[2], 0.0
        adopt_space(self, space, dQuadTreeSpaceCreate(id_of_space(space), middle, half, depth))

    def getGeom(self, int idx):
        """Raise NotImplementedError: ODE cannot list the geoms of this kind of space, and would end the process."""
        raise NotImplementedError("the geoms of a QuadTreeSpace cannot be listed")


cdef class SAPSpace(SpaceBase):
    """Sorts its geoms along the x axis, then compares them along y and z (sweep and prune)."""

    def __cinit__(self, SpaceBase space=None, axes=None):  # PyODE's second argument has no effect either
        adopt_space(self, space, dSweepAndPruneSpaceCreate(id_of_space(space), dSAP_AXES_XYZ))


def Space(space_type=0):
    """Return a new SimpleSpace (0) or HashSpace (1)."""
    if space_type == 0:
        return SimpleSpace()
    if space_type == 1:
        return HashSpace()
    raise ValueError(f"space type: found {space_type}, expected 0 (SimpleSpace) or 1 (HashSpace)")
