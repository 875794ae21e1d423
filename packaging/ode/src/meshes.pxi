@cython.no_gc  # ODE refers to the arrays, which hold no objects
cdef class TriMeshData:
    """The triangles of a mesh."""

    cdef dTriMeshDataID of_ode
    cdef object points
    cdef object corners

    def __cinit__(self):
        self.of_ode = dGeomTriMeshDataCreate()

    def __init__(self):
        pass

    def __dealloc__(self):
        if self.of_ode is not NULL:
            dGeomTriMeshDataDestroy(self.of_ode)

    def build(self, verts, faces):
        """Set the mesh, once: points, and triangles as 3 indices of points, anticlockwise seen from outside."""
        if self.points is not None:
            raise ValueError("the mesh is built already")
        points = array("d", [number for point in verts for number in (point[0], point[1], point[2])])
        corners = array("I", [index for face in faces for index in (face[0], face[1], face[2])])
        if not points or not corners:
            raise ValueError("mesh: found no points or no triangles")
        if max(corners) >= len(points) // 3:
            raise ValueError(f"mesh: found point {max(corners)} in a triangle, expected 0 to {len(points) // 3 - 1}")
        cdef double[::1] numbers = points
        cdef unsigned int[::1] indices = corners
        dGeomTriMeshDataBuildDouble(
            self.of_ode, &numbers[0], 3 * sizeof(double), numbers.shape[0] // 3,
            &indices[0], indices.shape[0], 3 * sizeof(unsigned int),
        )
        # without it spheres and capsules are caught by edges inside a face
        dGeomTriMeshDataPreprocess2(
            self.of_ode,
            1 << dTRIDATAPREPROCESS_BUILD_CONCAVE_EDGES | 1 << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL,
        )
        self.points, self.corners = points, corners


@cython.no_gc_clear  # ODE's geom refers to the data
cdef class GeomTriMesh(GeomObject):
    """A mesh of triangles."""

    cdef TriMeshData data

    def __cinit__(self, TriMeshData data not None, SpaceBase space=None):
        if data.points is None:
            raise ValueError("the mesh is not built: call build first")
        self.data = data
        adopt(self, space, dCreateTriMesh(id_of_space(space), data.of_ode, NULL, NULL, NULL))

    def clearTCCache(self):
        """Forget what earlier collisions found, after the geom has jumped."""
        dGeomTriMeshClearTCCache(self.gid)

    def getTriangleCount(self):
        """Return how many triangles there are."""
        return dGeomTriMeshGetTriangleCount(self.gid)

    def getTriangle(self, int idx):
        """Return the three points of a triangle, in the world's frame."""
        cdef dVector3 a, b, c
        if not 0 <= idx < dGeomTriMeshGetTriangleCount(self.gid):
            raise IndexError(f"triangle: found {idx}, expected 0 to {dGeomTriMeshGetTriangleCount(self.gid) - 1}")
        dGeomTriMeshGetTriangle(self.gid, idx, &a, &b, &c)
        return triple(a), triple(b), triple(c)


cdef class HeightfieldData:
    """Heights on a grid, along y over the x-z plane; the grid is `width` by `depth` large and centred.

    The heights are a contiguous array of one dimension, row by row along x; without `copy` they are read where they
    are. They are scaled and shifted by `scale` and `offset`; the ground below is `thickness` thick. With `bWrap` the
    grid repeats without end.
    """

    cdef dHeightfieldDataID of_ode
    cdef object heights
    cdef object userdata
    cdef object callback

    def __cinit__(self, *arguments, **named):
        self.of_ode = dGeomHeightfieldDataCreate()

    def __dealloc__(self):
        dGeomHeightfieldDataDestroy(self.of_ode)

    def buildByte(self, const unsigned char[::1] heightData not None, int copy, double width, double depth,
                  int widthSamples, int depthSamples, double scale, double offset, double thickness, int bWrap):
        """Set the heights, as unsigned bytes."""
        check_grid(heightData.shape[0], widthSamples, depthSamples)
        dGeomHeightfieldDataBuildByte(self.of_ode, &heightData[0], copy, width, depth, widthSamples, depthSamples,
                                      scale, offset, thickness, bWrap)
        self.heights = heightData

    def buildShort(self, const short[::1] heightData not None, int copy, double width, double depth,
                   int widthSamples, int depthSamples, double scale, double offset, double thickness, int bWrap):
        """Set the heights, as integers of 16 bits."""
        check_grid(heightData.shape[0], widthSamples, depthSamples)
        dGeomHeightfieldDataBuildShort(self.of_ode, &heightData[0], copy, width, depth, widthSamples, depthSamples,
                                       scale, offset, thickness, bWrap)
        self.heights = heightData

    def buildSingle(self, const float[::1] heightData not None, int copy, double width, double depth,
                    int widthSamples, int depthSamples, double scale, double offset, double thickness, int bWrap):
        """Set the heights, as reals of 32 bits."""
        check_grid(heightData.shape[0], widthSamples, depthSamples)
        dGeomHeightfieldDataBuildSingle(self.of_ode, &heightData[0], copy, width, depth, widthSamples, depthSamples,
                                        scale, offset, thickness, bWrap)
        self.heights = heightData

    def buildDouble(self, const double[::1] heightData not None, int copy, double width, double depth,
                    int widthSamples, int depthSamples, double scale, double offset, double thickness, int bWrap):
        """Set the heights, as reals of 64 bits."""
        check_grid(heightData.shape[0], widthSamples, depthSamples)
        dGeomHeightfieldDataBuildDouble(self.of_ode, &heightData[0], copy, width, depth, widthSamples, depthSamples,
                                        scale, offset, thickness, bWrap)
        self.heights = heightData

    def build_callback(self, userdata, callback, double width, double depth, int widthSamples, int depthSamples,
                       double scale, double offset, double thickness, int bwrap):
        """Let `callback(userdata, x, z)` give the height at each point of the grid."""
        self.userdata, self.callback = userdata, callback
        dGeomHeightfieldDataBuildCallback(self.of_ode, <void*>self, ask_height, width, depth, widthSamples,
                                          depthSamples, scale, offset, thickness, bwrap)

    def setBounds(self, double min_height, double max_height):
        """Set between what heights the ground is, where ODE cannot know."""
        dGeomHeightfieldDataSetBounds(self.of_ode, min_height, max_height)


cdef dReal ask_height(void* data, int x, int z) noexcept:
    cdef HeightfieldData asked = <HeightfieldData>data
    return asked.callback(asked.userdata, x, z)


cdef int check_grid(Py_ssize_t count, int width, int depth) except -1:
    """Check what ends the process in ODE, or reads behind the array."""
    if width < 2 or depth < 2 or count < <Py_ssize_t>width * depth:
        raise ValueError(f"heightfield: found {count} heights for {width} times {depth} samples")
    return 0


@cython.no_gc_clear  # ODE's geom refers to the data
cdef class GeomHeightfield(GeomObject):
    """Ground of given heights."""

    cdef HeightfieldData data

    def __cinit__(self, HeightfieldData data not None, int placeable=1, SpaceBase space=None):
        self.data = data
        adopt(self, space, dCreateHeightfield(id_of_space(space), data.of_ode, placeable))

    def setHeightfieldData(self, HeightfieldData data not None):
        """Set the heights."""
        dGeomHeightfieldSetHeightfieldData(self.gid, data.of_ode)
        self.data = data
