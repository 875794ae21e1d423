"""Actions of a controller that uses the `controller` module, beside device commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Done, Outcome
from sim_core.devices import Sensor
from sim_core.devices.motors.motor import Motor
from sim_core.devices.radio.receiver import Receiver
from sim_core.session.pipeline import Action

if TYPE_CHECKING:
    from sim_core.session.session import Session


@dataclass(frozen=True, slots=True)
class ControllerAction(Action):
    """An action of a robot's controller that needs no power."""

    robot: str


@dataclass(frozen=True, slots=True)
class Begin(ControllerAction):
    """Start of a controller: devices drop the settings that the previous controller made."""

    def _act(self, session: Session) -> None:
        for device in session.sim.robot(self.robot).devices.values():
            device.on_new_controller()


@dataclass(frozen=True, slots=True)
class End(ControllerAction):
    """End of a controller: its sensors are sampled as before, and its motions stop."""

    def _act(self, session: Session) -> None:
        robot = session.sim.robot(self.robot)
        for sensor in robot.sensors():
            sensor.enabled_by_controller = False
        robot.motion_control.close_motions()


@dataclass(frozen=True, slots=True)
class Enable(ControllerAction):
    """Sample a sensor with a period in ns from now on; 0: stop sampling it for this controller."""

    device: str
    period_ns: int

    def _act(self, session: Session) -> None:
        sensor = session.sim.robot(self.robot)[self.device]
        if not isinstance(sensor, Sensor):
            raise CommandError(f"{sensor.name} is no sensor")
        sensor.enabled_by_controller = self.period_ns > 0
        if sensor.enabled_by_controller:
            if isinstance(sensor, Receiver):
                sensor.keeps_packets = False  # the controller reads them
            session.sim.set_sampling_period(sensor, self.period_ns / 1e9)


@dataclass(frozen=True, slots=True)
class MeasureEffort(ControllerAction):
    """Measure the force or torque of a motor from now on."""

    device: str

    def _act(self, session: Session) -> None:
        motor = session.sim.robot(self.robot)[self.device]
        if not isinstance(motor, Motor):
            raise CommandError(f"{motor.name} is no motor")
        motor.enable_feedback()


@dataclass(frozen=True, slots=True)
class OpenMotion(ControllerAction):
    """Read a motion file to be played; the answer is the motion's number."""

    file: str

    def _act(self, session: Session) -> Outcome:
        return Done(session.sim.robot(self.robot).motion_control.open(self.file))


@dataclass(frozen=True, slots=True)
class RunMotion(ControllerAction):
    """Play or stop an opened motion.

    Attributes:
        number: of the motion.
        plays: True to play, False to stop.
    """

    number: int
    plays: bool

    def _act(self, session: Session) -> None:
        player = session.sim.robot(self.robot).motion_control.motion(self.number)
        (player.play if self.plays else player.stop)()


@dataclass(frozen=True, slots=True)
class SetMotion(ControllerAction):
    """Change how an opened motion is played; None leaves a value unchanged.

    Attributes:
        number: of the motion.
        time: playback time, s.
        loop, reverse: as `MotionPlayer` has them.
    """

    number: int
    time: float | None = None
    loop: bool | None = None
    reverse: bool | None = None

    def _act(self, session: Session) -> None:
        player = session.sim.robot(self.robot).motion_control.motion(self.number)
        if self.time is not None:
            player.set_time(self.time)
        if self.loop is not None:
            player.loop = self.loop
        if self.reverse is not None:
            player.reverse = self.reverse


ACTIONS = (Begin, End, Enable, MeasureEffort, OpenMotion, RunMotion, SetMotion)
