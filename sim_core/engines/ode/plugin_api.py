"""Interface for physics plug-ins: reading solids, and applying forces and torques.

It is independent of the physics engine. Vectors are 3-tuples of floats, SI units, in world axes (ENU) unless
`relative` is set. Every number is checked: one that is not finite raises PhysicsError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim_core.base.errors import PhysicsError
from sim_core.base.geometry import Mat3, Pose, Quaternion, Vec3, rotate
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import finite
from sim_core.engines.world_view import PluginPort
from sim_core.model.dynamics.naming import NamedSolid

if TYPE_CHECKING:
    from sim_core.engines.ode.built_world import BuiltWorld
    from sim_core.engines.ode.world import PhysicsWorld


class PluginSolid:
    """Solid for a plug-in; valid until `end`.

    Attributes:
        name: the `name` field.
        path: readable name, such as `Robot "e1" > Solid "arm"`.
    """

    def __init__(self, solid: NamedSolid, world: BuiltWorld) -> None:
        self.name, self.path = solid.name, solid.path
        self._frame = world.frame(solid.id)
        self._node, self._world = solid.id, world

    @property
    def _link(self) -> Link | None:
        """The link of its body; it may change when the scene is edited."""
        return self._world.body_of(self._node)

    @property
    def pose(self) -> Pose:
        """Pose of the solid's frame in the world."""
        return self._frame.pose()

    @property
    def position(self) -> Vec3:
        """Position of the solid's origin in the world, m."""
        return self._frame.pose().position

    @property
    def rotation(self) -> Mat3:
        """Rotation matrix from the solid's frame to the world, nine numbers row by row."""
        return self._frame.pose().rotation

    @property
    def quaternion(self) -> Quaternion:
        """The same rotation as (x, y, z, w)."""
        return self._frame.pose().quaternion

    @property
    def linear_velocity(self) -> Vec3:
        """Velocity of the solid's origin, m/s, world axes."""
        return self._frame.linear_velocity()

    @property
    def angular_velocity(self) -> Vec3:
        """Angular velocity, rad/s, world axes."""
        return self._frame.angular_velocity()

    @property
    def is_dynamic(self) -> bool:
        """True if it is dynamic: it, or the solid to which it is fixed, has Physics."""
        return self._link is not None

    @property
    def mass(self) -> float:
        """Mass in kg of its body: all that is fixed together; 0 without Physics."""
        link = self._link
        return link.mass if link is not None else 0.0

    @property
    def centre_of_mass(self) -> Vec3:
        """Centre of mass of that body in the world, m; without Physics the solid's origin."""
        link = self._link
        if link is None:
            return self.position
        position: Vec3 = link.body.getPosition()
        return position

    def velocity_at(self, point: Sequence[float]) -> Vec3:
        """Return the velocity, m/s, of the point of the solid that is now at `point` in the world."""
        at = _vector("point", point)
        link = self._link
        return self.linear_velocity if link is None else link.velocity_at(at)[0]

    def add_force(
        self, force: Sequence[float], at: Sequence[float] | None = None, relative: bool = False
    ) -> None:
        """Apply a force during the next step, in addition to all other forces.

        Args:
            force: N, in world axes; in the solid's frame if `relative`.
            at: point of application in the world; in the solid's frame if `relative`. None: the centre of
                mass.
            relative: True: `force` and `at` are in the solid's frame.

        Raises:
            PhysicsError: a number is not finite, or the solid has no Physics.
        """
        body = self._body()
        vector = _vector("force", force)
        pose = self.pose if relative else None
        if pose is not None:
            vector = rotate(pose.rotation, vector)
        if at is None:
            body.addForce(vector)
        else:
            point = _vector("at", at)
            body.addForceAtPos(vector, pose.apply(point) if pose is not None else point)
        body.enable()

    def add_torque(self, torque: Sequence[float], relative: bool = False) -> None:
        """Apply a torque during the next step, in addition to all other torques.

        Args:
            torque: N·m, in world axes; in the solid's frame if `relative`.
            relative: True: `torque` is in the solid's frame.

        Raises:
            PhysicsError: a number is not finite, or the solid has no Physics.
        """
        body = self._body()
        vector = _vector("torque", torque)
        body.addTorque(rotate(self.rotation, vector) if relative else vector)
        body.enable()

    def _body(self):  # type: ignore[no-untyped-def]
        link = self._link
        if link is None:
            raise PhysicsError(f"{self.path} has no Physics: no force moves it")
        return link.body


class PluginApi:
    """The world for a plug-in.

    Attributes:
        name: the plug-in's name.
        step: length of a step, s.
        gravity: m/s², world axes.
    """

    def __init__(self, name: str, world: PhysicsWorld, port: PluginPort) -> None:
        self.name = name
        self._port = port
        self.step: float = world.clock.step_ns / 1e9
        self.gravity: Vec3 = world.model.gravity
        self._world = world

    @property
    def time(self) -> float:
        """Sim time at the start of the step, s."""
        return self._world.clock.time_ns / 1e9

    @property
    def time_ns(self) -> int:
        """The same in nanoseconds, exactly."""
        return self._world.clock.time_ns

    @property
    def packets(self) -> tuple[bytes, ...]:
        """Packets that emitters have sent on channel 0 (or -1, to all), and that arrived since the previous
        step."""
        return tuple(self._port.received)

    def send(self, data: bytes, channel: int = 0) -> None:
        """Send a packet to all receivers with a channel; -1: to all. It arrives at the end of this step.

        Raises:
            PhysicsError: it is empty or not bytes, or the channel is less than -1.
        """
        if not isinstance(data, bytes) or not data:
            raise PhysicsError(f"send: found {data!r}, expected bytes, one or more")
        if channel < -1:
            raise PhysicsError(f"send: found channel {channel}, expected -1 (all) or more")
        self._port.sent.append((data, channel))

    def solid(self, name: str) -> PluginSolid:
        """Return a solid by its DEF name; or by its `name`, or the names from the top down separated by `/`.

        `"e1/arm"` is a Solid named "arm" anywhere in one named "e1".

        Raises:
            PhysicsError: there is no such solid, or there are several.
        """
        return PluginSolid(self._world.model.named_solid(name), self._world.built)


def _vector(what: str, value: Sequence[float]) -> Vec3:
    """Return three finite numbers as a tuple of floats."""
    try:
        x, y, z = (float(item) for item in value)
    except (TypeError, ValueError):
        raise PhysicsError(f"{what}: found {value!r}, expected three numbers") from None
    finite(what, x, y, z)
    return (x, y, z)
