"""Track nodes: belts around a solid that move what touches them (Webots reference, Track).

The belt runs in the x-z plane of the Track. At a positive speed its upper side moves along +x and its lower
side along -x: a robot on tracks drives forward, a conveyor moves objects along its x axis. At a contact with
the outward normal n, the velocity of the belt is speed · (y × n): also around the ends, and zero on the
sides.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import (
    Vec3,
    add,
    cross,
    dot,
    norm,
    normalized,
    scale,
    subtract,
)
from sim_core.engines.ode.contacts.kernels import SLIDES_FROM
from sim_core.engines.ode.contacts.surfaces import Surface
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import (
    CONTACT_FDIR1,
    CONTACT_MOTION1,
    CONTACT_MOTION2,
    CONTACT_MU2,
    CONTACT_ROLLING,
    LARGEST,
    finite,
)
from sim_core.engines.ode.pyode import ode
from sim_core.engines.ode.shapes import Shape
from sim_core.model.dynamics.propulsion import Track
from sim_core.model.joint_frames import AxisSpec

SLIDES = 4.0
"""A contact slides if it is faster than friction can stop in this number of steps; otherwise it may stick."""
Y: Vec3 = (0.0, 1.0, 0.0)


class BeltAxis(KinematicAxis):
    """Distance that a belt has run, m; the motor drives it exactly, whatever its load.

    A force F of the motor accelerates it by (F - b·v) / m, with the mass m of the body and a brake's b.
    """

    def __init__(self, name: str, mass: float) -> None:
        super().__init__(name, AxisSpec(is_linear=True, is_dynamic=True))
        self._mass = mass
        self._is_free = False
        self._effort = 0.0
        self._brake = 0.0

    def go_to_start(self) -> None:
        """Reset to rest, without command."""
        super().go_to_start()
        self._is_free = False
        self._effort = self._brake = 0.0

    def state(self) -> tuple[float | bool, ...]:
        """Whole changing state; see `KinematicAxis.state`."""
        return *super().state(), self._is_free, self._effort, self._brake

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Restore a state; see `KinematicAxis.set_state`."""
        *own, self._is_free, self._effort, self._brake = state
        super().set_state(tuple(own))

    def drive(self, velocity: float, max_effort: float) -> None:
        """Run at a velocity from the next step on."""
        super().drive(velocity, max_effort)
        self._is_free = False

    def release(self) -> None:
        """Release the motor: forces and the brake determine the velocity."""
        self._is_free = True

    def apply_effort(self, effort: float) -> None:
        """Apply a force of the motor in the next step only, N."""
        finite(f"{self.name}: force", effort)
        self._effort = effort

    def set_brake(self, damping: float) -> None:
        """Set the brake, N·s/m; it acts while the motor is controlled by force."""
        if not 0.0 <= damping <= LARGEST:
            raise PhysicsError(f"{self.name}: found brake damping {damping}, expected 0 or more")
        self._brake = damping

    def advance(self, step: float) -> bool:
        """Run for one step; False: the belt stands."""
        if self._is_free:
            share = step / self._mass
            self.velocity = (self.velocity + self._effort * share) / (1.0 + self._brake * share)
            self._effort = 0.0
        else:
            self.velocity = self._command
        self.position += self.velocity * step
        return self.velocity != 0.0


class Belt:
    """Belt of one Track.

    Attributes:
        id: of the Track node.
        axis: position and velocity of the belt.
        is_running: True if it moves in this step.
        slides_from: sliding speed, m/s, for a friction coefficient of 1.
    """

    def __init__(self, record: Track, frame: OdeFrame, link: Link, gravity_per_step: float) -> None:
        """Create it; `gravity_per_step`: velocity in m/s that gravity adds in one step."""
        self.id = record.id
        self._frame = frame
        body = link.dynamic_ancestor()
        self.axis = BeltAxis(record.path, body.mass if body is not None else record.own_mass)
        self.is_running = False
        self.slides_from = SLIDES * gravity_per_step
        self._across: Vec3 = Y

    def advance(self, step: float) -> None:
        """Run for one step."""
        self.is_running = self.axis.advance(step)
        if self.is_running:
            r = self._frame.pose().rotation
            self._across = (r[1], r[4], r[7])

    def velocity(self, outward: Vec3) -> Vec3:
        """Return the velocity of the belt relative to its solid where its surface has this normal; world
        axes, m/s."""
        return scale(cross(self._across, outward), self.axis.velocity)


def belt_contact(surface: Surface, position: Vec3, normal: Vec3, first: Shape, second: Shape) -> Any:
    """Return the contact of a surface with a running belt on one or both sides.

    ODE maintains (v1 - v2)·t = motion for the friction directions t1 and t2 = n × t1, where v are velocities
    of the bodies; the belt's velocity u relative to its body is included by `motion` = -u·t.

    A sliding contact has friction along t1, against the sliding, and none across: with ODE's second limit
    across, a spinning track would still resist sideways motion like one at rest, and no robot could turn on
    two tracks.

    Args:
        surface: provides the contacts.
        position: of the contact.
        normal: unit, into `first`.
        first, second: the shapes.
    """
    moved: Vec3 = (0.0, 0.0, 0.0)
    if first.belt is not None:
        moved = first.belt.velocity(scale(normal, -1.0))
    if second.belt is not None:
        moved = subtract(moved, second.belt.velocity(normal))
    velocity: Vec3 = first.body.getPointVel(position) if first.body is not None else (0.0, 0.0, 0.0)
    if second.body is not None:
        velocity = subtract(velocity, second.body.getPointVel(position))
    bounces = -dot(velocity, normal) > surface.bounce_speed
    sliding = _tangential(add(velocity, moved), normal)
    direction = sliding if dot(sliding, sliding) > SLIDES_FROM else _tangential(moved, normal)
    if norm(direction) < 1e-9:  # on the side of the belt
        return surface.bounce_stick if bounces else surface.stick
    direction = normalized(direction)
    surface = surface.plain or surface
    if surface.on_belt is None:
        surface.on_belt = (_copy(surface.slide), _copy(surface.bounce_slide))
    contact = surface.on_belt[bounces]
    belt = first.belt or second.belt
    mu = contact.getMu()
    contact.setMu2(mu if norm(sliding) < belt.slides_from * mu else 0.0)
    sign = 1.0 if first.body is not None else -1.0  # ODE swaps the sides of a contact without first body
    contact.setFDir1(direction)
    contact.setMotion1(-sign * dot(moved, direction))
    contact.setMotion2(-dot(moved, cross(normal, direction)))
    return contact


def _copy(contact: Any) -> Any:
    """Return a contact with the same surface, with motion enabled."""
    copy = ode.Contact()
    mode = contact.getMode() & ~CONTACT_ROLLING
    copy.setMode(mode | CONTACT_FDIR1 | CONTACT_MU2 | CONTACT_MOTION1 | CONTACT_MOTION2)
    for name in ("Mu", "Bounce", "BounceVel", "SoftERP", "SoftCFM", "Slip1", "Slip2"):
        getattr(copy, f"set{name}")(getattr(contact, f"get{name}")())
    return copy


def _tangential(vector: Vec3, normal: Vec3) -> Vec3:
    """Return the component of a vector along a surface."""
    return subtract(vector, scale(normal, dot(vector, normal)))
