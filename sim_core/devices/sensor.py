"""What a sensor is: a device that is sampled at the multiples of its period; when, `sampling.py` says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sim_core.base.clock import any_period, due_span
from sim_core.devices.base import Device, DeviceContext, DeviceState
from sim_core.devices.channels import ChannelMap
from sim_core.model.device_spec import DeviceSpec
from sim_core.sensing.rays import RayBatch

if TYPE_CHECKING:
    from sim_core.devices.sensor_faults import SensorFaults


@dataclass(frozen=True, slots=True)
class Reading:
    """Base of all readings: the sim time, in nanoseconds, at which it was measured."""

    time_ns: int


class SampleClock:
    """What a sensor knows of the times at which it is due (see `sampling.py`).

    Attributes:
        number: how often it was due; never counted back.
        due_ns: sim time when it was due last, -1 before the first.
        NONE: of a sensor that nobody samples.
    """

    NONE: ClassVar[SampleClock]
    number = 1
    due_ns = -1

    def ask(self, sensor: Sensor) -> None:
        """Make the reading that a sensor owes."""

    def recheck(self) -> None:
        """Other sensors of it may be wanted than before."""


SampleClock.NONE = SampleClock()


@dataclass(eq=False)
class SensorState(DeviceState):
    """What changes of any sensor; all that changes of most.

    Attributes:
        latest: the last reading that was made.
        turn_seen: number of the turn that it owes no reading of.
        enabled: False: it is not sampled.
        is_held: a controller has enabled it: it is wanted whatever `demand` answers.
    """

    latest: Reading | None = None
    turn_seen: int = 1
    enabled: bool = True
    is_held: bool = False


class Sensor(Device):
    """A device that is sampled in phase 3, in the first step not before each multiple of its sampling period.

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
    channels: ChannelMap = MappingProxyType({})
    reading_faults: SensorFaults | None = None
    is_late = False
    uses_rays = False
    """True for sensors that ask for rays in `prepare`."""
    is_drawn = False
    """True for sensors whose readings another process draws, see `picture_sensor.py`."""
    turn: SampleClock = SampleClock.NONE
    listeners: tuple[Callable[[Any], None], ...] = ()
    state: SensorState
    state_type = SensorState
    _demand: Callable[[], bool] | None = None

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.period_ns = any_period(context.config.sampling_period or 0.0, context.world.step_ns)

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
        self.recheck()

    @property
    def is_held(self) -> bool:
        """A controller has enabled it: it is wanted whatever `demand` answers."""
        return self.state.is_held

    @is_held.setter
    def is_held(self, on: bool) -> None:
        self.state.is_held = on
        self.turn.recheck()

    @property
    def demand(self) -> Callable[[], bool] | None:
        """Asked when a sample is due: whether somebody wants it; who does not want it then cannot ask for it
        later. None: it is wanted if there are listeners, and may be asked for at any time."""
        return self._demand

    @demand.setter
    def demand(self, demand: Callable[[], bool] | None) -> None:
        self._demand = demand
        self.turn.recheck()

    def add_listener(self, listener: Callable[[Any], None]) -> None:
        """Tell somebody of each new reading."""
        self.listeners = (*self.listeners, listener)
        self.turn.recheck()

    def remove_listener(self, listener: Callable[[Any], None]) -> None:
        """Tell somebody no more; one that is not told is no error."""
        self.listeners = tuple(each for each in self.listeners if each != listener)
        self.turn.recheck()

    def span_ns(self, time_ns: int) -> int:
        """Nanoseconds of sim time since it was due before, at a time when it is due."""
        return due_span(time_ns, self.period_ns, self.world.step_ns)

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

    def be_due_in(self, turn: SampleClock) -> None:
        """From now on it is due with others; it owes nothing."""
        self.turn, self.state.turn_seen = turn, turn.number

    def recheck(self) -> None:
        """It may be wanted, or works, where it did not before."""
        self.turn.recheck()

    def catch_up(self) -> None:
        """Make the reading that is owed; something that it depends on is about to change."""
        if self.state.turn_seen != self.turn.number:
            self.turn.ask(self)

    def set_power(self, on: bool) -> None:
        """The robot's battery is empty, or no longer."""
        self.catch_up()
        super().set_power(on)
        self.recheck()

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
