# cython: language_level=3, always_allow_keywords=False, embedsignature=True
"""Open Dynamics Engine with the classes and methods of PyODE.

Written from ODE's C headers, for Pythons that Debian and Ubuntu build no PyODE for. Lengths, masses, angles and
times have no units in ODE; with metres, kilograms, radians and seconds forces are in newtons. Points, vectors and
axes are sequences of 3 numbers in the world's frame where nothing else is said, rotations sequences of 9, row by
row, and quaternions (w, x, y, z).

`__file__` is the shared library that libode is linked to: symbols of libode that are looked up in it are those of
the libode that the objects here belong to.
"""

cimport cython
from libc.stdlib cimport calloc, free

from libode cimport *

import weakref
from array import array

_geom_c2py_lut = weakref.WeakValueDictionary()
"""The geoms by the addresses of ODE's geoms."""

environment = None
"""PyODE's place for the objects of its XML parser, which is not here."""


cdef inline tuple triple(const dReal* vector):
    return vector[0], vector[1], vector[2]


cdef inline tuple rows(const dReal* matrix):
    """A rotation, which ODE keeps with 4 numbers to a row."""
    return (matrix[0], matrix[1], matrix[2], matrix[4], matrix[5], matrix[6], matrix[8], matrix[9], matrix[10])


cdef int read_rotation(object rotation, dReal* matrix) except -1:
    cdef int index
    for index in range(9):
        matrix[index + index // 3] = rotation[index]
    matrix[3] = matrix[7] = matrix[11] = 0.0
    return 0


cdef int read_quaternion(object quaternion, dReal* result) except -1:
    cdef int index
    for index in range(4):
        result[index] = quaternion[index]
    return 0


include "constants.pxi"
include "mass.pxi"
include "world.pxi"
include "body.pxi"
include "contact.pxi"
include "joint.pxi"
include "joints.pxi"
include "motors.pxi"
include "geom.pxi"
include "space.pxi"
include "geoms.pxi"
include "meshes.pxi"
include "collision.pxi"


def InitODE():
    """Make ODE ready; done when this module is imported, and needed again only after `CloseODE`."""
    dInitODE2(0)
    dAllocateODEDataForThread(dAllocateMaskAll)


def CloseODE():
    """Release what ODE holds for itself, when all objects are gone."""
    dCloseODE()


InitODE()
