"""Keyboard shortcuts, and the help that lists them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.scene.views import bounds, from_side, show, whole_world_view
from ros_bridge.viewer.tree.outline import ROOT

KEYS = {
    "P": "run or pause",
    "N": "single step",
    "R": "reset to time 0",
    "F": "zoom to the selected node, or to the whole world",
    "V": "restore the world's Viewpoint",
    "1": "view from the front",
    "2": "view from the left",
    "3": "view from above",
    "T": "dark or light theme",
    "G": "show or hide the grid",
    "L": "show or hide robot names",
    "O": "show or hide the paths that robots have driven",
    "Y": "show or hide sensor rays",
    "C": "show or hide contact points",
    "M": "show or hide centres of mass",
    "J": "show or hide joint axes",
    "K": "show or hide connector axes",
    "U": "show or hide frustums",
    "B": "show or hide bounding objects",
    "I": "show or hide lights",
    "/": "search the scene tree",
    "Escape": "clear the selection",
    "H": "show this help",
}
"""Keys with their effects. `/` and `H` are handled by the page alone, see `viewer.js`."""
MOUSE = {
    "left button": "rotate the view; click to select a robot or object, click again to select its part",
    "right button": "shift the view",
    "Shift + left button": "drag the selected object horizontally",
    "wheel": "zoom",
    "Ctrl+Z, Ctrl+Shift+Z": "undo, redo",
    "arrows, W A S D": "drive the selected robot; without one, move the view",
    "Q, E": "move the view down, up",
}
SIDES = {"1": "Front", "2": "Left", "3": "Top"}
MIN_DISTANCE = 0.25
"""Smallest distance from the camera to what is zoomed to, m."""


class Shortcuts:
    """Handles the shortcut keys of all browsers.

    Args:
        context: what the panels share.
        restore: moves a camera back to the Viewpoint.
    """

    def __init__(self, context: ViewerContext, restore: Callable[[Any], Any]) -> None:
        self._context = context
        self._restore = restore
        self._is_dark: dict[int, bool] = {}
        context.server.gui.add_html(help_html())
        context.message_handlers["key"] = self._press

    def refresh(self, now: float) -> None:
        """Do nothing: nothing here changes by itself."""

    def _press(self, key: str, client: Any) -> None:
        link, selection = self._context.link, self._context.selection
        match key:
            case "P" if link.status.mode == "paused":
                link.set_mode("realtime")
            case "P":
                link.call("pause")
            case "N":
                link.call("step")
            case "R":
                link.call("reset")
            case "Escape":
                selection.select(ROOT)
            case _ if key in self._context.switches:
                box = self._context.switches[key]
                box.value = not box.value
            case "T" if client is not None:
                self.set_dark(client, not self._is_dark.get(client.client_id, False))
            case "F" if client is not None:
                self._zoom(client.camera)
            case "V" if client is not None:
                self._restore(client.camera)
            case "1" | "2" | "3" if client is not None:
                self._look_from(client.camera, SIDES[key])

    def set_dark(self, client: Any, is_dark: bool) -> None:
        """Set the theme of one browser."""
        self._is_dark[client.client_id] = is_dark
        client.gui.configure_theme(show_logo=False, show_share_button=False, dark_mode=is_dark)

    def _zoom(self, camera: Any) -> None:
        """Move the camera along its line of sight until all of the selection is in sight."""
        middle, size = self._selection_bounds()
        away = np.asarray(camera.position) - np.asarray(camera.look_at)
        length = float(np.linalg.norm(away))
        ahead = away / length if length > 0.0 else np.array((0.0, 0.0, 1.0))
        place = middle + max(1.3 * size, MIN_DISTANCE) * ahead
        camera.position, camera.look_at = place, middle

    def _look_from(self, camera: Any, side: str) -> None:
        middle, size = self._selection_bounds()
        outline = self._context.selection.outline
        turn = outline.pose[3:] if outline is not None and outline.pose is not None else (0.0, 0.0, 0.0, 1.0)
        show(camera, from_side(side, (*middle.tolist(), *turn), max(1.3 * size, MIN_DISTANCE)))

    def _selection_bounds(self) -> tuple[Any, float]:
        """Return the centre (3,) and the size in m of the selection; without a visible one, of the world."""
        name, outline = self._context.selection.name, self._context.selection.outline
        found = [item for _, item in self._context.state.items() if name and item.node == name]
        if not found and outline is not None and outline.pose is not None:
            return np.array(outline.pose[:3]), 1.0
        if not found:
            view = whole_world_view(self._context.surround)
            if view is None:
                return np.zeros(3), 5.0
            return np.array(view.target), float(np.linalg.norm(np.subtract(view.eye, view.target))) / 1.3
        boxes = [bounds(item) for item in found]
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        return (low + high) / 2.0, 1.6 * float(np.linalg.norm(high - low))


def help_html() -> str:
    """Return the help on keys and mouse, which `viewer.js` shows."""
    rows = "".join(
        f"<tr><td><kbd>{escape(key)}</kbd></td><td>{escape(what)}</td></tr>"
        for key, what in (*KEYS.items(), *MOUSE.items())
    )
    return (
        f'<div id="odesim-help" data-keys="{escape(" ".join(KEYS))}" hidden><div>'
        f"<b>Keys and mouse</b><table>{rows}</table>"
        "<p>While a robot is selected, the keys drive it. Click into the scene first.</p></div></div>"
    )
