"""Schedule of robots' devices and of periodic tasks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from sim_core.base.clock import SimClock, whole_steps_up
from sim_core.base.schedule import Schedule
from sim_core.base.state import State, Stateful
from sim_core.devices import Actuator, Device, Sensor
from sim_core.devices.base import DeviceKey
from sim_core.devices.drives.kinematic_drive import KinematicDrive
from sim_core.devices.drives.odometry import WheelOdometry
from sim_core.session.robot import Robot
from sim_core.session.sampling import Sampling

TimedCall = Callable[[int], object]
"""Called with the sim time in nanoseconds."""


@dataclass(eq=False)
class SchedulerState(State):
    """Actuators that are active, and due times of tasks.

    Attributes:
        awake: the actuators that have something to do in phase 1, in order.
        timers: next due time of the tasks of each period and phase, ns.
        time_ns: sim time of this state.
    """

    awake: tuple[DeviceKey, ...]
    timers: dict[tuple[int, int], int]
    time_ns: int


class Scheduler(Stateful):
    """Holds the actuators of phase 1 and the sensors and tasks of phase 3, as robots are added and removed.

    Attributes:
        awake: the actuators that have something to do in phase 1; an ordered set.
        motions: drives of robots without Physics, in order.
        tracked: the sensors that are updated in every step.
        tasks: called after phase 3 when they are due.
    """

    def __init__(self, clock: SimClock, odometry_period: float, sampling: Sampling) -> None:
        """Create a schedule without robots.

        Args:
            clock: of the simulation.
            odometry_period: seconds between two updates of dead reckoning, rounded up to whole steps.
            sampling: schedule of the sensors.
        """
        self._sampling = sampling
        self._clock = clock
        self._actuators: dict[DeviceKey, Actuator] = {}
        self.awake: dict[Actuator, None] = {}
        self.motions: list[KinematicDrive] = []
        self.tracked: list[Sensor] = []
        self.tasks: Schedule[TimedCall] = Schedule()
        self._reckoning_ns = whole_steps_up(odometry_period, clock.step_ns)
        self._reckonings: dict[WheelOdometry, TimedCall] = {}

    def parts(self) -> tuple[Stateful, ...]:
        """Return the schedule of the sensors."""
        return (self._sampling,)

    @property
    def state(self) -> SchedulerState:
        """Active actuators, and due times of tasks."""
        awake = tuple([actuator.key for actuator in self.awake])
        return SchedulerState(awake, self.tasks.timers(), self._clock.time_ns)

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, SchedulerState)
        self.awake.clear()
        self.awake.update((self._actuators[key], None) for key in state.awake)
        self.tasks.set_timers(state.timers, state.time_ns)

    def guard(self) -> Callable[[], None]:
        """Return a function that restores the active actuators; quicker than `state` with many robots."""
        awake = self.awake.copy()

        def put_back() -> None:
            self.awake.clear()
            self.awake.update(awake)

        return put_back

    def add_robot(self, robot: Robot) -> None:
        """Add a robot's devices."""
        self._add(robot, robot.devices.values())

    def exchange_devices(self, robot: Robot, added: Iterable[Device], removed: Iterable[Device]) -> None:
        """Add devices to a robot and remove others."""
        self._remove(removed)
        self._add(robot, added)

    def _add(self, robot: Robot, devices: Iterable[Device]) -> None:
        for device in devices:
            if isinstance(device, Actuator):
                self._add_actuator(device)
            if isinstance(device, Sensor):
                self._sampling.add_sensor(device, device.period_ns, may_lose_power=robot.battery is not None)
                if device.needs_tracking:
                    self.tracked.append(device)

    def remove_robot(self, robot: Robot) -> None:
        """Remove a robot's devices."""
        self._remove(robot.devices.values())

    def _remove(self, devices: Iterable[Device]) -> None:
        for device in devices:
            if isinstance(device, Actuator):
                self.awake.pop(device, None)
                del self._actuators[device.key]
                device.awake = None
            if isinstance(device, Sensor):
                self._sampling.remove_sensor(device)
                if device.needs_tracking:
                    self.tracked.remove(device)

    def set_order(self, robots: Collection[Robot]) -> None:
        """Set the order of devices to that of these robots, which are all that exist."""
        devices = [device for robot in robots for device in robot.devices.values()]
        sensors = [device for device in devices if isinstance(device, Sensor)]
        self._sampling.set_order(sensors)
        self.tracked[:] = [sensor for sensor in sensors if sensor.needs_tracking]
        awake = [device for device in devices if isinstance(device, Actuator) and device in self.awake]
        self.awake.clear()
        self.awake.update(dict.fromkeys(awake))

    def update_drives(self, robots: Collection[Robot]) -> None:
        """Update the drives: these robots exist, in scene order, each with its present drive."""
        self.motions[:] = [robot.motion for robot in robots if robot.motion is not None]
        wanted = {each.odometry: None for each in robots if each.odometry and not each.odometry.is_shared}
        for odometry in self._reckonings.keys() - wanted:
            self.tasks.remove(self._reckonings.pop(odometry))
        for odometry in wanted:
            if odometry not in self._reckonings:
                period_ns = odometry.steps * self._clock.step_ns
                self._reckonings[odometry] = self.add_odometry_task(odometry.update_pose, period_ns)

    def add_odometry_task(self, update: Callable[[], object], period_ns: int | None = None) -> TimedCall:
        """Add a task that updates dead reckoning once per period, from time 0 on; return it.

        `period_ns`: None: the common period.
        """

        def task(_: int) -> None:
            update()

        self.tasks.add(task, self._reckoning_ns if period_ns is None else period_ns)
        return task

    def act(self) -> None:
        """Phase 1: run the active actuators."""
        for actuator in list(self.awake):
            if not (actuator.state.is_powered and actuator.before_step()):
                del self.awake[actuator]

    def restart_devices(self, keep_clock: bool = False) -> None:
        """Restart: no actuator is active; periods count anew from time 0, or go on if sim time does."""
        self.awake.clear()
        if keep_clock:
            self._sampling.restart_readings()
        else:
            self.restart_periods()

    def restart_periods(self) -> None:
        """Count all periods from time 0 again."""
        self._sampling.restart_periods()
        self.tasks.restart_periods()

    def _add_actuator(self, actuator: Actuator) -> None:
        """Register an actuator; it becomes active whenever it is woken."""
        self._actuators[actuator.key] = actuator
        actuator.awake = self.awake
        actuator.wake()
