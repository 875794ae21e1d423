"""What a controller that imports `controller` asks for beside the commands of devices, as records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Done, Outcome
from sim_core.devices import Sensor
from sim_core.devices.motors.motor import Motor
from sim_core.devices.radio.receiver import Receiver
from sim_core.session.pipeline import Wish

if TYPE_CHECKING:
    from sim_core.session.session import Session


@dataclass(frozen=True, slots=True)
class OfController(Wish):
    """A wish of a robot's controller that needs no power."""

    robot: str


@dataclass(frozen=True, slots=True)
class Begin(OfController):
    """A controller begins: devices forget what the last one told them to keep."""

    def _act(self, session: Session) -> None:
        for device in session.sim.robot(self.robot).devices.values():
            device.on_new_controller()


@dataclass(frozen=True, slots=True)
class End(OfController):
    """A controller has gone: its sensors are as they were, and its motions stop."""

    def _act(self, session: Session) -> None:
        robot = session.sim.robot(self.robot)
        for sensor in robot.sensors():
            sensor.enabled_by_controller = False
        robot.leading.drop_motions()


@dataclass(frozen=True, slots=True)
class Enable(OfController):
    """Sample a sensor by a period in ns from now on, or no longer for this controller (0)."""

    device: str
    period_ns: int

    def _act(self, session: Session) -> None:
        sensor = session.sim.robot(self.robot)[self.device]
        if not isinstance(sensor, Sensor):
            raise CommandError(f"{sensor.name} is no sensor")
        sensor.enabled_by_controller = self.period_ns > 0
        if sensor.enabled_by_controller:
            if isinstance(sensor, Receiver):
                sensor.keeps_packets = False  # they are the controller's
            session.sim.set_sampling_period(sensor, self.period_ns / 1e9)


@dataclass(frozen=True, slots=True)
class MeasureEffort(OfController):
    """Measure what a motor needs from now on."""

    device: str

    def _act(self, session: Session) -> None:
        motor = session.sim.robot(self.robot)[self.device]
        if not isinstance(motor, Motor):
            raise CommandError(f"{motor.name} is no motor")
        motor.enable_feedback()


@dataclass(frozen=True, slots=True)
class OpenMotion(OfController):
    """Read a motion file, to be played; the answer is its number."""

    file: str

    def _act(self, session: Session) -> Outcome:
        return Done(session.sim.robot(self.robot).leading.open(self.file))


@dataclass(frozen=True, slots=True)
class RunMotion(OfController):
    """Play a motion that was opened, or stop it.

    Attributes:
        number: of the motion.
        plays: False: it stops.
    """

    number: int
    plays: bool

    def _act(self, session: Session) -> None:
        player = session.sim.robot(self.robot).leading.motion(self.number)
        (player.play if self.plays else player.stop)()


@dataclass(frozen=True, slots=True)
class SetMotion(OfController):
    """How a motion that was opened is played; None: as it is.

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
        player = session.sim.robot(self.robot).leading.motion(self.number)
        if self.time is not None:
            player.set_time(self.time)
        if self.loop is not None:
            player.loop = self.loop
        if self.reverse is not None:
            player.reverse = self.reverse


WISHES = (Begin, End, Enable, MeasureEffort, OpenMotion, RunMotion, SetMotion)
