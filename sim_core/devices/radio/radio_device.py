"""Base of emitters and receivers."""

from __future__ import annotations

from sim_core.devices.base import Device, DeviceContext
from sim_core.devices.field_checks import cone_of
from sim_core.devices.radio.radio_fields import AllowedChannels, byte_size_of, count_of, signal_type_of
from sim_core.devices.radio.radio_medium import RadioMedium
from sim_core.model.device_spec import DeviceSpec


class RadioDevice(Device):
    """A queue of packets of one type, on a channel that can be set.

    Attributes:
        type: `radio`, `serial` or `infra-red`; only devices of the same type communicate.
        cone: cosine of half the aperture around the device's x axis; used for infra-red only.
        frame: the frame of the device.
        buffer_size: bytes that the queue can hold; None: no limit.
    """

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.type = signal_type_of(spec)
        self.cone = cone_of(spec)
        self._channel = AllowedChannels(spec, f"{self.robot_name}/{self.name}")
        self.buffer_size = count_of(spec, "bufferSize")
        self._baud_rate, self._bits = count_of(spec, "baudRate"), byte_size_of(spec)
        self._medium = context.media.of(RadioMedium)
