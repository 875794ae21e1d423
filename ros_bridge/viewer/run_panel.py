"""Panel with time and speed, and what the toolbar of the page needs and sends."""

from __future__ import annotations

import io
import json
import threading
from html import escape
from typing import Any

from PIL import Image

from ros_bridge.node.status import speed_text
from ros_bridge.viewer.panel import ViewerContext, download
from ros_bridge.viewer.sim_link import Status
from ros_bridge.viewer.time_text import time_text

SHOWN_PERIOD = 0.1
RENDER_LIMIT = 10.0
"""Seconds that a browser has to draw a screenshot."""
WAITING = "No simulation is running. Waiting for one…"
ENDED = "The simulation has ended. Waiting for the next one…"


class RunPanel:
    """Time as H:MM:SS:mmm and speed; the state of the toolbar, which `toolbar.js` draws over the scene.

    Args:
        context: what the panels share.
        view_only: whether the toolbar cannot control the run.
    """

    def __init__(self, context: ViewerContext, view_only: bool = False) -> None:
        self._context = context
        self._view_only = view_only
        gui, link = context.server.gui, context.link
        self._head = gui.add_html(head_html(None, "", "", WAITING))
        self._tools = gui.add_html("")
        self._next = 0.0
        context.message_handlers["mode"] = lambda mode, _: link.set_mode(str(mode))
        context.message_handlers["speed"] = self._set_speed
        context.message_handlers["screenshot"] = self._screenshot
        with gui.add_folder("More", expand_by_default=False):
            context.on_use(gui.add_button("Stop all motion"), lambda _: link.call("physics_reset"))
            context.on_use(gui.add_button("End the simulation", color="red"), lambda _: link.call("quit"))

    def refresh(self, now: float) -> None:
        """Show time and speed ten times a second."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        link = self._context.link
        status, trouble = link.status, ""
        if not link.is_running:
            trouble = WAITING if link.time_ns is None else ENDED
        speed = speed_text(status.mode, status.speed, status.wanted_speed)
        self._head.content = head_html(link.time_ns, speed, status.warning, trouble, link.answer)
        self._tools.content = tools_html(status if link.is_running else Status(), self._view_only)

    def _set_speed(self, speed: Any, _: Any) -> None:
        """Set the target speed; a simulation that runs as fast as possible has it from now on."""
        link = self._context.link
        if isinstance(speed, (int, float)):
            link.set_speed(speed)
            if link.status.mode == "fast":
                link.set_mode("realtime")

    def _screenshot(self, _: Any, client: Any) -> None:
        """Send a screenshot to the browser that asked for it; others are not affected."""
        if client is not None:
            wanted = (client, self._context.link.time_ns)
            threading.Thread(target=send_screenshot, args=wanted, daemon=True).start()


def head_html(time_ns: int | None, speed: str, warning: str, trouble: str, answer: str = "") -> str:
    """Return time, speed and messages for the top of the window.

    An empty row keeps its height, so that nothing below moves away from a pointer.

    """
    time = time_text(time_ns or 0)
    return (
        '<div style="padding:0 0.8em">'
        f'<div id="odesim-time" style="font:600 1.5em monospace">{time}</div>'
        f'<div id="odesim-speed">{escape(speed) if not trouble else "&nbsp;"}</div>'
        f'<div id="odesim-status" style="color:#c2255c">{escape(trouble or warning) or "&nbsp;"}</div>'
        f'<div id="odesim-answer" style="color:#868e96;font-size:0.85em">{escape(answer) or "&nbsp;"}</div>'
        "</div>"
    )


def tools_html(status: Status, view_only: bool) -> str:
    """Return the element from which the toolbar reads its state; without a mode there is no simulation."""
    state = {"mode": status.mode, "wanted": status.wanted_speed, "viewOnly": view_only}
    return f'<div id="odesim-run" hidden data-run="{escape(json.dumps(state))}"></div>'


def send_screenshot(client: Any, time_ns: int | None) -> None:
    """Let a browser draw its view and save it as a PNG file."""
    camera = client.camera
    try:
        pixels = client.get_render(
            camera.image_height, camera.image_width, transport_format="png", timeout=RENDER_LIMIT
        )
    except (RuntimeError, TimeoutError):
        client.add_notification("No screenshot", "The browser could not draw it.", auto_close_seconds=5.0)
        return
    drawn = Image.fromarray(pixels)
    picture = Image.new("RGB", drawn.size, "white")
    picture.paste(drawn, mask=drawn.getchannel("A") if drawn.mode == "RGBA" else None)
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    name = f"odesim-{time_text(time_ns or 0).replace(':', '-')}.png"
    download(client, name, file.getvalue())
