"""When readings are made: when they are due and wanted.

A sensor is due at the multiples of its sampling period. Where somebody has said that he wants its readings
(`Sensor.is_wanted`: by a listener, a demand, or a controller that holds it), or where each of its samples
counts for the next ones, the reading is made then. All others are owed: who asks for a reading gets the one
of the last due time, made at that moment from the state that the world has been in since. That is possible as
long as the world has not moved on; so what may be asked for later than that is made before it does.
Readings that the next ones take the place of before anybody could ask are never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sim_core.base.schedule import Schedule
from sim_core.base.state import State, Stateful
from sim_core.devices import Sensor
from sim_core.devices.base import DeviceKey
from sim_core.devices.sensor import SampleClock

Measure = Callable[[Sequence[Sensor]], None]


class Sampled(NamedTuple):
    """How a sensor is sampled."""

    sensor: DeviceKey
    period_ns: int
    phase_ns: int
    is_fickle: bool
    """It may cease to work at any step, so that its last reading stays."""


class TurnState(NamedTuple):
    """What changes of a turn."""

    number: int
    due_ns: int
    cast_in: int


@dataclass(eq=False)
class SamplingState(State):
    """When which sensors are due.

    Attributes:
        sampled: in the order in which readings are made.
        turns, timers: by period and phase in ns; when each is due next.
        time_ns: of this state.
    """

    sampled: tuple[Sampled, ...]
    turns: dict[tuple[int, int], TurnState]
    timers: dict[tuple[int, int], int]
    time_ns: int


class SensorTurn(SampleClock):
    """The sensors that are due at the same times.

    Rays are cheaper together: sensors with rays that are asked for again and again are measured with the
    first of them. Whether they still are is noted in every sixteenth turn: it costs a call for each.

    Attributes:
        sensors: in the order in which they were added.
        period_ns: of all of them.
        due_ns: when they were due last.
    """

    NOTED_EVERY = 16

    def __init__(self, period_ns: int, measure: Measure, now_ns: Callable[[], int]) -> None:
        self.sensors: list[Sensor] = []
        self.period_ns = period_ns
        self.due_ns = -1
        self._measure, self._now_ns = measure, now_ns
        self._cast_in = 0  # the last turn in which rays were asked for
        self._noted_in = 0
        self._asked: dict[Sensor, None] = {}  # for their rays, in that turn or later
        self._perhaps: list[Sensor] | None = None  # wanted; as long as it holds

    @property
    def state(self) -> TurnState:
        """What changes, but for who will be measured together."""
        return TurnState(self.number, self.due_ns, self._cast_in)

    @state.setter
    def state(self, state: TurnState) -> None:
        self.number, self.due_ns, self._cast_in = state
        self._perhaps = None

    def recheck(self) -> None:
        """Others of them may be wanted than before."""
        self._perhaps = None

    def begin(self, now_ns: int) -> list[Sensor]:
        """They are due; what was owed before is owed no more.

        Returns:
            Those that may be wanted.
        """
        self.due_ns = now_ns
        self.number += 1
        if self._perhaps is None:
            self._perhaps = [sensor for sensor in self.sensors if sensor.may_be_wanted()]
        return self._perhaps

    def close(self) -> None:
        """What is owed is owed no more, and what was read is of an old time."""
        self.due_ns = -1
        for sensor in self.sensors:
            sensor.reading = None

    def add(self, sensor: Sensor) -> None:
        """One more is due then; it owes nothing."""
        self.sensors.append(sensor)
        self._perhaps = None
        sensor.use_sample_clock(self)

    def remove(self, sensor: Sensor) -> None:
        """One of them is due no more."""
        self.sensors.remove(sensor)
        self._perhaps = None
        self._asked.pop(sensor, None)
        sensor.use_sample_clock(SampleClock.NONE)

    def make_due_reading(self, sensor: Sensor) -> None:
        """Make the reading that is owed."""
        if sensor.state.seen_number == -self.number:  # it has been made together with others
            self._asked[sensor] = None
        elif sensor.can_sample and self.due_ns == self._now_ns():
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

    def settle(self, sensors: Sequence[Sensor] | None = None) -> None:
        """Make all readings that are owed, or those of some of its sensors."""
        if self.due_ns == self._now_ns():
            among = self.sensors if sensors is None else sensors
            owing = [sensor for sensor in among if self._owes(sensor) and sensor.can_sample]
            if owing:
                self._measure(owing)

    def _owes(self, sensor: Sensor) -> bool:
        return abs(sensor.state.seen_number) != self.number


class Sampling(Stateful):
    """Keeps the turns of all sensors.

    Attributes:
        schedule: says when which of them are due.
        slow: those that are not due after every step, and those of fickle sensors.
    """

    def __init__(self, step_ns: int, measure: Measure, now_ns: Callable[[], int]) -> None:
        """`measure` lets sensors make a reading of the present state."""
        self._step_ns = step_ns
        self._measure, self._now_ns = measure, now_ns
        self.schedule: Schedule[SensorTurn] = Schedule()
        self._turns: dict[tuple[int, int], SensorTurn] = {}
        self.slow: list[SensorTurn] = []
        self._order: dict[Sensor, int] = {}
        self._count = 0
        self._sensors: dict[DeviceKey, Sensor] = {}
        self._sampled: tuple[Sampled, ...] | None = None  # as long as it holds
        self._fickle: dict[Sensor, None] = {}

    @property
    def state(self) -> SamplingState:
        """When which sensors are due."""
        turns = {key: turn.state for key, turn in self._turns.items()}
        return SamplingState(self._all_sampled(), turns, self.schedule.timers(), self._now_ns())

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, SamplingState)
        if state.sampled != self._all_sampled():
            self._sample_only(state.sampled)
        for key, turn in self._turns.items():
            turn.state = state.turns[key]
        self.schedule.set_timers(state.timers, state.time_ns)

    def _all_sampled(self) -> tuple[Sampled, ...]:
        if self._sampled is None:
            keys = {id(turn): key for key, turn in self._turns.items()}
            self._sampled = tuple(
                Sampled(sensor.key, *keys[id(sensor.sample_clock)], sensor in self._fickle)
                for sensor in self._order
            )
        return self._sampled

    def _sample_only(self, sampled: tuple[Sampled, ...]) -> None:
        """Sample these sensors and no others; nothing is owed."""
        for sensor in self._order:
            sensor.use_sample_clock(SampleClock.NONE)
        self.schedule.clear()
        for each in (self._turns, self.slow, self._order, self._fickle):
            each.clear()
        for key, period_ns, phase_ns, is_fickle in sampled:
            sensor = self._sensors[key]
            sensor.period_ns = period_ns
            self.add(sensor, period_ns, phase_ns, is_fickle=is_fickle)

    @property
    def is_heard(self) -> bool:
        """Somebody is told of readings during steps, and may then ask for others."""
        return any(sensor.listeners for sensor in self._order)

    def add(self, sensor: Sensor, period_ns: int, start_ns: int = 0, *, is_fickle: bool = False) -> None:
        """A sensor is due at `start_ns` + 1, 2, 3… periods.

        Args:
            sensor: sampled from now on.
            period_ns: of sim time.
            start_ns: see above.
            is_fickle: it may cease to work at any step, so that its last reading stays.
        """
        self._sampled = None
        self._sensors[sensor.key] = sensor
        key = (period_ns, start_ns % period_ns)
        turn = self._turns.get(key)
        if turn is None:
            turn = self._turns[key] = SensorTurn(period_ns, self._measure, self._now_ns)
            self.schedule.add(turn, period_ns, start_ns)
        if turn not in self.slow and (period_ns > self._step_ns or is_fickle):
            self.slow.append(turn)
        turn.add(sensor)
        self._order[sensor] = self._count
        self._count += 1
        if is_fickle:
            self._fickle[sensor] = None

    def remove(self, sensor: Sensor) -> bool:
        """Sample a sensor no more, after what it owes; one that is not there is no error.

        Returns:
            Whether it was fickle.
        """
        if sensor not in self._order:
            return False
        sensor.catch_up()
        self._sampled = None
        turn = sensor.sample_clock
        assert isinstance(turn, SensorTurn)
        turn.remove(sensor)
        del self._order[sensor], self._sensors[sensor.key]
        if not turn.sensors:
            self.schedule.remove(turn)
            self._turns = {key: each for key, each in self._turns.items() if each is not turn}
            self.slow = [each for each in self.slow if each is not turn]
        if sensor in self._fickle:
            del self._fickle[sensor]
            return True
        return False

    def put_in_order(self, sensors: Iterable[Sensor]) -> None:
        """Make readings in this order of all that there are."""
        self._sampled = None
        known = [sensor for sensor in sensors if sensor in self._order]
        self._order = {sensor: place for place, sensor in enumerate(known)}
        self._count = len(self._order)
        for turn in self._turns.values():
            turn.sensors.sort(key=self._order.__getitem__)
            turn.recheck()

    def sample(self, now_ns: int) -> None:
        """Phase 3: make the readings that are due and wanted."""
        turns = self.schedule.due(now_ns)
        wanted: list[Sensor] = []
        for turn in turns:
            for sensor in turn.begin(now_ns):
                faults = sensor.reading_faults
                if sensor.is_wanted() or (faults is not None and faults.needs_sample()):
                    wanted.append(sensor)
                elif sensor.demand is not None:
                    sensor.state.seen_number = turn.number  # who may want it says so before
        if len(turns) > 1:
            wanted.sort(key=self._order.__getitem__)
        if wanted:
            self._measure(wanted)

    def before_step(self, turn: SensorTurn, end_ns: int) -> None:
        """The world moves on: make what is owed and may still be asked for.

        Args:
            turn: one that is due now.
            end_ns: until this sim time nobody asks for a reading.
        """
        if turn.period_ns > self._step_ns and turn.due_ns + turn.period_ns > end_ns:
            turn.settle()
        elif self._fickle:
            turn.settle([sensor for sensor in turn.sensors if sensor in self._fickle])

    def settle(self) -> None:
        """The world is about to be changed: make all readings that are owed."""
        for turn in self._turns.values():
            turn.settle()

    def restart(self) -> None:
        """Count all periods from time 0 again; nothing has been read."""
        self.schedule.restart()
        for turn in self._turns.values():
            turn.close()
