"""Compiled loops of every step over all bodies.

Contacts with floors, the search for nearby shapes, the exact solver and the copy of the state are one call if
no contact is left for Python: a call from Python costs as much as a loop over a few bodies.

The loops call the same libode that PyODE has loaded, by the symbols in its module; the layout of a contact is
that of ode/contact.h. Python's lock is held, as in PyODE's calls.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from llvmlite import binding
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

from sim_core.base.compiled import callback, compiled
from sim_core.engines.ode.ode_binding import CONTACT_DOUBLES, FARTHEST, STATE_DOUBLES
from sim_core.engines.ode.pyode import ode

binding.load_library_permanently(ode.__file__)

_create_contact = types.ExternalFunction(
    "dJointCreateContact", types.intp(types.intp, types.intp, types.intp)
)
_attach = types.ExternalFunction("dJointAttach", types.void(types.intp, types.intp, types.intp))
_empty_group = types.ExternalFunction("dJointGroupEmpty", types.void(types.intp))
_is_enabled = types.ExternalFunction("dBodyIsEnabled", types.int32(types.intp))
_step = types.ExternalFunction("dWorldStep", types.int32(types.intp, types.float64))
_count_geoms = types.ExternalFunction("dSpaceGetNumGeoms", types.int32(types.intp))
_geom_of = types.ExternalFunction("dSpaceGetGeom", types.intp(types.intp, types.int32))
_mark_of = types.ExternalFunction("dGeomGetData", types.intp(types.intp))
_is_space = types.ExternalFunction("dGeomIsSpace", types.int32(types.intp))
_collide = types.ExternalFunction("dSpaceCollide", types.void(types.intp, types.intp, types.intp))
_collide2 = types.ExternalFunction(
    "dSpaceCollide2", types.void(types.intp, types.intp, types.intp, types.intp)
)

SOFT_ERP, SOFT_CFM, POSITION, NORMAL, DEPTH, DIRECTION = 8, 9, 15, 19, 23, 27
"""Offsets of the parts of a dContact, in doubles."""

WHEEL, BALL, OTHER = 0, 1, 2
"""Kind of a row of the shape table; OTHER: only tested for whether it reaches the floor."""
KIND, STATE, BODY, COLUMN, SURFACE, NEEDS_VELOCITY, INTS = 0, 1, 2, 3, 4, 5, 6
"""Integer columns of the shape table: kind, address of the body's state, pointer to the body, column of the
body's rotation matrix that is the axis of a wheel, number of the surface, whether the contact depends on the
velocity (0, 1 or ROLLS); number of columns."""
RADIUS, OFFSET, ROTATION, EXTENT, ROUND, ROUND_Z = 0, 1, 4, 13, 16, 17
HEIGHT, CENTRE, AXES, HALF, THICKNESS, BOUNCE_SPEED, REACH, SHARES, REALS = 18, 19, 21, 25, 27, 28, 29, 30, 33
"""First float column of each item; lengths in m. Of the shape: radius; position (3) and rotation (9) in the
body; half extents of a box (3), its rounding on all sides, and about z. Of the floor: height; x, y of its
centre; x, y of its two axes (4); half sizes (2); thickness. Of the contact: speed from which on it bounces;
distance of the farthest point of the shape from its centre; `Surface.shares` (3). Last: number of columns."""
HEADER = 9
QUATERNION = 16
"""Offset of the quaternion in the state of a body. Before it are the position (0 to 2) and the rows of the
rotation matrix (from 4, 8 and 12), behind it linear velocity (20 to 22) and angular velocity (24 to 26). Each
vector is padded to four numbers, as in ODE."""
SLIDES_FROM = 1e-6
"""Square of the sliding speed (m²/s²) from which on friction acts against the motion."""
ROLLS_FROM = 1e-12
"""Square of the rolling speed (rad²/s²) from which on rolling friction acts against the rolling."""
ROLLS = 2
"""NEEDS_VELOCITY of a surface with rolling friction."""
STICK, SLIDE, BOUNCE_STICK, BOUNCE_SLIDE = range(4)

BAD, GOOD, LEFT = range(3)
"""Results of `advance`: a bad state, a good one, or none yet: contacts are left for Python."""
# fields of the header of a StepTable
FLOORS, MOVING, STILL, HOLDERS, CALLBACK, PAIRS, ROOM, FOUND, FLAGGED, IS_NESTED = range(10)
WORLD, STATES, SECONDS, STEP_HEADER = range(10, 14)


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    """Convert an address to a pointer for `carray`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@compiled("int64(int64)", nogil=False)
def touch_floors(table: Any) -> Any:
    """Create the contacts of wheels and balls with level floors, replacing those of the previous step.

    A wheel touches with the lowest point of its middle plane, a ball with its lowest point. Friction acts
    against the sliding if that is faster than the square root of SLIDES_FROM.

    Args:
        table: address of a FloorTable, whose arrays are described there; passing one number is faster than
            passing many arrays.

    Returns:
        Number of rows flagged.
    """
    header = carray(_pointer(table), (HEADER,), types.int64)
    rows, world, group = header[5], header[7], header[8]
    ints = carray(_pointer(header[0]), (rows, INTS), types.int64)
    reals = carray(_pointer(header[1]), (rows, REALS), types.float64)
    contacts = carray(_pointer(header[2]), (header[6], 4, CONTACT_DOUBLES), types.float64)
    points = carray(_pointer(header[3]), (rows, 5), types.float64)
    flagged = carray(_pointer(header[4]), (rows + 1,), types.int64)
    _empty_group(group)
    count = made = 0
    for row in range(rows):
        kind = ints[row, KIND]
        state = carray(_pointer(ints[row, STATE]), (STATE_DOUBLES,), types.float64)
        height = reals[row, HEIGHT]
        x, y, z = reals[row, OFFSET], reals[row, OFFSET + 1], reals[row, OFFSET + 2]
        # offset of the shape's centre from the body's origin
        rx = state[4] * x + state[5] * y + state[6] * z
        ry = state[8] * x + state[9] * y + state[10] * z
        rz = state[12] * x + state[13] * y + state[14] * z
        u, v = state[0] + rx - reals[row, CENTRE], state[1] + ry - reals[row, CENTRE + 1]
        reach = reals[row, REACH]
        if (
            abs(u * reals[row, AXES] + v * reals[row, AXES + 1]) > reals[row, HALF] + reach
            or abs(u * reals[row, AXES + 2] + v * reals[row, AXES + 3]) > reals[row, HALF + 1] + reach
            or state[2] + rz + reach < height - reals[row, THICKNESS]
        ):
            continue  # beside or below the floor
        radius = reals[row, RADIUS]
        reaches = False
        if kind == WHEEL:
            column = ints[row, COLUMN]
            ax, ay, az = state[4 + column], state[8 + column], state[12 + column]
            tilt = az * az  # squared cosine between the axis and the vertical
            if tilt > 0.25:  # it lies on its side: left to Python if it reaches the floor
                reaches = state[2] + rz - radius < height
            else:
                level = sqrt(1.0 - tilt)
                along = radius * az / level
                rx, ry, rz = rx + along * ax, ry + along * ay, rz - radius * level
        elif kind == BALL:
            rz -= radius
        else:
            extent = reals[row, ROUND]
            for k in range(3):
                up = 0.0
                for j in range(3):
                    up += state[12 + j] * reals[row, ROTATION + 3 * j + k]
                extent += reals[row, EXTENT + k] * abs(up)
                if k == 2:
                    extent += reals[row, ROUND_Z] * sqrt(max(0.0, 1.0 - up * up))
            reaches = state[2] + rz - extent < height
        if not reaches:
            if kind == OTHER:
                continue
            if kind == WHEEL and state[12 + ints[row, COLUMN]] ** 2 > 0.25:
                continue
            depth = height - state[2] - rz
            if not depth >= 0.0:  # also if it is not a number
                continue
            if _is_enabled(ints[row, BODY]) == 0:
                continue
            px, py, pz = state[0] + rx, state[1] + ry, state[2] + rz
            u, v = px - reals[row, CENTRE], py - reals[row, CENTRE + 1]
            a = abs(u * reals[row, AXES] + v * reals[row, AXES + 1])
            b = abs(u * reals[row, AXES + 2] + v * reals[row, AXES + 3])
            # a contact below the floor or beside its edge is left to Python
            reaches = depth >= reals[row, THICKNESS] or a > reals[row, HALF] or b > reals[row, HALF + 1]
        if reaches:
            flagged[count] = row
            count += 1
            continue
        which = STICK
        if ints[row, NEEDS_VELOCITY]:
            wx, wy, wz = state[24], state[25], state[26]
            ux = state[20] + wy * rz - wz * ry
            uy = state[21] + wz * rx - wx * rz
            uz = state[22] + wx * ry - wy * rx
            speed = ux * ux + uy * uy
            if speed > SLIDES_FROM:
                which = SLIDE
            elif ints[row, NEEDS_VELOCITY] == ROLLS and wx * wx + wy * wy > ROLLS_FROM:
                ux, uy, speed = wx, wy, wx * wx + wy * wy  # direction 1 is the axis of the rolling
                which = SLIDE
            if -uz > reals[row, BOUNCE_SPEED]:
                which += BOUNCE_STICK
        contact = contacts[ints[row, SURFACE], which]
        if which in (SLIDE, BOUNCE_SLIDE):  # the first direction of friction is that of the sliding
            speed = sqrt(speed)
            contact[DIRECTION], contact[DIRECTION + 1], contact[DIRECTION + 2] = ux / speed, uy / speed, 0.0
        contact[POSITION], contact[POSITION + 1], contact[POSITION + 2] = px, py, pz
        contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2] = 0.0, 0.0, 1.0
        contact[DEPTH] = depth
        erp, cfm = contact[SOFT_ERP], contact[SOFT_CFM]
        most, root, least = reals[row, SHARES], reals[row, SHARES + 1], reals[row, SHARES + 2]
        if erp > 0.0 and (depth > most or depth > max(root * root, least)):  # as `Surface.limit_push`
            share = min(most / depth, max(root / sqrt(depth), least / depth))
            contact[SOFT_ERP], contact[SOFT_CFM] = share * erp, share * cfm
        _attach(_create_contact(world, group, contact.ctypes.data), ints[row, BODY], 0)
        contact[SOFT_ERP], contact[SOFT_CFM] = erp, cfm
        points[made, 0], points[made, 4] = row, depth
        points[made, 1], points[made, 2], points[made, 3] = px, py, pz
        made += 1
    flagged[rows] = made
    return count


@compiled("boolean(int64)", nogil=False)
def copy_state(table: Any) -> Any:
    """Copy the state of all bodies out of ODE, and keep the copy if it is good.

    Args:
        table: address of a StateCopier's header.

    Returns:
        True if all numbers are finite and none is larger than FARTHEST.
    """
    header = carray(_pointer(table), (5,), types.int64)
    count, last = header[1], header[4]
    states = carray(_pointer(header[0]), (count,), types.int64)
    copies = carray(_pointer(header[3 - last]), (count, STATE_DOUBLES), types.float64)
    sums = (0.0, 0.0, 0.0, 0.0)  # four independent sums, so that none waits for another
    for index in range(count):
        state = carray(_pointer(states[index]), (STATE_DOUBLES,), types.float64)
        for k in range(0, STATE_DOUBLES, 4):
            x, y, z, w = state[k], state[k + 1], state[k + 2], state[k + 3]
            copies[index, k], copies[index, k + 1], copies[index, k + 2], copies[index, k + 3] = x, y, z, w
            if k != QUATERNION:  # the fourth component of a vector is padding
                w = 0.0
            sums = (sums[0] + x * x, sums[1] + y * y, sums[2] + z * z, sums[3] + w * w)
    good = sums[0] + sums[1] + sums[2] + sums[3] < FARTHEST * FARTHEST
    if good:
        header[4] = 1 - last
    return good


@compiled("boolean(int64, float64, int64)", nogil=False)
def step_world(world: Any, seconds: Any, table: Any) -> Any:
    """Step all bodies with ODE's exact solver, then call `copy_state`.

    Args:
        world: address of the ODE world; 0: it has no bodies.
        seconds: of the step.
        table: as for `copy_state`.
    """
    if world != 0:
        _step(world, seconds)
    return copy_state(table)


@callback("void(intp, intp, intp)")
def note_pair(table: Any, first: Any, second: Any) -> None:
    """Record two nearby geoms, or the geoms of two spaces, except of a tree that does not collide with
    itself."""
    header = carray(_pointer(table), (STEP_HEADER,), types.int64)
    if _is_space(first) or _is_space(second):
        was_nested, header[IS_NESTED] = header[IS_NESTED], 1
        _collide2(first, second, table, header[CALLBACK])
        header[IS_NESTED] = was_nested
        return
    mark = _mark_of(first)
    if mark != 0 and mark == _mark_of(second):
        return
    found = header[FOUND]
    if found < header[ROOM]:
        pair = carray(_pointer(header[PAIRS]), (header[ROOM], 3), types.int64)[found]
        pair[0], pair[1], pair[2] = first, second, header[IS_NESTED]
    header[FOUND] = found + 1


@compiled("boolean(int64)", nogil=False)
def search(table: Any) -> Any:
    """Call `touch_floors`, and search for the pairs of other geoms that are near.

    Args:
        table: address of a StepTable.

    Returns:
        True if any pair, or any row flagged by `touch_floors`, was found.
    """
    header = carray(_pointer(table), (STEP_HEADER,), types.int64)
    header[FLAGGED] = touch_floors(header[FLOORS])
    header[FOUND] = 0
    if header[HOLDERS] > 0:
        _collide2(header[MOVING], header[STILL], table, header[CALLBACK])
        if header[HOLDERS] > 1:
            _collide(header[MOVING], table, header[CALLBACK])
    return header[FLAGGED] + header[FOUND] > 0


@compiled("int64(int64)", nogil=False)
def advance(table: Any) -> Any:
    """Call `search`, and `step_world` if no contacts are left for Python; return BAD, GOOD or LEFT."""
    header = carray(_pointer(table), (STEP_HEADER,), types.int64)
    if search(table):
        return LEFT
    seconds = carray(_pointer(table), (STEP_HEADER,), types.float64)[SECONDS]
    return GOOD if step_world(header[WORLD], seconds, header[STATES]) else BAD


@compiled("void(int64[::1], int64[::1])", nogil=False)
def list_members(spaces: Any, members: Any) -> None:
    """List the members of spaces.

    Args:
        spaces: addresses.
        members: output: for each space the number of its geoms and spaces, and then their addresses.
    """
    row = 0
    for space in spaces:
        count = _count_geoms(space)
        members[row] = count
        for index in range(count):
            members[row + 1 + index] = _geom_of(space, index)
        row += 1 + count
