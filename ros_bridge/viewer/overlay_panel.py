"""Panel with a checkbox for each overlay that the simulation offers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from visualization_msgs.msg import MarkerArray

from ros_bridge.overlays import OVERLAYS, PREFIX
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.scene.driven_paths import DrivenPaths
from ros_bridge.viewer.scene.overlay_drawing import OverlayDrawing, overlay_drawing

SHOWN_PERIOD = 0.1
LINE_PIXELS = 1.5
DOT_PIXELS, DOT_LENGTH = 8.0, (0.0, 0.0, 1e-3)
"""A dot is a short line, in m. Widths are the same at any distance."""

KEYS = {
    "sensor_rays": "Y",
    "contact_points": "C",
    "centres_of_mass": "M",
    "joint_axes": "J",
    "connector_axes": "K",
    "frustums": "U",
    "bounding_objects": "B",
    "lights": "I",
}
"""Shortcut of each overlay."""
PATHS, PATHS_KEY = "Paths driven", "O"


class OverlayPanel:
    """Checkboxes; the simulation computes an overlay only while its checkbox is on."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._layers = {name: _Layer(context, name) for name in OVERLAYS}
        for name, layer in self._layers.items():
            title = name.replace("_", " ").capitalize()
            box = context.server.gui.add_checkbox(title, False, hint=f"shortcut {KEYS[name]}")
            context.on_use(box, layer.handle_checkbox)
            context.switches[KEYS[name]] = box
        self._paths = DrivenPaths(context)
        box = context.server.gui.add_checkbox(PATHS, False, hint=f"shortcut {PATHS_KEY}")
        context.on_use(box, lambda event: self._paths.show(event.target.value))
        context.switches[PATHS_KEY] = box
        self._next = 0.0
        self._number = 0

    def refresh(self, now: float) -> None:
        """Draw the latest message of each overlay that is shown."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        is_other = self._context.link.number != self._number
        self._number = self._context.link.number
        self._paths.refresh(now)
        for layer in self._layers.values():
            if is_other:
                layer.resubscribe()
            layer.refresh()


class _Layer:
    """One overlay: at most two objects in the scene, of lines and of dots, updated in place."""

    def __init__(self, context: ViewerContext, name: str) -> None:
        self._context = context
        self._name = name
        self._topic: PolledTopic | None = None
        self._lines: Any = None
        self._dots: Any = None

    def handle_checkbox(self, event: Any) -> None:
        self.show(event.target.value)

    def show(self, shown: bool) -> None:
        if shown and self._topic is None:
            name = f"{self._context.link.namespace}{PREFIX}{self._name}"
            self._topic = PolledTopic(self._context.watch, MarkerArray, name)
        elif not shown and self._topic is not None:
            self._topic.close()
            self._topic = None
            self.clear()

    def refresh(self) -> None:
        if self._topic is None:
            return
        for message in self._topic.take():
            self._draw(overlay_drawing(message.markers))

    def resubscribe(self) -> None:
        """Subscribe again for another simulation, which may be in another namespace."""
        if self._topic is not None:
            self.show(False)
            self.show(True)

    def clear(self) -> None:
        for node in (self._lines, self._dots):
            if node is not None:
                node.remove()
        self._lines = self._dots = None

    def _draw(self, marks: OverlayDrawing) -> None:
        self._lines = _shown(self._lines, marks.lines, marks.line_colours, self._adder("lines", LINE_PIXELS))
        ends = np.stack((marks.dots, marks.dots + DOT_LENGTH), axis=1)
        colours = np.repeat(marks.dot_colours[:, None], 2, axis=1)
        self._dots = _shown(self._dots, ends, colours, self._adder("dots", DOT_PIXELS))

    def _adder(self, kind: str, pixels: float) -> Callable[[Any, Any], Any]:
        """Return the function that adds lines of this width."""
        scene, name = self._context.server.scene, f"/overlay/{self._name}/{kind}"
        return partial(scene.add_line_segments, name, thickness=pixels, thickness_units="screen")


def _shown(node: Any, points: Any, colours: Any, add: Callable[[Any, Any], Any]) -> Any:
    """Show points in an object of the scene, created by `add` when it is None; return the object."""
    if node is None:
        return add(points, colours) if len(points) else None
    if len(points):
        node.points, node.colors = points, colours
    node.visible = len(points) > 0
    return node
