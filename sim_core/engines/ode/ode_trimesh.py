"""Triangle meshes of libode, which PyODE does not support.

PyODE is built without its trimesh classes, but the libode that it loads has them. So a mesh is made by
libode's own functions, and a PyODE sphere represents it: the sphere's geom is destroyed, and its address is
replaced by that of the mesh. From then on PyODE moves it, passes it to callbacks and destroys it like any
other geom. The address is the first member of a PyODE geom; it is checked before it is written.

libode keeps pointers to the arrays of a mesh: a `MeshData` must live longer than its geoms.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import PhysicsError
from sim_core.engines.ode.ode_binding import library_function
from sim_core.engines.ode.pyode import ode

MOST_CONTACTS = 2048
"""Maximum number of contacts of two shapes that are considered; a dense mesh that lies flat has many."""
CONTACT_GEOM_DOUBLES = 12
"""Number of doubles of ODE's dContactGeom (ode/contact.h): position (4), normal (4), depth, two geoms, and in
the last one, as two 32-bit numbers, the triangles, -1 if none."""
_GEOM_OFFSET = object.__basicsize__

_pointer, _int = ctypes.c_void_p, ctypes.c_int
_make_data = library_function("dGeomTriMeshDataCreate", _pointer)
_build = library_function(
    "dGeomTriMeshDataBuildDouble", None, _pointer, _pointer, _int, _int, _pointer, _int, _int
)  # fmt: skip
_preprocess = library_function("dGeomTriMeshDataPreprocess2", _int, _pointer, ctypes.c_uint, _pointer)
_destroy_data = library_function("dGeomTriMeshDataDestroy", None, _pointer)
_make_mesh = library_function("dCreateTriMesh", _pointer, _pointer, _pointer, _pointer, _pointer, _pointer)
_destroy_geom = library_function("dGeomDestroy", None, _pointer)
_collide = library_function("dCollide", _int, _pointer, _pointer, _int, _pointer, _int)
_CONCAVE_EDGES_AND_FACE_ANGLES = 3


class MeshData:
    """Triangles of a mesh as libode reads them.

    Attributes:
        points: (n, 3) m. corners: (m, 3) indices of points.
    """

    def __init__(self, points: NDArray[np.float64], corners: NDArray[np.uint32]) -> None:
        if not (len(corners) and np.isfinite(points).all() and corners.max() < len(points)):
            raise PhysicsError("a mesh for ODE: found no triangles or points that are not finite")
        self.points = np.ascontiguousarray(points, np.float64)
        self.corners = np.ascontiguousarray(corners, np.uint32)
        self.pointer: int = _make_data()
        _build(
            self.pointer, self.points.ctypes.data, 24, len(self.points),
            self.corners.ctypes.data, self.corners.size, 12,
        )  # fmt: skip
        _preprocess(self.pointer, _CONCAVE_EDGES_AND_FACE_ANGLES, None)

    def __del__(self) -> None:
        _destroy_data(self.pointer)


def make_mesh_geom(data: MeshData) -> Any:
    """Return a PyODE geom of a mesh, in no space.

    Raises:
        PhysicsError: this build of PyODE has another memory layout of geoms.
    """
    geom = ode.GeomSphere(None, 1.0)
    sphere = geom._id()
    slot = ctypes.c_void_p.from_address(id(geom) + _GEOM_OFFSET)
    known = ode._geom_c2py_lut
    if slot.value != sphere or known.get(sphere) is not geom:
        raise PhysicsError("this build of PyODE keeps its geoms in an unknown layout")
    mesh = _make_mesh(None, data.pointer, None, None, None)
    del known[sphere]
    _destroy_geom(sphere)
    slot.value = mesh
    known[mesh] = geom
    return geom


class ContactBuffer:
    """Buffer for the contacts of two geoms.

    Attributes:
        rows: (MOST_CONTACTS, CONTACT_GEOM_DOUBLES) as ODE's dContactGeom.
    """

    def __init__(self) -> None:
        self.rows = np.zeros((MOST_CONTACTS, CONTACT_GEOM_DOUBLES))
        self._address = self.rows.ctypes.data

    def collide(self, first: Any, second: Any) -> int:
        """Fill the buffer with the contacts of two PyODE geoms, normals into the first; return their
        number."""
        count: int = _collide(
            first._id(), second._id(), MOST_CONTACTS, self._address, CONTACT_GEOM_DOUBLES * 8
        )
        return count
