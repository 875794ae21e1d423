"""What a device is, and what it may see of the world.

A device lives between two seams. Below it are the protocols here, which the physics and the ray caster
meet: a device never touches the physics engine. Above it is whoever commands it and reads it: the in-process
API or the ROS bridge.

The three phases of a step (see `sim_core/simulation.py`) meet a device so:

1. `Actuator.before_step` turns the last command into this step's velocity or force;
2. nothing: physics;
3. `Sensor.prepare` asks for rays, those of all due sensors are cast at once, `Sensor.sample` measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.clock import whole_steps
from sim_core.config import DeviceConfig
from sim_core.errors import CommandError, SceneError
from sim_core.geometry import Pose, Vec3
from sim_core.scene import Node, Scene

if TYPE_CHECKING:
    from sim_core.devices.media import Media

FloatArray = NDArray[np.float64]


class Frame(Protocol):
    """A coordinate frame F fixed to a solid (or to the world); reading it changes nothing."""

    def pose(self) -> Pose:
        """X_WF: pose of the frame in the world."""

    def linear_velocity(self) -> Vec3:
        """Velocity of the frame's origin, m/s, world axes."""

    def angular_velocity(self) -> Vec3:
        """Angular velocity, rad/s, world axes."""


class JointAxis(Protocol):
    """One degree of freedom of a joint: angle and rad/s and N·m, or length and m/s and N."""

    @property
    def is_linear(self) -> bool:
        """True for a sliding axis."""

    @property
    def is_dynamic(self) -> bool:
        """True if the physics engine moves it; False if the end point has no Physics and is moved by hand."""

    @property
    def position(self) -> float:
        """Joint position, rad or m; angles are continuous: they do not wrap at ±π."""

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""

    def drive(self, velocity: float, max_effort: float) -> None:
        """Drive at a velocity with at most this torque or force; holds until changed."""

    def release(self) -> None:
        """Take the motor off; friction, spring and damper of the joint stay."""

    def apply_effort(self, effort: float) -> None:
        """Torque or force along the axis during the next step only."""

    def set_brake(self, damping: float) -> None:
        """Extra damping, N·m·s/rad or N·s/m, until changed; 0 takes it off."""

    def enable_feedback(self) -> None:
        """Measure from now on; costs a little in each step."""

    def feedback(self) -> float:
        """Torque or force that the joint's motor applied along the axis in the last step."""


class RayBatch(Protocol):
    """Collects the rays of all sensors due in a step, casts them in one call."""

    def clear(self) -> None:
        """Forget the rays asked for, and the results."""

    def cast(self) -> None:
        """Find what the rays meet; the common batch of the sensors is cast by the simulation."""

    def add(
        self,
        frame: Frame | None,
        origins: FloatArray,
        directions: FloatArray,
        max_range: float,
        robot: Node | None,
        visible: bool = False,
        carrier: Node | None = None,
        start: float = 0.0,
    ) -> slice:
        """Ask for n rays.

        Args:
            frame: the frame that origins and directions are given in; None: the world.
            origins: (n, 3) m.
            directions: (n, 3) unit vectors.
            max_range: length of the rays in m, from their origins.
            robot: the rays do not see bounding objects of this robot (None: they see all).
            visible: meet the shapes that are seen instead of the bounding objects; then the robot's own
                shapes are seen too, save those of `carrier`.
            carrier: the solid, mostly the sensor itself, that `frame` belongs to, if it is known.
            start: m on the rays before which nothing is met.

        Returns:
            Where this sensor's answers will stand in `distances`, `normals`, `reflectances`.
        """

    @property
    def distances(self) -> FloatArray:
        """(N,) m from the origin to the first surface; inf where nothing was met within max_range."""

    @property
    def normals(self) -> FloatArray:
        """(N, 3) unit normals, world axes, on the side the ray came from; zero where nothing was met."""

    @property
    def shapes(self) -> NDArray[np.int64]:
        """(N,) index of the shape met in the ray scene's tables, -1 where nothing was met."""

    def solid(self, ray: int) -> Node | None:
        """The solid whose shape a ray met; None: of no solid, or nothing was met."""

    def robot(self, ray: int) -> Node | None:
        """The outermost robot of the shape that a ray met; None: of no robot, or nothing was met."""

    def reflectance(self, ray: int) -> float:
        """Infra-red reflectance factor of the surface that a ray met (Webots reference, DistanceSensor)."""


class Touch(Protocol):
    """One contact of a watched solid in the last step, world axes."""

    @property
    def position(self) -> Vec3:
        """Where, m."""

    @property
    def normal(self) -> Vec3:
        """Unit vector, out of the other solid into the watched one."""

    @property
    def depth(self) -> float:
        """How far the two are in each other, m."""

    @property
    def force(self) -> Vec3:
        """N, on the watched solid, friction included."""

    @property
    def other(self) -> Node:
        """The solid that it touches."""


class ContactWatch(Protocol):
    """What touches a solid's own bounding object; reading it changes nothing."""

    @property
    def contacts(self) -> Sequence[Touch]:
        """Those of the last step in which a force can act, that is with a dynamic solid on one side."""

    def is_touching(self) -> bool:
        """Whether anything touched it in the last step, with or without a force."""

    def force(self) -> Vec3:
        """Sum of the contact forces on the solid in the last step, N, world axes."""


class Bond(Protocol):
    """Holds two solids rigidly together."""

    @property
    def holds(self) -> bool:
        """False once it was released, or the world reset."""

    def force(self) -> Vec3:
        """Force of the bond on the first solid in the last step, N, world axes; zero before a step."""

    def release(self) -> None:
        """Let the two go; only in phase 1."""


class World(Protocol):
    """The world as devices see it."""

    @property
    def time_ns(self) -> int:
        """Sim time in nanoseconds."""

    @property
    def step_ns(self) -> int:
        """Length of a step in nanoseconds."""

    @property
    def gravity(self) -> Vec3:
        """Acceleration of free fall, m/s², world axes."""

    @property
    def info(self) -> Node:
        """The WorldInfo node."""

    @property
    def scene(self) -> Scene:
        """The scene graph, for devices that look for nodes elsewhere in it."""

    @property
    def is_planar(self) -> bool:
        """True in the fast 2D mode: the world itself rolls robots with two wheels, none of it has mass."""

    def frame(self, node: Node) -> Frame:
        """The frame of a Solid, a Pose or a device node."""

    def axis(self, joint: Node, index: int = 0) -> JointAxis:
        """A degree of freedom of a joint node: index 0, 1, 2 for `device`, `device2`, `device3`."""

    def watch_contacts(self, solid: Node) -> ContactWatch:
        """What touches a solid's own bounding object in each step from now on."""

    def can_bond(self, first: Node, second: Node) -> bool:
        """Whether a bond could hold two solids together: they are not rigidly one, and forces move one."""

    def bond(self, first: Node, second: Node, relative: Pose | None = None) -> Bond:
        """Hold two solids together from the next step on; only in phase 1.

        They do not collide with each other while it holds. `relative`: pose of the second solid's frame in
        the first one's, into which they are pulled; None: as they now stand.
        """

    def is_blocked(self, solid: Node, pose: Pose) -> bool:
        """True if the solid without Physics, moved to this world pose, would run into another solid."""

    def move(self, solid: Node, pose: Pose, linear: Vec3, angular: Vec3) -> None:
        """Put a solid without Physics at a pose in the world, moving at these world velocities."""


@dataclass(frozen=True)
class DeviceContext:
    """What a device gets when it is made."""

    world: World
    robot: Node
    robot_name: str
    config: DeviceConfig
    seed: int
    """Seed of the device's noise, already made from the simulation's seed and the device's path."""
    media: Media
    """What the device shares with the devices of other robots."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Base of all readings: the sim time, in nanoseconds, at which it was measured."""

    MEASURED: ClassVar[tuple[str, ...]] = ("value",)
    """Fields that the errors of `faults.py` are added to: floats, tuples or arrays of floats. A reading of a
    rotation has a method `rotated(vector)` instead (see `OrientationReading`)."""

    time_ns: int


class Device:
    """A device of a robot, made from its node.

    Attributes:
        is_powered: False while the robot's battery is empty: then a sensor is not sampled, and an actuator
            is not asked to act.
        has_faults: `faults.py` stands before its methods: do not go round them.
        warnings: what its node asks for and does not get.
    """

    has_faults = False
    warnings: Sequence[SceneError] = ()

    COMMANDS: ClassVar[tuple[str, ...]] = ()
    """Methods that carry commands, for `faults.py`; empty: all public ones whose names begin with `set_`."""

    def __init__(self, node: Node, context: DeviceContext) -> None:
        self.node = node
        self.name: str = node["name"]
        self.path = node.path()
        self.world = context.world
        self.robot = context.robot
        self.robot_name = context.robot_name
        self.step_seconds = context.world.step_ns / 1e9
        self.is_powered = True

    @property
    def power(self) -> float:
        """W that the device draws from the robot's battery now."""
        return 0.0

    def set_power(self, on: bool) -> None:
        """The robot's battery is empty, or no longer; called in phase 1."""
        self.is_powered = on

    def command_methods(self) -> list[tuple[Any, str]]:
        """The methods that carry commands: whose they are, and their names."""
        names = self.COMMANDS or [name for name in dir(type(self)) if name.startswith("set_")]
        return [(self, name) for name in names]

    def reset(self) -> None:
        """Go back to the state at the start of the simulation."""

    def clock_restarted(self, before_ns: int) -> None:
        """Sim time is 0 where it was `before_ns`, and all else is as it was: forget or shift noted times."""


class Actuator(Device):
    """A device that acts on the world in phase 1.

    A command is checked and stored when it comes, and takes effect in `before_step`. An actuator that has
    nothing to do in each step sleeps until its next command, so that idle motors cost nothing.
    """

    wake: Callable[[], None] = staticmethod(lambda: None)
    """Set by the simulation; the device calls it after every change of its command."""

    def set_power(self, on: bool) -> None:
        """Off: let go; on: do what was commanded last."""
        super().set_power(on)
        if on:
            self.wake()
        else:
            self.let_go()

    def let_go(self) -> None:
        """Stop acting on the world, for the battery is empty; what was commanded stays known."""

    def before_step(self) -> bool:
        """Act for this step; True: call me again before the next one, False: only after `wake`."""
        return False


class Sensor(Device):
    """A device that is sampled in phase 3, at the multiples of its sampling period.

    Attributes:
        reading: the last reading, None before the first.
        enabled: False: the sensor is not sampled.
        demand: asked when a sample is due; answers False if nobody wants it now. None: always wanted.
        is_held: a controller has enabled it: it is wanted whatever `demand` answers.
        listeners: called with each new reading.
        is_late: readings may be lost or come later than they were made (see `faults.py`).
        period_ns: sampling period; changed through `Simulation.set_sampling_period`.
    """

    needs_tracking = False
    """True for sensors that must see every step, sampled or not (see `track`)."""
    is_late = False
    uses_rays = False
    """True for sensors that ask for rays in `prepare`."""

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        period = context.config.sampling_period or 0.0
        what = f"{context.robot_name}.{self.name}.sampling_period"
        self.period_ns = whole_steps(period, context.world.step_ns, what)
        self.reading: Any = None
        self.enabled = True
        self.demand: Callable[[], bool] | None = None
        self.is_held = False
        self.listeners: list[Callable[[Any], None]] = []

    @property
    def value(self) -> Any:
        """The value of the last reading, None before the first; each sensor says its type and unit."""
        return self.reading.value if self.reading is not None else None

    def is_wanted(self) -> bool:
        """True if a due sample should be made."""
        return self.enabled and self.is_powered and (self.is_held or self.demand is None or self.demand())

    def prepare(self, rays: RayBatch) -> None:
        """Ask for the rays that the next sample needs; most sensors need none."""

    def sample(self, time_ns: int) -> Any:
        """Measure now; returns a frozen dataclass derived from Reading. Changes nothing in the world."""
        raise TypeError(f"{type(self).__name__} does not say how it is sampled")

    def update(self, time_ns: int) -> None:
        """Make a reading, keep it, tell the listeners."""
        self.deliver(self.sample(time_ns))

    def deliver(self, reading: Any) -> None:
        """Keep a reading, tell the listeners."""
        self.reading = reading
        for listener in self.listeners:
            listener(reading)

    def track(self, time_ns: int) -> None:
        """Called after each physics step if `needs_tracking`; must be cheap and change nothing."""

    def reset(self) -> None:
        """Forget the last reading."""
        self.reading = None

    def clock_restarted(self, before_ns: int) -> None:
        """Forget the last reading, whose time is of the old clock."""
        self.reading = None


def check_finite(what: str, value: float) -> float:
    """A command as a float, if it is a finite number.

    Raises:
        CommandError: names the command and what was found.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise CommandError(f"{what}: found {value!r}, expected a number") from None
    if not math.isfinite(number):
        raise CommandError(f"{what}: found {number}, expected a finite number")
    return number
