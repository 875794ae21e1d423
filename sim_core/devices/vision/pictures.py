"""What cameras and range finders share: the renderer, and when its pictures come back."""

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

GIVEN_UP = "the render process does not work"


_SEEN = (Aspect.STRUCTURE, Aspect.POSE, Aspect.SIZE, Aspect.LOOKS)


class Request(NamedTuple):
    """A picture that is asked for.

    Attributes:
        view: its number.
        pose: X_WF of the frame to look from.
        done: called with the time and the picture at the end of a later step, or by `Pictures.wait_for`. The
            arrays are overwritten by the next picture of the view.
        drawn_as: the view as it is now, if it can change; the size is always the same.
        viewer: the camera whose picture it is; None: the Viewpoint. Some nodes may be hidden from it.
    """

    view: int
    pose: Pose
    done: Callable[[int, Layers], None]
    drawn_as: PictureView
    viewer: NodeId | None = None


class _Order(NamedTuple):
    """A picture that was asked for, and when."""

    time_ns: int
    request: Request


def _for_nobody(order: _Order) -> _Order:
    """Who waited for the picture waits no more."""
    return order._replace(request=order.request._replace(done=lambda time_ns, layers: None))


class Pictures(Medium):
    """All views of a world; the renderer starts when the first picture is asked for.

    Attributes:
        views: of all cameras, in the order in which they were added.
        warn: is told once, in one line, why there are no pictures; also each time the renderer begins again.
        tell: is told once, in one line, what draws them.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.views: list[PictureView] = []
        self.warn: Callable[[str], None] = to_stderr
        self.tell: Callable[[str], None] = lambda line: None
        self._told = False
        self._orders: dict[int, _Order] = {}
        self._free: list[int] = []
        self._renderer: RenderProcess | None = None
        self._media: Media | None = None
        self._given_up = False
        self._has_drawn = False  # the renderer of now

    def add(self, view: PictureView, media: Media) -> int:
        """A view that is needed from now on; its number."""
        self._media = media
        if self._renderer is not None:  # it knows the views that it was started with
            self.close()
        if not self._free:
            self.views.append(view)
            return len(self.views) - 1
        number = self._free.pop()
        self.views[number] = view
        return number

    def drop(self, number: int) -> None:
        """A view is needed no more; a picture of it that is on the way is thrown away."""
        self._free.append(number)
        if number in self._orders:
            self._orders[number] = _for_nobody(self._orders[number])

    @property
    def work(self) -> bool:
        """False once it is known that there will be no pictures."""
        return not self._given_up

    def is_drawing(self, view: int) -> bool:
        """A picture of this view was asked for and has not come yet."""
        return view in self._orders

    def is_behind(self, view: int, time_ns: int) -> bool:
        """A picture of this view of an earlier time has not come yet."""
        return view in self._orders and self._orders[view].time_ns < time_ns

    def ask(self, requests: Sequence[Request], time_ns: int) -> None:
        """Ask for pictures of the world as it is now, which are drawn one after the other.

        Args:
            requests: at most one for each view.
            time_ns: sim time, given back with the pictures.
        """
        if self._running() is None:
            return
        for view, _, _, drawn_as, _ in requests:
            before, self.views[view] = self.views[view], drawn_as
            if before.layers != drawn_as.layers:  # it knows the layers that it was started with
                self.close()
            elif drawn_as is not before and self._renderer is not None:
                self._renderer.change(view, drawn_as)
        self._submit([_Order(time_ns, request) for request in requests])

    def wait_for(self, view: int) -> None:
        """Let the picture of a view come now; returns also if there will be none."""
        while view in self._orders and self._take(wait=True):
            pass

    def after_step(self, time_ns: int) -> None:
        """Hand out the pictures that are ready."""
        if self._orders:
            self._take(wait=False)

    def scene_changed(self, edits: Edits) -> None:
        """The next pictures show the scene as it is then; those on the way as it was when they were asked
        for."""
        if self._renderer is not None and (edits.touch(*_SEEN) or edits.set("recognitionColors")):
            self._renderer.scene_changed()

    def restored(self) -> None:
        """As `reset`; and all is told anew to the renderer."""
        self.reset()
        self.scene_changed(ALL)

    def reset(self) -> None:
        """Pictures on the way are of another life: they are thrown away."""
        for view, order in self._orders.items():
            self._orders[view] = _for_nobody(order)
        while self._orders and self._take(wait=True):
            pass

    def clock_restarted(self) -> None:
        """Pictures on the way are of the old time: they are thrown away."""
        self.reset()

    def close(self) -> None:
        """End the renderer; it starts again with the next picture."""
        self._orders.clear()
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _submit(self, orders: Sequence[_Order]) -> None:
        """Have the renderer draw the world as it is now."""
        renderer = self._running()
        if renderer is None or self._media is None:
            return
        lights = self._media.of(Lights)
        lights.place()
        casts = [bool(spec["castShadows"]) for spec in lights.specs]
        eyes = [(order.request.view, order.request.pose, order.request.viewer) for order in orders]
        renderer.submit(eyes, light_rows(lights.table, casts), self._media.looks)
        self._orders.update((order.request.view, order) for order in orders)

    def _running(self) -> RenderProcess | None:
        if self._given_up or self._media is None or self._media.new_renderer is None:
            self._give_up("the simulation was made without a renderer")
            return None
        if self._renderer is None:
            self._renderer = self._media.new_renderer(self.views)
            self._has_drawn = False
        if self._renderer.failure is not None:
            self._begin_again(self._renderer.failure)
            return self._running() if not self._given_up else None
        return self._renderer

    def _take(self, wait: bool) -> bool:
        """Hand out what is ready; False if nothing will come any more."""
        renderer = self._renderer
        ready = renderer.collect(wait) if renderer is not None else []
        if ready and not self._told and renderer is not None:
            self._told = True
            self.tell(f"pictures are drawn by {renderer.name}")
        for view, layers in ready:
            self._has_drawn = True
            order = self._orders.pop(view, None)
            if order is not None:
                order.request.done(order.time_ns, layers)
        failure = renderer.failure if renderer is not None else GIVEN_UP
        if failure is not None:
            self._begin_again(failure)
        return not self._given_up

    def _begin_again(self, failure: str) -> None:
        """The renderer has failed: if it ever worked, another one draws what is due, of the world of now."""
        if not self._has_drawn:
            self._give_up(failure)
            return
        self.warn(f"{failure}; another one is started, and draws again what was under way, a little later")
        orders = list(self._orders.values())
        self.close()
        if orders:
            self._submit(orders)

    def _give_up(self, why: str) -> None:
        if not self._given_up:
            self._given_up = True
            self.warn(f"no pictures from cameras and range finders, the rest works: {why}")
        self._orders.clear()


def light_rows(table: FloatArray, casts: Sequence[bool]) -> FloatArray:
    """The lights that are on, as the renderer wants them.

    Args:
        table: (n, 19), see `light_kernel.py`.
        casts: (n,) which of them cast shadows.

    Returns:
        (m, 20): kind, place and direction in the world (6), colour in proportion to light times intensity
        (3), ambient colour (3), attenuation (3), radius, angle of the beam, angle of the cut-off, rad; 1 if
        it casts shadows. The colour of ambient light is that which is written, as in Webots.
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
