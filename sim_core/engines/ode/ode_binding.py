"""Parts of PyODE that need care: constants, checked setters, raw state of bodies.

PyODE's own constants above `ParamVel` do not match ODE 0.16, and a value that is not finite makes ODE end the
whole process. So the rest of the physics uses the constants here and passes external numbers through the
checks here. `docs/physics.md` lists the measurements.
"""

from __future__ import annotations

import ctypes
import math
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Mat3, Vec3, is_possible_inertia
from sim_core.engines.ode.pyode import ode

# Joint parameters (ode/common.h, D_ALL_PARAM_NAMES); add AXIS2 or AXIS3 for a joint's further axes.
LO_STOP, HI_STOP, VELOCITY, LO_VELOCITY, HI_VELOCITY, MAX_FORCE, FUDGE_FACTOR, BOUNCE = range(8)
CFM, STOP_ERP, STOP_CFM, SUSPENSION_ERP, SUSPENSION_CFM, ERP = range(8, 14)
AXIS2, AXIS3 = 256, 512

# Contact flags (ode/contact.h). Without CONTACT_APPROX1, mu is a force in newtons, not a coefficient.
CONTACT_MU2 = 0x001
CONTACT_FDIR1 = 0x002
CONTACT_BOUNCE = 0x004
CONTACT_SOFT_ERP = 0x008
CONTACT_SOFT_CFM = 0x010
CONTACT_MOTION1 = 0x020
CONTACT_MOTION2 = 0x040
CONTACT_SLIP1 = 0x100
CONTACT_SLIP2 = 0x200
CONTACT_ROLLING = 0x400
CONTACT_APPROX1 = 0x7000

CONTACT_DOUBLES = 31
"""Size of ODE's dContact (ode/contact.h) in doubles."""
RHO = 3
"""Index of the coefficients of rolling friction in it."""

LARGEST = 1e15
"""Largest force, torque or speed accepted: a step with it does not overflow; the state check then finds
it."""
FARTHEST = 1e12
"""Positions (m) and speeds (m/s, rad/s) from here on are regarded as not finite."""

_STATE_BYTES = 224
"""Position (4 doubles), rotation (12), quaternion (4), linear (4) and angular velocity (4) of a body."""
STATE_DOUBLES = _STATE_BYTES // 8
ROTATION, QUATERNION = slice(4, 16), slice(16, 20)
"""Slices of these: the rotation (rows of 4, of which 3 are used) and the quaternion."""
_SLEEP_TIME = 320
"""Offset, from the position, of the time after which a slow body is put to sleep."""
WHOLE_DOUBLES = 46
"""Number of doubles that `read_whole_state` reads."""
MOVED_DOUBLES = STATE_DOUBLES + 8
"""The first of these: the state, and the accumulated force and torque (4 doubles each)."""
FORCES = slice(STATE_DOUBLES, MOVED_DOUBLES)
"""Accumulated force and torque for the next step."""
SETTINGS = slice(40, 44)
"""The sleep settings among these, which do not change."""
UNUSED = 2 * WHOLE_DOUBLES - 1
"""Index, in 32-bit words, of padding behind the last one, the number of steps until sleep."""
PLACE_BYTES = 160
"""Bytes of position, rotation and quaternion in a state."""

_OFFSETS = {
    "Rotation": 32,
    "Quaternion": 128,
    "LinearVel": 160,
    "AngularVel": 192,
    "Force": 224,
    "Torque": 256,
}
"""Byte offsets from the position."""

# Symbols are looked up through PyODE's own module, so that they are those of the library that it uses.
_library = ctypes.CDLL(ode.__file__)


def library_function(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of libode by name, with the ctypes of its result (None: it has none) and
    arguments."""
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_body_world = library_function("dBodyGetWorld", ctypes.c_void_p, ctypes.c_void_p)
_make_group = library_function("dJointGroupCreate", ctypes.c_void_p, ctypes.c_int)
_empty_group = library_function("dJointGroupEmpty", None, ctypes.c_void_p)
_destroy_group = library_function("dJointGroupDestroy", None, ctypes.c_void_p)
_set_geom_data = library_function("dGeomSetData", None, ctypes.c_void_p, ctypes.c_void_p)
_geom_body = library_function("dGeomGetBody", ctypes.c_void_p, ctypes.c_void_p)
_body_position = library_function("dBodyGetPosition", ctypes.c_void_p, ctypes.c_void_p)
_others = tuple(
    (library_function("dBodyGet" + name, ctypes.c_void_p, ctypes.c_void_p), offset)
    for name, offset in _OFFSETS.items()
)
_sleep_time = library_function("dBodyGetAutoDisableTime", ctypes.c_double, ctypes.c_void_p)
_set_linear_damping = library_function("dBodySetLinearDamping", None, ctypes.c_void_p, ctypes.c_double)
_set_angular_damping = library_function("dBodySetAngularDamping", None, ctypes.c_void_p, ctypes.c_double)
_set_linear_damping_from = library_function(
    "dBodySetLinearDampingThreshold", None, ctypes.c_void_p, ctypes.c_double
)
_set_angular_damping_from = library_function(
    "dBodySetAngularDampingThreshold", None, ctypes.c_void_p, ctypes.c_double
)
_message_handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_set_message_handler = library_function("dSetMessageHandler", None, _message_handler)
_seed_solver = library_function("dRandSetSeed", None, ctypes.c_ulong)
_solver_seed = library_function("dRandGetSeed", ctypes.c_ulong)
_generator = threading.Lock()


@_message_handler
def _drop_message(number: int, text: bytes, arguments: int) -> None:
    """Ignore ODE's message on stderr that its exact solver met a tie and gave up; users cannot act on it."""


_set_message_handler(_drop_message)


def finite(what: str, *values: float, limit: float = LARGEST) -> None:
    """Check that numbers are finite before they are passed to ODE.

    Raises:
        PhysicsError: one is not finite or exceeds the limit.
    """
    for value in values:
        if not -limit <= value <= limit:
            raise PhysicsError(f"{what}: found {value}, expected a finite number up to {limit:g}")


def positive(what: str, *values: float) -> None:
    """Check sizes, masses and steps before they are passed to ODE.

    Raises:
        PhysicsError: one is not finite, or not above 0.
    """
    for value in values:
        if not 0.0 < value <= LARGEST:
            raise PhysicsError(f"{what}: found {value}, expected a finite number above 0")


def make_mass(mass: float, inertia: Mat3) -> Any:
    """Return an ODE mass whose centre is the body's origin.

    Args:
        mass: kg.
        inertia: nine components about the centre of mass, row by row, kg·m².

    Raises:
        PhysicsError: mass or inertia is impossible.
    """
    positive("mass", mass)
    positive("moments of inertia", inertia[0], inertia[4], inertia[8])
    finite("products of inertia", inertia[1], inertia[2], inertia[5])
    if not is_possible_inertia(inertia):
        shown = " ".join(f"{value:g}" for value in inertia)
        raise PhysicsError(f"inertia: found {shown}, expected a positive definite matrix, and not by a hair")
    result = ode.Mass()
    result.setParameters(
        mass, 0.0, 0.0, 0.0, inertia[0], inertia[4], inertia[8], inertia[1], inertia[2], inertia[5]
    )
    return result


def set_motor(joint: Any, velocity: float, max_effort: float, axis: int = 0) -> None:
    """Drive an axis of a joint at a velocity with at most this force or torque.

    Raises:
        PhysicsError: a value is not finite, or the effort is negative.
    """
    if not (-LARGEST <= velocity <= LARGEST and max_effort >= 0.0):
        raise PhysicsError(
            f"joint motor: found velocity {velocity} and effort {max_effort}, expected finite numbers"
        )
    joint.setParam(VELOCITY + axis, velocity)
    joint.setParam(MAX_FORCE + axis, max_effort)


def quick_step(world: Any, seconds: float, seed: int) -> int:
    """Make a step with ODE's iterative solver, whose random generator all worlds of a process share.

    Args:
        seed: state of the generator for this world, 0 to 2³² - 1.

    Returns:
        The state of the generator after the step.
    """
    with _generator:
        _seed_solver(seed)
        world.quickStep(seconds)
        return int(_solver_seed())


def body_pointer(body: Any) -> int:
    """Return the address of the ODE body of a PyODE body, using a temporarily attached geom."""
    geom = ode.GeomSphere(None, 1.0)
    geom.setBody(body)
    pointer = _geom_body(geom._id())
    geom.setBody(None)
    return pointer


def mark_geom(geom: Any, mark: int) -> None:
    """Store a number with a geom; the search for nearby geoms leaves out pairs with the same mark but 0."""
    _set_geom_data(geom._id(), mark)


def world_pointer(body: Any) -> int:
    """Return the address of the ODE world of a PyODE body."""
    return _body_world(body_pointer(body))


class ContactGroup:
    """Group of contact joints that compiled code makes.

    Attributes:
        pointer: address of the ODE joint group.
    """

    def __init__(self) -> None:
        self.pointer: int = _make_group(0)

    def empty(self) -> None:
        """Destroy its joints."""
        _empty_group(self.pointer)

    def __del__(self) -> None:
        _destroy_group(self.pointer)


def raw_contact(contact: Any) -> list[float]:
    """Return a PyODE contact's surface as the doubles of a dContact, with position and direction 0."""
    mode = struct.unpack("<d", struct.pack("<q", contact.getMode()))[0]
    surface = [contact.getMu(), contact.getMu2(), 0.0, 0.0, 0.0, contact.getBounce(), contact.getBounceVel()]
    surface += [
        contact.getSoftERP(),
        contact.getSoftCFM(),
        0.0,
        0.0,
        0.0,
        contact.getSlip1(),
        contact.getSlip2(),
    ]
    return [mode, *surface, *([0.0] * (CONTACT_DOUBLES - 15))]


def set_rolling(contact: Any, rho: float, rho2: float, rho_n: float) -> None:
    """Set rolling friction about direction 1, direction 2 and the normal, m, for which PyODE has no setter.

    Raises:
        PhysicsError: this build of PyODE has another memory layout of contacts.
    """
    head = object.__basicsize__
    doubles = (ctypes.c_double * CONTACT_DOUBLES).from_address(id(contact) + head)
    if type(contact).__basicsize__ != head + 8 * CONTACT_DOUBLES or doubles[1] != contact.getMu():
        raise PhysicsError("this build of PyODE keeps its contacts in an unknown layout")
    doubles[RHO], doubles[RHO + 1], doubles[RHO + 2] = rho, rho2, rho_n


def state_address(body: Any) -> int:
    """Return the address of a body's state, STATE_DOUBLES doubles, valid while the body exists.

    Raises:
        PhysicsError: this build of ODE has another memory layout of bodies.
    """
    pointer = body_pointer(body)
    start = _body_position(pointer)
    time = ctypes.c_double.from_address(start + _SLEEP_TIME).value
    if time != _sleep_time(pointer) or any(
        function(pointer) - start != offset for function, offset in _others
    ):
        raise PhysicsError("this build of ODE keeps the state of a body in an unknown layout")
    return start


def read_state(address: int) -> bytes:
    """Return a copy of the state of a body, for `write_state`."""
    return ctypes.string_at(address, _STATE_BYTES)


def write_state(address: int, state: bytes) -> None:
    """Overwrite the state of a body."""
    if len(state) != _STATE_BYTES:
        raise PhysicsError(f"state of a body: found {len(state)} bytes, expected {_STATE_BYTES}")
    ctypes.memmove(address, state, _STATE_BYTES)


def read_pose(address: int) -> bytes:
    """Return a copy of the pose of a body, for `at_pose`."""
    return ctypes.string_at(address, PLACE_BYTES)


@contextmanager
def at_pose(address: int, place: bytes) -> Iterator[None]:
    """Move a body in ODE within a block only; its geoms are not notified.

    Raises:
        PhysicsError: the bytes are not a pose.
    """
    if len(place) != PLACE_BYTES:
        raise PhysicsError(f"place of a body: found {len(place)} bytes, expected {PLACE_BYTES}")
    now = read_pose(address)
    ctypes.memmove(address, place, PLACE_BYTES)
    try:
        yield
    finally:
        ctypes.memmove(address, now, PLACE_BYTES)


def read_whole_state(address: int) -> bytes:
    """Return a copy of all that changes in a body, including accumulated forces and sleep counters.

    After the state ODE stores force, torque, an axis, four sleep settings, and the time and steps that are
    left until sleep (`dxBody` in ode/src/objects.h).
    """
    return ctypes.string_at(address, 8 * WHOLE_DOUBLES)


def forces_in(state: Sequence[float]) -> tuple[Vec3, Vec3]:
    """Return accumulated force and torque, N and N·m, in the doubles of a `read_whole_state`."""
    fx, fy, fz, _, tx, ty, tz, _ = state[FORCES]
    return (fx, fy, fz), (tx, ty, tz)


def write_whole_state(address: int, state: bytes) -> None:
    """Restore a copy of `read_whole_state`."""
    if len(state) != 8 * WHOLE_DOUBLES:
        raise PhysicsError(f"state of a body: found {len(state)} bytes, expected {8 * WHOLE_DOUBLES}")
    ctypes.memmove(address, state, 8 * WHOLE_DOUBLES)


def set_damping(body: Any, linear: float, angular: float) -> None:
    """Set the fractions of its velocity that a body loses in each step, at any speed."""
    for value in (linear, angular):
        if not 0.0 <= value <= 1.0:
            raise PhysicsError(f"damping: found {value}, expected 0 to 1")
    pointer = body_pointer(body)
    _set_linear_damping(pointer, linear)
    _set_angular_damping(pointer, angular)
    _set_linear_damping_from(pointer, 0.0)
    _set_angular_damping_from(pointer, 0.0)


def is_rotation(rotation: tuple[float, ...]) -> bool:
    """Return True if nine finite numbers are close to a rotation matrix."""
    if not all(math.isfinite(value) for value in rotation):
        return False
    rows = (rotation[0:3], rotation[3:6], rotation[6:9])
    lengths = [sum(value * value for value in row) for row in rows]
    return all(abs(length - 1.0) < 1e-6 for length in lengths)
