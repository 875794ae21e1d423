"""Keys that do what buttons do, and the help that lists them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from ros_bridge.viewer.panel import Room
from ros_bridge.viewer.scene.views import bounds, from_side, outlook, show
from ros_bridge.viewer.tree.outline import ROOT

KEYS = {
    "P": "run, or pause",
    "N": "one step",
    "R": "back to time 0",
    "F": "zoom to what is chosen, or to the world",
    "V": "back to the world's Viewpoint",
    "1": "from the front",
    "2": "from the left",
    "3": "from above",
    "T": "dark or light",
    "G": "the grid",
    "L": "names of the robots",
    "/": "search the scene tree",
    "Escape": "choose nothing",
    "H": "this help",
}
"""By what they do. `/` and `H` are of the page alone, see `viewer.js`."""
MOUSE = {
    "left button": "turns the view; a click chooses what it hits, a second one its part",
    "right button": "shifts the view",
    "wheel": "comes closer",
    "arrows, W A S D": "drive the robot that is chosen, else move the view",
}
SIDES = {"1": "Front", "2": "Left", "3": "Top"}
NEAREST = 0.25
"""m from what is zoomed to."""


class Shortcuts:
    """Hears the keys of browsers.

    Args:
        room: the room.
        restore: goes back to the Viewpoint with a camera.
    """

    def __init__(self, room: Room, restore: Callable[[Any], Any]) -> None:
        self._room = room
        self._restore = restore
        self._is_dark: dict[int, bool] = {}
        room.server.gui.add_html(help_html())
        room.hear["key"] = self._press

    def refresh(self, now: float) -> None:
        """Nothing changes by itself."""

    def _press(self, key: str, client: Any) -> None:
        link, selection = self._room.link, self._room.selection
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
                selection.choose(ROOT)
            case "G" | "L" if key in self._room.switches:
                box = self._room.switches[key]
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
        """The panels of one browser."""
        self._is_dark[client.client_id] = is_dark
        client.gui.configure_theme(show_logo=False, show_share_button=False, dark_mode=is_dark)

    def _zoom(self, camera: Any) -> None:
        """From where the camera looks now, so far away that all of it is in sight."""
        middle, size = self._chosen()
        away = np.asarray(camera.position) - np.asarray(camera.look_at)
        length = float(np.linalg.norm(away))
        ahead = away / length if length > 0.0 else np.array((0.0, 0.0, 1.0))
        place = middle + max(1.3 * size, NEAREST) * ahead
        camera.position, camera.look_at = place, middle

    def _look_from(self, camera: Any, side: str) -> None:
        middle, size = self._chosen()
        outline = self._room.selection.outline
        turn = outline.pose[3:] if outline is not None and outline.pose is not None else (0.0, 0.0, 0.0, 1.0)
        show(camera, from_side(side, (*middle.tolist(), *turn), max(1.3 * size, NEAREST)))

    def _chosen(self) -> tuple[Any, float]:
        """Middle (3) and size in m of what is chosen; of the world if nothing is that can be seen."""
        name, outline = self._room.selection.name, self._room.selection.outline
        found = [item for _, item in self._room.state.items() if name and item.node == name]
        if not found and outline is not None and outline.pose is not None:
            return np.array(outline.pose[:3]), 1.0
        if not found:
            view = outlook(self._room.surround)
            if view is None:
                return np.zeros(3), 5.0
            return np.array(view.target), float(np.linalg.norm(np.subtract(view.eye, view.target))) / 1.3
        boxes = [bounds(item) for item in found]
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        return (low + high) / 2.0, 1.6 * float(np.linalg.norm(high - low))


def help_html() -> str:
    """What keys and mouse do; `viewer.js` shows it."""
    rows = "".join(
        f"<tr><td><kbd>{escape(key)}</kbd></td><td>{escape(what)}</td></tr>"
        for key, what in (*KEYS.items(), *MOUSE.items())
    )
    return (
        f'<div id="odesim-help" data-keys="{escape(" ".join(KEYS))}" hidden><div>'
        f"<b>Keys and mouse</b><table>{rows}</table>"
        "<p>While a robot is chosen, its keys are its. Click into the scene first.</p></div></div>"
    )
