"""Panel with time, speed and the buttons that control the run."""

from __future__ import annotations

import io
import threading
from html import escape
from typing import Any

from PIL import Image

from ros_bridge.node.status import speed_text
from ros_bridge.viewer.panel import ViewerContext, download
from ros_bridge.viewer.time_text import time_text

BUTTONS = ("Run", "Pause", "Step", "Fast", "Reset")
SLOWEST, FASTEST = 0.1, 10.0
SHOWN_PERIOD = 0.1
RENDER_LIMIT = 10.0
"""Seconds that a browser has to draw a screenshot."""
WAITING = "No simulation is running. Waiting for one…"
ENDED = "The simulation has ended. Waiting for the next one…"


class RunPanel:
    """Run, Pause, Step, Fast, Reset; speed; time as H:MM:SS:mmm; screenshot."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui, link = context.server.gui, context.link
        self._head = gui.add_html(head_html(None, "", "", WAITING))
        self._next = 0.0
        buttons = gui.add_button_group("Run", BUTTONS)
        context.on_use(buttons, lambda event: self._press(event.target.value))
        self._speed = gui.add_slider("Speed", SLOWEST, FASTEST, 0.1, 1.0)
        self._wanted = self._told = 1.0
        context.on_use(self._speed, lambda event: self._set_speed(event.target.value))
        context.on_use(gui.add_button("Screenshot", icon="camera"), self._screenshot)
        with gui.add_folder("More", expand_by_default=False):
            context.on_use(gui.add_button("Stop all motion"), lambda _: link.call("physics_reset"))
            context.on_use(gui.add_button("End the simulation", color="red"), lambda _: link.call("quit"))

    def refresh(self, now: float) -> None:
        """Show time and speed ten times a second."""
        if now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        link = self._context.link
        self._follow_speed(link.status.wanted_speed)
        status, trouble = link.status, ""
        if not link.is_running:
            trouble = WAITING if link.time_ns is None else ENDED
        speed = speed_text(status.mode, status.speed, status.wanted_speed)
        self._head.content = head_html(link.time_ns, speed, status.warning, trouble, link.answer)

    def _press(self, button: str) -> None:
        link = self._context.link
        match button:
            case "Run":
                link.set_mode("realtime")
            case "Fast":
                link.set_mode("fast")
            case _:
                link.call(button.lower())

    def _set_speed(self, speed: float) -> None:
        if speed != self._wanted:
            self._wanted = speed
            self._context.link.set_speed(speed)

    def _follow_speed(self, wanted: float) -> None:
        """Move the slider to a speed that was set elsewhere, without setting it again."""
        near = min(max(round(wanted, 1), SLOWEST), FASTEST)
        if near != self._told:
            self._told = near
            self._wanted = near
            self._speed.value = near

    def _screenshot(self, event: Any) -> None:
        """Send a screenshot to the browser that asked for it; others are not affected."""
        if event.client is not None:
            wanted = (event.client, self._context.link.time_ns)
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
