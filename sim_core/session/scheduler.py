"""What each step has to do for the robots and tasks of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from sim_core.base.clock import to_nanoseconds
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
    """Who acts next, and when tasks are due.

    Attributes:
        awake: the actuators that have something to do in phase 1, in their order.
        timers: when the tasks of each period and phase are due next, ns.
        time_ns: of this state.
    """

    awake: tuple[DeviceKey, ...]
    timers: dict[tuple[int, int], int]
    time_ns: int


class Scheduler(Stateful):
    """Keeps who acts in phase 1, and who is due in phase 3, as robots come and go.

    Attributes:
        awake: the actuators that have something to do in phase 1; a set that keeps its order.
        motions: of robots without Physics that drive, in their order.
        tracked: the sensors that look at every step.
        tasks: what else is done after phase 3.
    """

    def __init__(
        self, step_ns: int, odometry_period: float, sampling: Sampling, now_ns: Callable[[], int]
    ) -> None:
        """Nobody is there yet.

        Args:
            step_ns: of the simulation.
            odometry_period: seconds between two looks of dead reckoning, rounded up to whole steps.
            sampling: takes the sensors.
            now_ns: tells the sim time.
        """
        self._sampling = sampling
        self._now_ns = now_ns
        self._actuators: dict[DeviceKey, Actuator] = {}
        self.awake: dict[Actuator, None] = {}
        self.motions: list[KinematicDrive] = []
        self.tracked: list[Sensor] = []
        self.tasks: Schedule[TimedCall] = Schedule()
        self._step_ns = step_ns
        self._reckoning_ns = max(1, -(-to_nanoseconds(odometry_period) // step_ns)) * step_ns
        self._reckonings: dict[WheelOdometry, TimedCall] = {}

    def parts(self) -> tuple[Stateful, ...]:
        """When sensors are due."""
        return (self._sampling,)

    @property
    def state(self) -> SchedulerState:
        """Who acts next, and when tasks are due."""
        awake = tuple([actuator.key for actuator in self.awake])
        return SchedulerState(awake, self.tasks.timers(), self._now_ns())

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, SchedulerState)
        self.awake.clear()
        self.awake.update((self._actuators[key], None) for key in state.awake)
        self.tasks.set_timers(state.timers, state.time_ns)

    def take_in(self, robot: Robot) -> None:
        """A robot is there from now on."""
        self._take(robot, robot.devices.values())

    def exchange(self, robot: Robot, come: Iterable[Device], gone: Iterable[Device]) -> None:
        """Devices came to a robot and went from it."""
        self._drop(gone)
        self._take(robot, come)

    def _take(self, robot: Robot, devices: Iterable[Device]) -> None:
        for device in devices:
            if isinstance(device, Actuator):
                self._manage(device)
            if isinstance(device, Sensor):
                self._sampling.add(device, device.period_ns, is_fickle=robot.battery is not None)
                if device.needs_tracking:
                    self.tracked.append(device)

    def let_go_of(self, robot: Robot) -> None:
        """A robot is no longer there."""
        self._drop(robot.devices.values())

    def _drop(self, devices: Iterable[Device]) -> None:
        for device in devices:
            if isinstance(device, Actuator):
                self.awake.pop(device, None)
                del self._actuators[device.key]
                device.awake = None
            if isinstance(device, Sensor):
                self._sampling.remove(device)
                if device.needs_tracking:
                    self.tracked.remove(device)

    def put_in_order(self, robots: Collection[Robot]) -> None:
        """Let devices act and be sampled in the order of these robots, which are all that there are."""
        devices = [device for robot in robots for device in robot.devices.values()]
        sensors = [device for device in devices if isinstance(device, Sensor)]
        self._sampling.put_in_order(sensors)
        self.tracked[:] = [sensor for sensor in sensors if sensor.needs_tracking]
        awake = [device for device in devices if isinstance(device, Actuator) and device in self.awake]
        self.awake.clear()
        self.awake.update(dict.fromkeys(awake))

    def drives_are(self, robots: Collection[Robot]) -> None:
        """These robots are there, in the order of the scene, each with the drive that it has now."""
        self.motions[:] = [robot.motion for robot in robots if robot.motion is not None]
        wanted = {each.odometry: None for each in robots if each.odometry and not each.odometry.is_shared}
        for odometry in self._reckonings.keys() - wanted:
            self.tasks.remove(self._reckonings.pop(odometry))
        for odometry in wanted:
            if odometry not in self._reckonings:
                period_ns = odometry.steps * self._step_ns
                self._reckonings[odometry] = self.reckon(odometry.update, period_ns)

    def reckon(self, look: Callable[[], object], period_ns: int | None = None) -> TimedCall:
        """Let dead reckoning look at the wheels once per period, from time 0 on; returns the task.

        `period_ns`: None: that of all.
        """

        def task(_: int) -> None:
            look()

        self.tasks.add(task, self._reckoning_ns if period_ns is None else period_ns)
        return task

    def act(self) -> None:
        """Phase 1: the actuators that have something to do."""
        for actuator in list(self.awake):
            if not (actuator.state.is_powered and actuator.before_step()):
                del self.awake[actuator]

    def restart(self, keep_clock: bool = False) -> None:
        """All is at its start: nobody is awake; periods count anew from time 0, or on if sim time does."""
        self.awake.clear()
        if keep_clock:
            self._sampling.forget()
        else:
            self.restart_periods()

    def restart_periods(self) -> None:
        """All periods count from time 0 again."""
        self._sampling.restart()
        self.tasks.restart()

    def _manage(self, actuator: Actuator) -> None:
        """Let an actuator into phase 1 whenever it wakes up."""
        self._actuators[actuator.key] = actuator
        actuator.awake = self.awake
        actuator.wake()
