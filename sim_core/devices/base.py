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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sim_core.base.clock import whole_steps
from sim_core.base.config import DeviceConfig
from sim_core.base.errors import CommandError, SceneError
from sim_core.base.ids import NodeId
from sim_core.base.state import State, Stateful
from sim_core.devices.channels import Channels
from sim_core.devices.commands import NO_COMMANDS, Commands
from sim_core.engines.world_view import World
from sim_core.model.device_spec import DeviceSpec
from sim_core.sensing.rays import RayBatch

if TYPE_CHECKING:
    from sim_core.devices.command_faults import CommandFaults
    from sim_core.devices.media import Media
    from sim_core.devices.sensor_faults import SensorFaults


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


@dataclass(frozen=True, slots=True)
class Reading:
    """Base of all readings: the sim time, in nanoseconds, at which it was measured."""

    time_ns: int


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
    dataclass for it, makes one in `initial`, and takes that at the end of `__init__`.

    Attributes:
        commands: what it can be told, by name (see `commands.py`).
        command_faults: what its commands go through; None: nothing.
        spec: what the model says of its node; another one when its fields have changed.
        warnings: what its fields ask for and do not get.
    """

    live_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields that may change while the device works, with those of the parts in them: `read_fields` reads
    them."""
    commands: ClassVar[Commands] = NO_COMMANDS
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
        self.state: DeviceState = DeviceState()

    def initial(self) -> DeviceState:
        """The state at the start of the simulation; changes nothing."""
        return DeviceState()

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


class Turn:
    """What a sensor knows of the times at which it is due (see `sampling.py`).

    Attributes:
        number: how often it was due; never counted back.
        NONE: of a sensor that nobody samples.
    """

    NONE: ClassVar[Turn]
    number = 1

    def ask(self, sensor: Sensor) -> None:
        """Make the reading that a sensor owes."""

    def look_again(self) -> None:
        """Other sensors of it may be wanted than before."""


Turn.NONE = Turn()


@dataclass(eq=False)
class SensorState(DeviceState):
    """What changes of any sensor; all that changes of most.

    Attributes:
        latest: the last reading that was made.
        turn_seen: number of the turn that it owes no reading of.
        enabled: False: it is not sampled.
        is_held: a controller has enabled it: it is wanted whatever `demand` answers.
    """

    latest: Any = None
    turn_seen: int = 1
    enabled: bool = True
    is_held: bool = False


class Sensor(Device):
    """A device that is sampled in phase 3, at the multiples of its sampling period.

    A reading that nobody has said he wants is made when it is asked for; it is the one that was due.

    Attributes:
        channels: the values of its readings, by the names of their fields; `value` among them.
        reading_faults: what its readings go through (see `faults.py`); None: nothing.
        listeners: called with each new reading.
        turn: when it is due.
        is_late: readings may be lost or come later than they were made (see `faults.py`).
        period_ns: sampling period; changed through `Simulation.set_sampling_period`.
    """

    needs_tracking = False
    """True for sensors that must see every step, sampled or not (see `track`)."""
    channels: Channels = MappingProxyType({})
    reading_faults: SensorFaults | None = None
    is_late = False
    uses_rays = False
    """True for sensors that ask for rays in `prepare`."""
    turn: Turn = Turn.NONE
    listeners: tuple[Callable[[Any], None], ...] = ()
    state: SensorState
    _demand: Callable[[], bool] | None = None

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        period = context.config.sampling_period or 0.0
        what = f"{context.robot_name}.{self.name}.sampling_period"
        self.period_ns = whole_steps(period, context.world.step_ns, what)
        self.state = SensorState()

    def initial(self) -> SensorState:
        """No reading has been made."""
        return SensorState()

    @property
    def reading(self) -> Any:
        """The last reading, None before the first."""
        if self.state.turn_seen != self.turn.number:
            self.turn.ask(self)
        return self.state.latest

    @reading.setter
    def reading(self, reading: Any) -> None:
        self.state.latest = reading
        self.state.turn_seen = self.turn.number

    @property
    def value(self) -> Any:
        """The value of the last reading, None before the first; each sensor says its type and unit."""
        reading = self.reading
        return reading.value if reading is not None else None

    @property
    def enabled(self) -> bool:
        """False: the sensor is not sampled."""
        return self.state.enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        self.catch_up()
        self.state.enabled = on

    @property
    def is_held(self) -> bool:
        """A controller has enabled it: it is wanted whatever `demand` answers."""
        return self.state.is_held

    @is_held.setter
    def is_held(self, on: bool) -> None:
        self.state.is_held = on
        self.turn.look_again()

    @property
    def demand(self) -> Callable[[], bool] | None:
        """Asked when a sample is due: whether somebody wants it; who does not want it then cannot ask for it
        later. None: it is wanted if there are listeners, and may be asked for at any time."""
        return self._demand

    @demand.setter
    def demand(self, demand: Callable[[], bool] | None) -> None:
        self._demand = demand
        self.turn.look_again()

    def add_listener(self, listener: Callable[[Any], None]) -> None:
        """Tell somebody of each new reading."""
        self.listeners = (*self.listeners, listener)
        self.turn.look_again()

    def remove_listener(self, listener: Callable[[Any], None]) -> None:
        """Tell somebody no more; one that is not told is no error."""
        self.listeners = tuple(each for each in self.listeners if each != listener)
        self.turn.look_again()

    @property
    def works(self) -> bool:
        """It can be sampled: it is enabled, and has power."""
        return self.state.enabled and self.state.is_powered

    @property
    def is_cumulative(self) -> bool:
        """Readings depend on the samples before: then each sample that is due is made, unless a demand says
        that nobody wants it."""
        return self.is_late

    def may_be_wanted(self) -> bool:
        """False: no sample is wanted until its turn is told to look again."""
        if self.state.is_held or self.listeners or self._demand is not None:
            return True
        return self.is_cumulative or self.reading_faults is not None

    def is_wanted(self) -> bool:
        """True if a due sample should be made at once."""
        state = self.state
        if not (state.enabled and state.is_powered):
            return False
        if self._demand is not None:
            return state.is_held or self._demand()
        return state.is_held or bool(self.listeners) or self.is_cumulative

    def catch_up(self) -> None:
        """Make the reading that is owed; something that it depends on is about to change."""
        if self.state.turn_seen != self.turn.number:
            self.turn.ask(self)

    def set_power(self, on: bool) -> None:
        """The robot's battery is empty, or no longer."""
        self.catch_up()
        super().set_power(on)

    def prepare(self, rays: RayBatch) -> None:
        """Ask for the rays that the next sample needs; most sensors need none."""

    def sample(self, time_ns: int) -> Any:
        """Measure now, without faults; returns a frozen dataclass derived from Reading, whose fields are the
        channels. Changes nothing in the world."""
        raise TypeError(f"{type(self).__name__} does not say how it is sampled")

    def take_sample(self, time_ns: int) -> Any:
        """Measure now, with faults."""
        faults = self.reading_faults
        return self.sample(time_ns) if faults is None else faults.sample(time_ns)

    def hand_on(self, reading: Any) -> None:
        """Deliver a reading, with faults: now, later or never."""
        if self.reading_faults is None:
            self.deliver(reading)
        else:
            self.reading_faults.hand_on(reading)

    def update(self, time_ns: int) -> None:
        """Make a reading, keep it, tell the listeners."""
        faults = self.reading_faults
        if faults is None:
            self.deliver(self.sample(time_ns))
        else:
            faults.hand_on(faults.sample(time_ns))

    def deliver(self, reading: Any) -> None:
        """Keep a reading, tell the listeners."""
        self.reading = reading
        for listener in self.listeners:
            listener(reading)

    def track(self, time_ns: int) -> None:
        """Called after each physics step if `needs_tracking`; must be cheap and change nothing."""

    def reset(self) -> None:
        """Go back to the state at the start; what others want of its readings stays."""
        before = self.state
        super().reset()
        self.state.enabled, self.state.is_held = before.enabled, before.is_held
        self.state.turn_seen = self.turn.number


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


def check_not_negative(what: str, value: float) -> float:
    """A command as a float, if it is a finite number from 0.

    Raises:
        CommandError: names the command and what was found.
    """
    number = check_finite(what, value)
    if number < 0.0:
        raise CommandError(f"{what}: found {number:g}, expected 0 or more")
    return number


def clamped(what: str, value: float, limit: float, unit: str) -> tuple[float, str | None]:
    """A command within ±limit, and one line if it was past it."""
    if abs(value) <= limit:
        return value, None
    text = f"{what} {value:g} {unit} is past the limit {limit:g} {unit}, clamped"
    return math.copysign(limit, value), text
