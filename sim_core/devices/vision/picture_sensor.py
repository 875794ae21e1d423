"""Base of the sensors whose readings are rendered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sim_core.devices.base import DeviceContext
from sim_core.devices.sensor import Sensor
from sim_core.devices.vision.pictures import PictureRequest, Pictures
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.picture_view import Layers, PictureView


class _PendingReading(NamedTuple):
    """A reading that waits for its picture.

    Attributes:
        time_ns: sim time of the sample.
        readings: empty until the picture is drawn; then its reading.
    """

    time_ns: int
    readings: list[Any]


class PictureSensor(Sensor, ABC):
    """A sensor whose reading is a picture drawn by another process.

    A picture shows the world at the time of its sample, which is its time stamp. If `waits` is set, the step
    waits for it: then all runs are equal. Otherwise the physics continues, the reading is delivered at the
    end of the step in which the picture is ready, and samples that are due before that are skipped.

    Attributes:
        waits: a sample waits for its picture.
        frame: the frame of the device.
    """

    is_drawn = True

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.waits = True
        self._first_view = self._make_view(spec)
        self._pictures = context.media.of(Pictures)
        self._media = context.media
        self._number = -1  # it has a view only while its robot is in the world
        self._partners: list[PictureSensor] = []
        self._pending: _PendingReading | None = None

    def on_added(self) -> None:
        """Register its view."""
        if self._number < 0:
            self._number = self._pictures.add_view(self.view, self._media)

    def on_removed(self) -> None:
        """Release its view for other devices."""
        self._pictures.remove_view(self._number)
        self._number = -1

    @property
    def view(self) -> PictureView:
        """View to render."""
        return self._first_view

    def synchronise_with(self, other: PictureSensor) -> None:
        """Without waiting, make pictures at the same times as another sensor, if both are due."""
        if other not in self._partners:
            self._partners.append(other)
            other.synchronise_with(self)

    @property
    def is_cumulative(self) -> bool:
        """True if pictures are delivered later, as they must be requested in time."""
        return not self.waits or super().is_cumulative

    def may_be_wanted(self) -> bool:
        """Return True, as a display may show the sensor at any time."""
        return True

    def is_wanted(self) -> bool:
        """Return True if a due sample should be made; False if no pictures can be drawn."""
        return super().is_wanted() and self._can_draw

    @property
    def _can_draw(self) -> bool:
        """True if pictures can be drawn, as far as is known."""
        return self._number >= 0 and self._pictures.can_draw

    def update(self, time_ns: int) -> None:
        """Make a reading, or request one that is delivered later."""
        if self.waits or self.reading_faults is not None:
            reading = self.take_sample(time_ns)
            if reading is not None:
                self.dispatch(reading)
        elif not (self._pictures.is_pending(self._number) or self._waits_for_partner(time_ns)):
            self._request_picture(time_ns, self.deliver)

    def sample(self, time_ns: int) -> Any:
        """Return one picture of now; None if no pictures can be drawn."""
        pending, self._pending = self._pending, None
        if pending is None or pending.time_ns != time_ns:
            pending = _PendingReading(time_ns, [])
            self._pictures.wait_for(self._number)  # a picture requested before
            self._request_picture(time_ns, pending.readings.append)
        self._pictures.wait_for(self._number)
        return pending.readings[0] if pending.readings else None

    def next_request(self, time_ns: int) -> PictureRequest | None:
        """Return the request for the picture of the next sample, to send it with others; None: the sensor
        sends it itself."""
        if not self.waits or self.reading_faults is not None or self._number < 0:
            return None
        self._pictures.wait_for(self._number)  # a picture requested before
        self._pending = _PendingReading(time_ns, [])
        return self._request(self._pending.readings.append)

    def reset(self) -> None:
        """Discard the pending reading."""
        super().reset()
        self._pending = None

    def _request_picture(self, time_ns: int, take: Callable[[Any], None]) -> None:
        """Request a picture of now; `take` is called with its reading."""
        if self._number >= 0:
            self._pictures.request([self._request(take)], time_ns)

    def _request(self, take: Callable[[Any], None]) -> PictureRequest:
        seen = self._measure_besides()
        return PictureRequest(
            self._number,
            self.frame.pose(),
            lambda then, layers: take(self._reading(then, layers, seen)),
            self.view,
            self.spec.id,
        )

    def _waits_for_partner(self, time_ns: int) -> bool:
        return any(self._pictures.is_pending_before(each._number, time_ns) for each in self._partners)

    @abstractmethod
    def _make_view(self, spec: NodeSpec) -> PictureView:
        """Return the view to render; raise DeviceError for fields that are not possible."""

    def _measure_besides(self) -> Any:
        """Return what is measured at the time of the sample besides the picture."""
        return None

    @abstractmethod
    def _reading(self, time_ns: int, layers: Layers, seen: Any) -> Any:
        """Return the reading of a picture, whose arrays are overwritten by the next one."""


def request_pictures(sensors: Iterable[Sensor], time_ns: int) -> None:
    """Request the pictures of the next samples of several sensors of one world.

    They are drawn one after the other, each read back while the next one is drawn.
    """
    eyes = [sensor for sensor in sensors if isinstance(sensor, PictureSensor)]
    requests = [request for eye in eyes if (request := eye.next_request(time_ns)) is not None]
    if requests:
        eyes[0]._pictures.request(requests, time_ns)
