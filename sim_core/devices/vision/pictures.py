"""Access of cameras and range finders to the renderer, and delivery of its pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.base.shown import to_stderr
from sim_core.devices.light import light_kernel as kernel
from sim_core.devices.light.lights import Lights
from sim_core.devices.media import Media, Medium
from sim_core.model.changes import ALL, Aspect, Edits
from sim_core.sensing.picture_view import Layers, PictureView
from sim_core.sensing.render.materials import to_linear

if TYPE_CHECKING:
    from sim_core.sensing.render.client import RenderProcess

NOT_WORKING = "the render process does not work"


_VISIBLE_ASPECTS = (Aspect.STRUCTURE, Aspect.POSE, Aspect.SIZE, Aspect.LOOKS)


class PictureRequest(NamedTuple):
    """A request for a picture.

    Attributes:
        view: number of the view.
        pose: X_WF of the frame to look from.
        done: called with the time and the picture at the end of a later step, or by `Pictures.wait_for`. The
            arrays are overwritten by the next picture of the view.
        drawn_as: the present view, if it can change; its size is constant.
        viewer: the camera whose picture it is; None: the Viewpoint. Some nodes may be hidden from it.
    """

    view: int
    pose: Pose
    done: Callable[[int, Layers], None]
    drawn_as: PictureView
    viewer: NodeId | None = None


class _PendingPicture(NamedTuple):
    """A requested picture, and the time of the request."""

    time_ns: int
    request: PictureRequest


def _without_receiver(pending: _PendingPicture) -> _PendingPicture:
    """Return a pending picture without a receiver."""
    return pending._replace(request=pending.request._replace(done=lambda time_ns, layers: None))


class Pictures(Medium):
    """All views of a world; the renderer starts at the first request.

    Attributes:
        views: of all cameras, in the order in which they were added.
        warn: called once with a message if no pictures can be drawn; also each time the renderer is
            restarted.
        report: called once with a message that names the renderer.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.views: list[PictureView] = []
        self.warn: Callable[[str], None] = to_stderr
        self.report: Callable[[str], None] = lambda line: None
        self._has_named_renderer = False
        self._pending: dict[int, _PendingPicture] = {}
        self._free: list[int] = []
        self._renderer: RenderProcess | None = None
        self._media: Media | None = None
        self._is_disabled = False
        self._has_drawn = False  # whether the present renderer has drawn any picture

    def add_view(self, view: PictureView, media: Media) -> int:
        """Add a view and return its number."""
        self._media = media
        if self._renderer is not None:  # a renderer has only the views that it was started with
            self.close()
        if not self._free:
            self.views.append(view)
            return len(self.views) - 1
        number = self._free.pop()
        self.views[number] = view
        return number

    def remove_view(self, number: int) -> None:
        """Remove a view and discard its pending picture."""
        self._free.append(number)
        if number in self._pending:
            self._pending[number] = _without_receiver(self._pending[number])

    @property
    def can_draw(self) -> bool:
        """False once it is known that no pictures can be drawn."""
        return not self._is_disabled

    def is_pending(self, view: int) -> bool:
        """Return True if a requested picture of this view is not ready yet."""
        return view in self._pending

    def is_pending_before(self, view: int, time_ns: int) -> bool:
        """Return True if a picture of this view of an earlier time is not ready yet."""
        return view in self._pending and self._pending[view].time_ns < time_ns

    def request(self, requests: Sequence[PictureRequest], time_ns: int) -> None:
        """Request pictures of the present world, which are drawn one after the other.

        Args:
            requests: at most one for each view.
            time_ns: sim time, returned with the pictures.
        """
        if self._running() is None:
            return
        for view, _, _, drawn_as, _ in requests:
            before, self.views[view] = self.views[view], drawn_as
            if before.layers != drawn_as.layers:  # a renderer has only the layers that it was started with
                self.close()
            elif drawn_as is not before and self._renderer is not None:
                self._renderer.replace_view(view, drawn_as)
        self._submit([_PendingPicture(time_ns, request) for request in requests])

    def wait_for(self, view: int) -> None:
        """Wait for the pending picture of a view; returns also if it cannot be drawn."""
        while view in self._pending and self._deliver_ready(wait=True):
            pass

    def after_step(self, time_ns: int) -> None:
        """Deliver the pictures that are ready."""
        if self._pending:
            self._deliver_ready(wait=False)

    def scene_changed(self, edits: Edits) -> None:
        """Update the scene of the renderer; pending pictures show the scene at the time of their request."""
        if self._renderer is not None and (
            edits.touch(*_VISIBLE_ASPECTS) or edits.contain_field("recognitionColors")
        ):
            self._renderer.scene_changed()

    def restored(self) -> None:
        """Discard pending pictures, and send the whole scene to the renderer again."""
        self.reset()
        self.scene_changed(ALL)

    def reset(self) -> None:
        """Discard pending pictures."""
        for view, pending in self._pending.items():
            self._pending[view] = _without_receiver(pending)
        while self._pending and self._deliver_ready(wait=True):
            pass

    def clock_restarted(self) -> None:
        """Discard pending pictures, which belong to the time before the restart."""
        self.reset()

    def close(self) -> None:
        """Stop the renderer; it starts again at the next request."""
        self._pending.clear()
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _submit(self, pictures: Sequence[_PendingPicture]) -> None:
        """Send the present world to the renderer and request pictures."""
        renderer = self._running()
        if renderer is None or self._media is None:
            return
        lights = self._media.of(Lights)
        lights.update_positions()
        casts = [bool(spec["castShadows"]) for spec in lights.specs]
        eyes = [(pending.request.view, pending.request.pose, pending.request.viewer) for pending in pictures]
        renderer.submit(eyes, light_rows(lights.table, casts), self._media.appearance_changes)
        self._pending.update((pending.request.view, pending) for pending in pictures)

    def _running(self) -> RenderProcess | None:
        if self._is_disabled or self._media is None or self._media.new_renderer is None:
            self._disable("the simulation was made without a renderer")
            return None
        if self._renderer is None:
            self._renderer = self._media.new_renderer(self.views)
            self._has_drawn = False
        if self._renderer.failure is not None:
            self._restart(self._renderer.failure)
            return self._running() if not self._is_disabled else None
        return self._renderer

    def _deliver_ready(self, wait: bool) -> bool:
        """Deliver the pictures that are ready; return False if none can be drawn any more."""
        renderer = self._renderer
        ready = renderer.collect(wait) if renderer is not None else []
        if ready and not self._has_named_renderer and renderer is not None:
            self._has_named_renderer = True
            self.report(f"pictures are drawn by {renderer.name}")
        for view, layers in ready:
            self._has_drawn = True
            pending = self._pending.pop(view, None)
            if pending is not None:
                pending.request.done(pending.time_ns, layers)
        failure = renderer.failure if renderer is not None else NOT_WORKING
        if failure is not None:
            self._restart(failure)
        return not self._is_disabled

    def _restart(self, failure: str) -> None:
        """Restart a renderer that failed after drawing pictures, and request the pending pictures again,
        of the present world."""
        if not self._has_drawn:
            self._disable(failure)
            return
        self.warn(f"{failure}; it is restarted and draws the pending pictures a little later")
        pictures = list(self._pending.values())
        self.close()
        if pictures:
            self._submit(pictures)

    def _disable(self, why: str) -> None:
        if not self._is_disabled:
            self._is_disabled = True
            self.warn(f"cameras and range finders have no pictures, all other devices work: {why}")
        self._pending.clear()


def light_rows(table: FloatArray, casts: Sequence[bool]) -> FloatArray:
    """Return the lights that are on, as rows for the renderer.

    Args:
        table: (n, 19), see `light_kernel.py`.
        casts: (n,) which of them cast shadows.

    Returns:
        (m, 20): kind, position and direction in the world (6), linear colour times intensity (3), ambient
        colour (3), attenuation (3), radius, angle of the beam, angle of the cut-off, rad; 1 if it casts
        shadows. The ambient colour is that of the file, not linear, as in Webots.
    """
    is_on = table[:, kernel.ON] != 0.0
    lit = table[is_on]
    colour = lit[:, kernel.RED : kernel.BLUE + 1]
    return np.hstack(
        [
            lit[:, [kernel.KIND]],
            lit[:, kernel.X : kernel.DZ + 1],
            to_linear(colour) * lit[:, [kernel.INTENSITY]],
            colour * lit[:, [kernel.AMBIENT]],
            lit[:, kernel.A0 : kernel.CUT_OFF + 1],
            np.array(casts, float)[is_on, None],
        ]
    )
