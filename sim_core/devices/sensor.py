"""Base of sensors: devices that are sampled at multiples of their period; `sampling.py` schedules them."""

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
    """Base of all readings: the sim time of the measurement, in nanoseconds."""

    time_ns: int


class SampleClock:
    """Sample times of a sensor (see `sampling.py`).

    Attributes:
        number: how many times the sensor was due; never decreases.
        due_ns: sim time when it was last due, -1 before the first.
        NONE: clock of a sensor that is never sampled.
    """

    NONE: ClassVar[SampleClock]
    number = 1
    due_ns = -1

    def make_due_reading(self, sensor: Sensor) -> None:
        """Make the sensor's due reading, which was postponed until needed."""

    def recheck(self) -> None:
        """Update which sensors may be wanted."""


SampleClock.NONE = SampleClock()


@dataclass(eq=False)
class SensorState(DeviceState):
    """State of any sensor; most sensors have no more.

    Attributes:
        latest: the last reading that was made.
        seen_number: `SampleClock.number` of the last due sample that was made or skipped.
        enabled: False: the sensor is not sampled.
        enabled_by_controller: a controller has enabled it, so it is wanted whatever `demand` returns.
    """

    latest: Reading | None = None
    seen_number: int = 1
    enabled: bool = True
    enabled_by_controller: bool = False


class Sensor(Device):
    """A device that is sampled in phase 3, in the first step not before each multiple of its sampling period.

    Without a subscriber, a due reading is made only when it is requested; it is the reading of the last due
    time.

    Attributes:
        channels: the values of its readings, by field name; `value` among them.
        reading_faults: faults applied to its readings (see `faults.py`); None: no faults.
        listeners: called with each new reading.
        sample_clock: clock of its sample times.
        is_late: readings may be lost or delayed (see `faults.py`).
        period_ns: sampling period; changed through `Simulation.set_sampling_period`.
    """

    needs_tracking = False
    """True for sensors that must observe every step, sampled or not (see `track`)."""
    channels: ChannelMap = MappingProxyType({})
    reading_faults: SensorFaults | None = None
    is_late = False
    uses_rays = False
    """True for sensors that request rays in `prepare`."""
    is_drawn = False
    """True for sensors whose readings are drawn by the render process, see `picture_sensor.py`."""
    sample_clock: SampleClock = SampleClock.NONE
    listeners: tuple[Callable[[Any], None], ...] = ()
    state: SensorState
    state_type = SensorState
    _demand: Callable[[], bool] | None = None

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.period_ns = any_period(context.config.sampling_period or 0.0, context.world.clock.step_ns)

    @property
    def reading(self) -> Any:
        """Last reading, None before the first."""
        if self.state.seen_number != self.sample_clock.number:
            self.sample_clock.make_due_reading(self)
        return self.state.latest

    @reading.setter
    def reading(self, reading: Any) -> None:
        self.state.latest = reading
        self.state.seen_number = self.sample_clock.number

    @property
    def value(self) -> Any:
        """Value of the last reading, None before the first; each sensor documents its type and unit."""
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
    def enabled_by_controller(self) -> bool:
        """True if a controller has enabled the sensor; it is then wanted whatever `demand` returns."""
        return self.state.enabled_by_controller

    @enabled_by_controller.setter
    def enabled_by_controller(self, on: bool) -> None:
        self.state.enabled_by_controller = on
        self.sample_clock.recheck()

    @property
    def demand(self) -> Callable[[], bool] | None:
        """Function that returns True if the due sample is wanted; called when a sample is due, and a
        sample that is not wanted then cannot be requested later. None: it is wanted if there are
        listeners, and may be requested any time."""
        return self._demand

    @demand.setter
    def demand(self, demand: Callable[[], bool] | None) -> None:
        self._demand = demand
        self.sample_clock.recheck()

    def add_listener(self, listener: Callable[[Any], None]) -> None:
        """Call a function with each new reading."""
        self.listeners = (*self.listeners, listener)
        self.sample_clock.recheck()

    def remove_listener(self, listener: Callable[[Any], None]) -> None:
        """Stop calling a function; no error if it was not added."""
        self.listeners = tuple(each for each in self.listeners if each != listener)
        self.sample_clock.recheck()

    def span_ns(self, time_ns: int) -> int:
        """Nanoseconds of sim time since it was due before, at a time when it is due."""
        return due_span(time_ns, self.period_ns, self.world.clock.step_ns)

    @property
    def can_sample(self) -> bool:
        """True if the sensor can be sampled: it is enabled and has power."""
        return self.state.enabled and self.state.is_powered

    @property
    def is_cumulative(self) -> bool:
        """True if readings depend on the samples before; then each due sample is made unless `demand`
        returns False."""
        return self.is_late

    def may_be_wanted(self) -> bool:
        """Return False if no sample is wanted until the next call of `recheck`."""
        if self.state.enabled_by_controller or self.listeners or self._demand is not None:
            return True
        return self.is_cumulative or self.reading_faults is not None

    def is_wanted(self) -> bool:
        """Return True if a due sample should be made at once."""
        state = self.state
        if not (state.enabled and state.is_powered):
            return False
        if self._demand is not None:
            return state.enabled_by_controller or self._demand()
        return state.enabled_by_controller or bool(self.listeners) or self.is_cumulative

    def use_sample_clock(self, clock: SampleClock) -> None:
        """Set the clock of the sample times; no reading is due yet."""
        self.sample_clock, self.state.seen_number = clock, clock.number

    def recheck(self) -> None:
        """Update the schedule after a change of whether the sensor is wanted or can be sampled."""
        self.sample_clock.recheck()

    def catch_up(self) -> None:
        """Make a postponed reading now, before something that it depends on changes."""
        if self.state.seen_number != self.sample_clock.number:
            self.sample_clock.make_due_reading(self)

    def set_power(self, on: bool) -> None:
        """Switch the sensor off when the robot's battery becomes empty, or on again."""
        self.catch_up()
        super().set_power(on)
        self.recheck()

    def prepare(self, rays: RayBatch) -> None:
        """Request the rays that the next sample needs; most sensors need none."""

    def sample(self, time_ns: int) -> Any:
        """Measure now, without faults and without changing the world.

        Returns:
            A frozen dataclass derived from Reading whose fields are the channels.
        """
        raise TypeError(f"{type(self).__name__} does not implement sample()")

    def take_sample(self, time_ns: int) -> Any:
        """Measure now, with faults."""
        faults = self.reading_faults
        return self.sample(time_ns) if faults is None else faults.sample(time_ns)

    def dispatch(self, reading: Any) -> None:
        """Deliver a reading with faults: now, later or never."""
        if self.reading_faults is None:
            self.deliver(reading)
        else:
            self.reading_faults.dispatch(reading)

    def update(self, time_ns: int) -> None:
        """Make a reading, store it and call the listeners."""
        faults = self.reading_faults
        if faults is None:
            self.deliver(self.sample(time_ns))
        else:
            faults.dispatch(faults.sample(time_ns))

    def deliver(self, reading: Any) -> None:
        """Store a reading and call the listeners."""
        self.reading = reading
        for listener in self.listeners:
            listener(reading)

    def track(self, time_ns: int) -> None:
        """Observe a physics step; called after each one if `needs_tracking`. Must be cheap and change
        nothing."""

    def reset(self) -> None:
        """Return to the state at the start; listeners and enabling stay."""
        before = self.state
        super().reset()
        self.state.enabled, self.state.enabled_by_controller = before.enabled, before.enabled_by_controller
        self.state.seen_number = self.sample_clock.number
