"""Noise, faults and delays that any device can have, configured by `FaultConfig`.

They are applied to what a sensor measures in this order:

1. errors: bias + gaussian·N(0, 1) + drift·W(t), added to the device's own result, which includes its own
   noise and rounding. W is a random walk with W(0) = 0 and standard deviation √t, t in seconds. Each
   component of a vector has its own N and W; in an array (a scan) each element has its own N, and all share
   one W. Channels declared with `Errors.ADDED` get the same errors. A rotation is rotated by a rotation
   vector of three such errors in rad, about the device's own axes.
2. stuck: the value of the first sample due at or after the time of getting stuck stays for good, with new
   time stamps. That sample is made even without subscribers.
3. dropout: the reading is lost with that probability; the previous one stays.
4. latency: the reading is delivered that much later, rounded up to whole steps, and keeps its time stamp.

A command passes through the same faults in this order:

1. stuck: the device ignores commands from then on; it keeps the last one.
2. dropout: the command is lost with that probability; the previous one stays.
3. errors: added to each number of the command, once per command, in the unit of that command.
4. latency: it takes effect that much later, rounded up to whole steps.

A command that an error makes impossible, such as a negative damping, is dropped, which is logged once.

All numbers are functions of the device's seed, sim time and, for commands, their number at that time. So a
reset repeats them, and reading changes none. Faults apply to a command where a declared method of the device
is called (see `commands.py`): by the in-process API, the topics, `cmd_vel` and `joint_command` alike.
"""

from __future__ import annotations

from sim_core.devices.base import Device, DeviceContext
from sim_core.devices.command_faults import CommandFaults
from sim_core.devices.media import Media, Medium
from sim_core.devices.sensor import Sensor
from sim_core.devices.sensor_faults import SensorFaults


class DelayedDelivery(Medium):
    """Delivers delayed readings and commands after the step in which they are due.

    Readings are delivered before the due sensors are sampled; commands are stored by the devices and take
    effect in the next step, as if they were sent between the two steps.

    Attributes:
        faults: faults of the devices that have any.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.faults: list[SensorFaults | CommandFaults] = []

    def remove_devices(self) -> None:
        """Remove all devices."""
        self.faults.clear()

    def after_step(self, time_ns: int) -> None:
        """Deliver what is due."""
        for each in self.faults:
            each.deliver_due(time_ns)

    def reset(self) -> None:
        """Return to the start: nothing is stuck or delayed."""
        super().reset()
        for each in self.faults:
            each.reset()

    def clock_restarted(self) -> None:
        """Discard everything delayed, as it belongs to the time before the restart."""
        for each in self.faults:
            each.discard_delayed()


def install_faults(device: Device, context: DeviceContext) -> None:
    """Give a device the faults that its settings ask for; they take effect once registered with
    `DelayedDelivery`.

    Raises:
        ConfigError: the device has no values that the errors could be added to.
    """
    context.media.of(DelayedDelivery)
    if isinstance(device, Sensor):
        device.reading_faults = SensorFaults(device, context)
    if not isinstance(device, Sensor) or any(spec.meets_faults for spec in device.commands.values()):
        device.command_faults = CommandFaults(device, context)


def faults_of(device: Device) -> list[SensorFaults | CommandFaults]:
    """Return the faults of a device's readings and commands."""
    readings = device.reading_faults if isinstance(device, Sensor) else None
    return [each for each in (readings, device.command_faults) if each is not None]
