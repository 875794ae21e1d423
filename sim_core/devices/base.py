"""What a device is.

A device lives between two seams. Below it is what it may see of the world, the protocols of
`sim_core/engines/world_view.py`. Above it is whoever commands it and reads it: the in-process API or the ROS
bridge.

The three phases of a step (see `sim_core/session/simulation.py`) meet a device so:

1. `Actuator.before_step` turns the last command into this step's velocity or force;
2. nothing: physics;
3. `Sensor.prepare` asks for rays, those of all due sensors are cast at once, `Sensor.sample` measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sim_core.base.config import DeviceConfig
from sim_core.base.errors import SceneError
from sim_core.base.ids import NodeId
from sim_core.base.state import State, Stateful
from sim_core.devices.commands import NO_COMMANDS, CommandMap
from sim_core.engines.world_view import World
from sim_core.model.device_spec import DeviceSpec

if TYPE_CHECKING:
    from sim_core.devices.command_faults import CommandFaults
    from sim_core.devices.media import Media


DeviceKey = tuple[str, str]
"""Names of a robot and of a device of it."""


@dataclass(frozen=True)
class DeviceContext:
    """What a device gets when it is made."""

    world: World
    robot_name: str
    config: DeviceConfig
    seed: int
    """Seed of the device's noise, already made from the simulation's seed and the device's path."""
    media: Media
    """What the device shares with the devices of other robots."""


@dataclass(eq=False)
class DeviceState(State):
    """What changes of any device.

    Attributes:
        is_powered: False while the robot's battery is empty: then a sensor is not sampled, and an actuator
            is not asked to act.
    """

    is_powered: bool = True


class Device(Stateful):
    """A device of a robot, made from what the model says of its node.

    All that changes with time is in its `state`. A device that has more of it than any other declares a
    dataclass for it as its `state_type`; or, if its fields or the world say how it starts, makes one in
    `initial`, and takes that at the end of `__init__`.

    Attributes:
        commands: what it can be told, by name (see `commands.py`).
        command_faults: what its commands go through; None: nothing.
        spec: what the model says of its node; another one when its fields have changed.
        warnings: what its fields ask for and do not get.
    """

    live_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields that may change while the device works, with those of the parts in them: `read_fields` reads
    them."""
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
        self.step_seconds = context.world.step_ns / 1e9
        self.state: DeviceState = self.state_type()

    def initial(self) -> DeviceState:
        """The state at the start of the simulation; changes nothing."""
        return self.state_type()

    def begin(self) -> None:
        """The first step comes, and the start has been edited: take from the world what `initial` does."""

    @property
    def told_with_it(self) -> tuple[Device, ...] | None:
        """The devices whose state, and nothing else, its commands may change; None: also that of others."""
        return None

    def enter(self) -> None:
        """Tell the media of itself: its robot is in the world. They know nothing of it."""

    def leave(self) -> None:
        """Its robot has gone, and the media know nothing of it: leave there what does not go with it."""

    def has_part(self, node: NodeId) -> bool:
        """Whether a node is that of the device, or a part in one of its fields."""
        return node == self.spec.id or node in self.spec.parts

    def can_read(self, node: NodeId, field: str) -> bool:
        """Whether `read_fields` reads a field of a part of the device."""
        return (field if node == self.spec.id else self.spec.parts[node]) in self.live_fields

    def read_fields(self) -> None:
        """Read `live_fields`: when the device is made, and when it has another `spec`.

        Raises:
            DeviceError: a value is not possible; then they are put back, and read again.
        """

    def field_now(self, field: str) -> Any:
        """A field that commands change (see `present.py` of the supervisor), as it is now."""
        return self.spec[field]

    def edit_field(self, field: str, value: Any) -> None:
        """Change such a field.

        Raises:
            CommandError: the value is not possible; nothing changes.
        """

    @property
    def key(self) -> DeviceKey:
        """Names of its robot and of itself: no other device that is in the world has these."""
        return self.robot_name, self.name

    @property
    def is_powered(self) -> bool:
        """False while the robot's battery is empty."""
        return self.state.is_powered

    @property
    def power(self) -> float:
        """W that the device draws from the robot's battery now."""
        return 0.0

    def set_power(self, on: bool) -> None:
        """The robot's battery is empty, or no longer; called in phase 1."""
        self.state.is_powered = on

    def new_controller(self) -> None:
        """A controller begins that imports `controller`: forget what the last one told it to keep."""

    def reset(self) -> None:
        """Go back to the state at the start of the simulation."""
        is_powered = self.state.is_powered
        self.state = self.initial()
        self.state.is_powered = is_powered


class Actuator(Device):
    """A device that acts on the world in phase 1.

    A command is checked and stored when it comes, and takes effect in `before_step`. An actuator that has
    nothing to do in each step sleeps until its next command, so that idle motors cost nothing.

    Attributes:
        awake: those that act in phase 1, in the order in which they woke up; None: nobody lets it act.
    """

    awake: dict[Actuator, None] | None = None

    def wake(self) -> None:
        """Act before the next step; to be called after every change of a command."""
        if self.awake is not None:
            self.awake[self] = None

    def set_power(self, on: bool) -> None:
        """Off: let go; on: do what was commanded last."""
        super().set_power(on)
        if on:
            self.wake()
        else:
            self.deactivate()

    def deactivate(self) -> None:
        """Stop acting on the world, for the battery is empty; what was commanded stays known."""

    def before_step(self) -> bool:
        """Act for this step; True: call me again before the next one, False: only after `wake`."""
        return False
