"""Noise, faults and delays that any device can have, set beside the world (`FaultConfig`).

What a sensor measures goes through them in this order:

1. errors: bias + gaussian·N(0, 1) + drift·W(t), added to what the device itself answers, with its own noise
   and after its own rounding. W is a random walk with W(0) = 0 and standard deviation √t, t in seconds. Each
   component of a vector has its own N and W; of an array (a scan) each element its own N, all one W. The
   channels that say so (`Errors.ADDED`) get the same errors. A rotation is turned by a rotation vector of
   three such errors in rad, about the device's own axes.
2. stuck: the value of the first sample due at or after the time of getting stuck stays for good, with new
   stamps. That sample is made even if nobody listens.
3. dropout: the reading is lost with that probability; the one before stays.
4. latency: the reading is known that much later, rounded up to whole steps, and keeps its stamp.

A command goes through the same in the order in which it travels:

1. stuck: the device obeys no command given from then on; it keeps the last one.
2. dropout: the command is lost with that probability; the one before stays.
3. errors: added to each number commanded, once per command, in the unit of that command.
4. latency: it takes effect that much later, rounded up to whole steps.

An error that makes a command impossible, such as a negative damping, loses it, which is logged once.

All numbers are functions of the device's seed, sim time and, for commands, of how many came at that time.
So a reset repeats them, and who reads changes none. A command meets them where it enters the device by a
declared method (see `commands.py`), which the in-process API, the topics, `cmd_vel` and `joint_command` all
do.
"""

from __future__ import annotations

from sim_core.devices.base import Device, DeviceContext
from sim_core.devices.command_faults import CommandFaults
from sim_core.devices.media import Media, Medium
from sim_core.devices.sensor import Sensor
from sim_core.devices.sensor_faults import SensorFaults


class UnderWay(Medium):
    """Hands on what is late after the step in which it is due.

    Readings are handed on before the sensors that are due are sampled; devices note commands, and act in the
    next step, as if they were given between the two.

    Attributes:
        faults: of the devices that have any.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.faults: list[SensorFaults | CommandFaults] = []

    def forget(self) -> None:
        """No devices are there."""
        self.faults.clear()

    def after_step(self, time_ns: int) -> None:
        """Hand on what is due."""
        for each in self.faults:
            each.release(time_ns)

    def reset(self) -> None:
        """Nothing is stuck or on its way."""
        super().reset()
        for each in self.faults:
            each.reset()

    def clock_restarted(self) -> None:
        """What is on its way is of the old time: it is lost."""
        for each in self.faults:
            each.forget()


def install_faults(device: Device, context: DeviceContext) -> None:
    """Give a device the faults that its settings ask for; they work when `UnderWay` knows of them.

    Raises:
        ConfigError: it has no values that the errors could be added to.
    """
    context.media.of(UnderWay)
    if isinstance(device, Sensor):
        device.reading_faults = SensorFaults(device, context)
    if not isinstance(device, Sensor) or any(spec.meets_faults for spec in device.commands.values()):
        device.command_faults = CommandFaults(device, context)


def faults_of(device: Device) -> list[SensorFaults | CommandFaults]:
    """What readings of a device, and commands to it, go through."""
    readings = device.reading_faults if isinstance(device, Sensor) else None
    return [each for each in (readings, device.command_faults) if each is not None]
