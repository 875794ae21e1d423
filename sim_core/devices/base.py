"""Base classes of devices.

A device stands between two interfaces. Below it are the protocols of `sim_core/engines/world_view.py`, its
only view of the world. Above it are the callers that command and read it: the in-process API and the ROS
bridge.

A device takes part in the three phases of a step (see `sim_core/session/simulation.py`) as follows:

1. `Actuator.before_step` turns the last command into the velocity or force of this step;
2. physics: devices do nothing;
3. `Sensor.prepare` requests rays, the rays of all due sensors are cast at once, `Sensor.sample` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sim_core.base.config import DeviceConfig
from sim_core.base.errors import SceneError
from sim_core.base.ids import NodeId
from sim_core.base.state import Resettable, State
from sim_core.devices.commands import NO_COMMANDS, CommandMap
from sim_core.engines.world_view import World
from sim_core.model.device_spec import DeviceSpec

if TYPE_CHECKING:
    from sim_core.devices.command_faults import CommandFaults
    from sim_core.devices.media import Media


DeviceKey = tuple[str, str]
"""Name of a robot and name of one of its devices."""


@dataclass(frozen=True)
class DeviceContext:
    """Arguments of every device's constructor."""

    world: World
    robot_name: str
    config: DeviceConfig
    seed: int
    """Seed of the device's noise, derived from the simulation's seed and the device's path."""
    media: Media
    """Media that the device shares with devices of other robots."""


@dataclass(eq=False)
class DeviceState(State):
    """State of any device.

    Attributes:
        is_powered: False while the robot's battery is empty: then a sensor is not sampled, and an actuator is
            not called.
    """

    is_powered: bool = True


class Device(Resettable):
    """A device of a robot, made from the record of its node in the model.

    All that changes with time is in `state`. A device with more state than `DeviceState` declares a dataclass
    for it as its `state_type`. If the initial state depends on fields or on the world, it builds it in
    `initial` and assigns it at the end of `__init__`.

    Attributes:
        commands: the commands it accepts, by name (see `commands.py`).
        command_faults: faults applied to its commands; None: no faults.
        spec: record of its node in the model; replaced when fields of the node change.
        warnings: settings of its fields that are not supported.
    """

    live_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that may change while the simulation runs, including those of parts in them; see
    `read_fields`."""
    state_type: ClassVar[type[DeviceState]] = DeviceState
    commands: ClassVar[CommandMap] = NO_COMMANDS
    command_faults: CommandFaults | None = None
    warnings: Sequence[SceneError] = ()

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        """Make the device.

        Raises:
            DeviceError: a field has a value that is not possible.
        """
        self.spec = spec
        self.name: str = spec["name"]
        self.world = context.world
        self.robot_name = context.robot_name
        self.step_seconds = context.world.clock.step_ns / 1e9
        self.state: DeviceState = self.state_type()

    def initial(self) -> DeviceState:
        """Return the state at the start of the simulation, without changing anything."""
        return self.state_type()

    def read_start(self) -> None:
        """Read again from the world what `initial` reads; called before the first step if the start was
        edited."""

    @property
    def commanded_devices(self) -> tuple[Device, ...] | None:
        """Devices whose state is all that its commands may change; None: they may change other state too."""
        return None

    def on_added(self) -> None:
        """Register with the media when the robot is added to the world; the media have no record of the
        device yet."""

    def on_removed(self) -> None:
        """Leave to the media what outlasts the device; called when its robot was removed and the media
        were cleared."""

    def has_part(self, node: NodeId) -> bool:
        """Return True if a node is the device's own or a part in one of its fields."""
        return node == self.spec.id or node in self.spec.parts

    def can_read(self, node: NodeId, field: str) -> bool:
        """Return True if `read_fields` reads this field of a part of the device."""
        return (field if node == self.spec.id else self.spec.parts[node]) in self.live_fields

    def read_fields(self) -> None:
        """Read `live_fields`: when the device is made, and after `spec` was replaced.

        Raises:
            DeviceError: a value is not possible; the caller then restores the old spec and calls this again.
        """

    def field_now(self, field: str) -> Any:
        """Return the present value of a field that commands change (see `present.py` of the supervisor)."""
        return self.spec[field]

    def edit_field(self, field: str, value: Any) -> None:
        """Set a field that commands change.

        Raises:
            CommandError: the value is not possible; nothing was changed.
        """

    @property
    def key(self) -> DeviceKey:
        """Names of its robot and of itself; unique in the world."""
        return self.robot_name, self.name

    @property
    def is_powered(self) -> bool:
        """False while the robot's battery is empty."""
        return self.state.is_powered

    @property
    def power(self) -> float:
        """Power that the device draws from the robot's battery now, W."""
        return 0.0

    def set_power(self, on: bool) -> None:
        """Switch the device off when the robot's battery becomes empty, or on again; called in phase 1."""
        self.state.is_powered = on

    def on_new_controller(self) -> None:
        """Discard settings that belong to the previous controller; called when a controller starts (Webots
        API)."""

    def reset(self) -> None:
        """Return to the state at the start of the simulation."""
        is_powered = self.state.is_powered
        self.state = self.initial()
        self.state.is_powered = is_powered


class Actuator(Device):
    """A device that acts on the world in phase 1.

    A command is checked and stored when it is received, and takes effect in `before_step`. An actuator with
    nothing to do in each step is not called until its next command, so that idle motors cost nothing.

    Attributes:
        awake: actuators called in phase 1, in the order in which they were woken; None: it is never called.
    """

    awake: dict[Actuator, None] | None = None

    def wake(self) -> None:
        """Schedule a call before the next step; to be called after every change of a command."""
        if self.awake is not None:
            self.awake[self] = None

    def set_power(self, on: bool) -> None:
        """Release the actuator (off), or execute the last command again (on)."""
        super().set_power(on)
        if on:
            self.wake()
        else:
            self.deactivate()

    def deactivate(self) -> None:
        """Stop acting on the world because the battery is empty; the last command stays stored."""

    def before_step(self) -> bool:
        """Act for this step; return True to be called before the next one too, False to wait for `wake`."""
        return False
