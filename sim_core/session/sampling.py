"""Schedule of sensors: when readings are due and which of them are made.

A sensor is due in the first step that does not end before a multiple of its sampling period, whether or not
that is a multiple of the step: so rates are kept in the mean. If its readings are wanted
(`Sensor.is_wanted`: by a listener, a demand, or a controller), or if each sample affects the next ones, the
reading is made then. All other readings are owed: the first request for one makes it for the last due time,
from the state that the world has had since. That is possible as long as the world has not moved on, so
readings that may be requested later are made before it does. Readings that are superseded before anyone can
request them are never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.clock import SimClock
from sim_core.base.schedule import Schedule
from sim_core.base.state import State, Stateful
from sim_core.devices import Sensor
from sim_core.devices.base import DeviceKey
from sim_core.devices.sensor import SampleClock

Measure = Callable[[Sequence[Sensor]], None]


class SampledSensor(NamedTuple):
    """Sampling of one sensor, as in snapshots."""

    sensor: DeviceKey
    period_ns: int
    phase_ns: int
    may_lose_power: bool
    """True if the sensor may lose power at any step, so that its last reading remains."""


class TurnState(NamedTuple):
    """State of a `SensorTurn` that changes with time."""

    number: int
    due_ns: int
    cast_in: int


@dataclass(eq=False)
class SamplingState(State):
    """Due times of sensors.

    Attributes:
        sampled: in the order in which readings are made.
        turns, timers: by period and phase in ns; when each is due next.
        time_ns: sim time of this state.
    """

    sampled: tuple[SampledSensor, ...]
    turns: dict[tuple[int, int], TurnState]
    timers: dict[tuple[int, int], int]
    time_ns: int


class SensorTurn(SampleClock):
    """The sensors that are due at the same times.

    Rays are cheaper in one batch: sensors with rays that are requested regularly are measured together with
    the first of them. Every 16th turn checks which they are, because it costs one call per sensor.

    Attributes:
        sensors: in the order in which they were added.
        period_ns: common period.
        due_ns: last due time.
    """

    NOTED_EVERY = 16

    def __init__(self, period_ns: int, measure: Measure, clock: SimClock) -> None:
        self.sensors: list[Sensor] = []
        self.period_ns = period_ns
        self.due_ns = -1
        self._measure, self._clock = measure, clock
        self._cast_in = 0  # the last turn in which rays were cast
        self._noted_in = 0
        self._asked: dict[Sensor, None] = {}  # sensors whose rays were requested since then
        self._may_be_wanted: list[Sensor] | None = None  # cache of the sensors that may be wanted

    @property
    def state(self) -> TurnState:
        """State, except which sensors are measured together."""
        return TurnState(self.number, self.due_ns, self._cast_in)

    @state.setter
    def state(self, state: TurnState) -> None:
        self.number, self.due_ns, self._cast_in = state
        self._may_be_wanted = None

    def recheck(self) -> None:
        """Clear the cache of sensors that may be wanted."""
        self._may_be_wanted = None

    def start_turn(self, now_ns: int) -> list[Sensor]:
        """Start a turn: the sensors are due now; readings owed before are dropped.

        Returns:
            The sensors that may be wanted.
        """
        self.due_ns = now_ns
        self.number += 1
        if self._may_be_wanted is None:
            self._may_be_wanted = [sensor for sensor in self.sensors if sensor.may_be_wanted()]
        return self._may_be_wanted

    def close(self) -> None:
        """Drop owed readings and mark readings as outdated."""
        self.due_ns = -1
        for sensor in self.sensors:
            sensor.reading = None

    def add_sensor(self, sensor: Sensor) -> None:
        """Add a sensor; it owes no reading."""
        self.sensors.append(sensor)
        self._may_be_wanted = None
        sensor.use_sample_clock(self)

    def remove_sensor(self, sensor: Sensor) -> None:
        """Remove a sensor."""
        self.sensors.remove(sensor)
        self._may_be_wanted = None
        self._asked.pop(sensor, None)
        sensor.use_sample_clock(SampleClock.NONE)

    def make_due_reading(self, sensor: Sensor) -> None:
        """Make the owed reading of a sensor."""
        if sensor.state.seen_number == -self.number:  # it has been made together with others
            self._asked[sensor] = None
        elif sensor.can_sample and self.due_ns == self._clock.time_ns:
            if sensor.uses_rays:
                self._cast(sensor)
            else:
                self._measure([sensor])
        sensor.state.seen_number = self.number

    def _cast(self, sensor: Sensor) -> None:
        number = self.number
        if self._cast_in == number:
            self._measure([sensor])
        else:
            self._cast_in = sensor.state.seen_number = number
            others = [
                each
                for each in self._asked
                if (state := each.state).seen_number != number and state.enabled and state.is_powered
            ]
            self._measure([sensor, *others])
            if abs(number - self._noted_in) >= self.NOTED_EVERY:
                self._noted_in = number
                self._asked.clear()
                for each in others:
                    each.state.seen_number = -number
        self._asked[sensor] = None

    def measure_due(self, sensors: Sequence[Sensor] | None = None) -> None:
        """Make all owed readings, or those of some sensors."""
        if self.due_ns == self._clock.time_ns:
            among = self.sensors if sensors is None else sensors
            owing = [sensor for sensor in among if self._owes(sensor) and sensor.can_sample]
            if owing:
                self._measure(owing)

    def _owes(self, sensor: Sensor) -> bool:
        return abs(sensor.state.seen_number) != self.number


class Sampling(Stateful):
    """Schedule of all sensors.

    Attributes:
        schedule: due times of the turns.
        slow: turns that are not due in every step, and those with sensors that may lose power.
    """

    def __init__(self, clock: SimClock, measure: Measure) -> None:
        """Create an empty schedule; `measure` makes readings of the present state."""
        self._measure, self._clock = measure, clock
        self.schedule: Schedule[SensorTurn] = Schedule()
        self._turns: dict[tuple[int, int], SensorTurn] = {}
        self.slow: list[SensorTurn] = []
        self._order: dict[Sensor, int] = {}
        self._count = 0
        self._sensors: dict[DeviceKey, Sensor] = {}
        self._sampled: tuple[SampledSensor, ...] | None = None  # cache
        self._may_lose_power: dict[Sensor, None] = {}

    @property
    def state(self) -> SamplingState:
        """Due times of the sensors."""
        turns = {key: turn.state for key, turn in self._turns.items()}
        return SamplingState(self._all_sampled(), turns, self.schedule.timers(), self._clock.time_ns)

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, SamplingState)
        if state.sampled != self._all_sampled():
            self._sample_only(state.sampled)
        for key, turn in self._turns.items():
            turn.state = state.turns[key]
        self.schedule.set_timers(state.timers, state.time_ns)

    def _all_sampled(self) -> tuple[SampledSensor, ...]:
        if self._sampled is None:
            keys = {id(turn): key for key, turn in self._turns.items()}
            self._sampled = tuple(
                SampledSensor(sensor.key, *keys[id(sensor.sample_clock)], sensor in self._may_lose_power)
                for sensor in self._order
            )
        return self._sampled

    def _sample_only(self, sampled: tuple[SampledSensor, ...]) -> None:
        """Sample exactly these sensors; no readings are owed."""
        for sensor in self._order:
            sensor.use_sample_clock(SampleClock.NONE)
        self.schedule.clear()
        for each in (self._turns, self.slow, self._order, self._may_lose_power):
            each.clear()
        for key, period_ns, phase_ns, may_lose_power in sampled:
            sensor = self._sensors[key]
            sensor.period_ns = period_ns
            self.add_sensor(sensor, period_ns, phase_ns, may_lose_power=may_lose_power)

    @property
    def has_listeners(self) -> bool:
        """True if any sensor has listeners, which may request other readings during a step."""
        return any(sensor.listeners for sensor in self._order)

    def add_sensor(
        self, sensor: Sensor, period_ns: int, start_ns: int = 0, *, may_lose_power: bool = False
    ) -> None:
        """Add a sensor that is due at `start_ns` + 1, 2, 3… periods.

        Args:
            sensor: the sensor.
            period_ns: of sim time.
            start_ns: see above.
            may_lose_power: it may stop at any step, so that its last reading remains.
        """
        self._sampled = None
        self._sensors[sensor.key] = sensor
        key = (period_ns, start_ns % period_ns)
        turn = self._turns.get(key)
        if turn is None:
            turn = self._turns[key] = SensorTurn(period_ns, self._measure, self._clock)
            self.schedule.add(turn, period_ns, start_ns)
        if turn not in self.slow and (period_ns > self._clock.step_ns or may_lose_power):
            self.slow.append(turn)
        turn.add_sensor(sensor)
        self._order[sensor] = self._count
        self._count += 1
        if may_lose_power:
            self._may_lose_power[sensor] = None

    def remove_sensor(self, sensor: Sensor) -> bool:
        """Remove a sensor after making its owed reading; an unknown sensor is ignored.

        Returns:
            True if it may lose power.
        """
        if sensor not in self._order:
            return False
        sensor.catch_up()
        self._sampled = None
        turn = sensor.sample_clock
        assert isinstance(turn, SensorTurn)
        turn.remove_sensor(sensor)
        del self._order[sensor], self._sensors[sensor.key]
        if not turn.sensors:
            self.schedule.remove(turn)
            self._turns = {key: each for key, each in self._turns.items() if each is not turn}
            self.slow = [each for each in self.slow if each is not turn]
        if sensor in self._may_lose_power:
            del self._may_lose_power[sensor]
            return True
        return False

    def set_period(self, sensor: Sensor, period_ns: int, start_ns: int) -> None:
        """Let a sensor have another period; see `add_sensor`."""
        may_lose_power = self.remove_sensor(sensor)
        sensor.period_ns = period_ns
        self.add_sensor(sensor, period_ns, start_ns, may_lose_power=may_lose_power)

    def set_order(self, sensors: Iterable[Sensor]) -> None:
        """Set the order in which readings are made."""
        self._sampled = None
        known = [sensor for sensor in sensors if sensor in self._order]
        self._order = {sensor: place for place, sensor in enumerate(known)}
        self._count = len(self._order)
        for turn in self._turns.values():
            turn.sensors.sort(key=self._order.__getitem__)
            turn.recheck()

    def sample_due(self, now_ns: int) -> None:
        """Phase 3: make the readings that are due and wanted."""
        turns = self.schedule.due(now_ns)
        wanted: list[Sensor] = []
        for turn in turns:
            for sensor in turn.start_turn(now_ns):
                if sensor.is_wanted() or (
                    (faults := sensor.reading_faults) is not None and faults.needs_sample()
                ):
                    wanted.append(sensor)
                elif sensor.demand is not None:
                    # its reading would have been requested before the step, so nothing is owed
                    sensor.state.seen_number = turn.number
        if len(turns) > 1:
            wanted.sort(key=self._order.__getitem__)
        if wanted:
            self._measure(wanted)

    def sample_owed(self, turn: SensorTurn, end_ns: int) -> None:
        """Make readings that are owed and may still be requested, before the world moves on.

        Args:
            turn: a turn that is due now.
            end_ns: no reading is requested before this sim time.
        """
        if turn.period_ns > self._clock.step_ns and turn.due_ns + turn.period_ns > end_ns:
            turn.measure_due()
        elif self._may_lose_power:
            turn.measure_due([sensor for sensor in turn.sensors if sensor in self._may_lose_power])

    def measure_due(self) -> None:
        """Make all owed readings, before the world is changed."""
        for turn in self._turns.values():
            turn.measure_due()

    def restart_periods(self) -> None:
        """Count all periods from time 0 again; drop all readings."""
        self.schedule.restart_periods()
        self.restart_readings()

    def restart_readings(self) -> None:
        """Discard all readings, also owed ones; the periods continue."""
        for turn in self._turns.values():
            turn.close()
