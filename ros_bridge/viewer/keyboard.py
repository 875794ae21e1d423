"""Keys and mouse of the browsers, for the panel that drives a robot, and published for controllers."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from sensor_msgs.msg import Joy
from std_msgs.msg import Int32MultiArray

from ros_bridge.topics.names import KEYBOARD, MOUSE
from ros_bridge.viewer.key_script import FIELD, script_html
from ros_bridge.viewer.keys import KeyReport, codes_of, read_keys

SILENCE_LIMIT = 0.6
"""Seconds of wall time after which the keys of a browser that sends nothing count as released."""
REMOVAL_TIME = 60.0
"""Seconds after which a silent browser is removed."""
REPEAT_PERIOD = 0.1


class HeldKeys:
    """Held keys of all browsers; keys of a browser that is silent or has gone count as released.

    Attributes:
        mouse: as last reported, see `KeyReport`.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._held: dict[str, tuple[KeyReport, float]] = {}
        self.mouse: tuple[float, ...] | None = None

    def store_report(self, held: KeyReport) -> None:
        """Store a browser's report; one that is older than the last stored is ignored."""
        before = self._held.get(held.browser)
        if before is None or held.number > before[0].number:
            self._held[held.browser] = (held, self._now())
            self.mouse = held.mouse or self.mouse

    def keys(self) -> tuple[str, ...]:
        """Return the keys that are held now."""
        now = self._now()
        self._held = {
            browser: (held, received_at)
            for browser, (held, received_at) in self._held.items()
            if now - received_at < REMOVAL_TIME
        }
        fresh = (held.keys for held, received_at in self._held.values() if now - received_at < SILENCE_LIMIT)
        return tuple(dict.fromkeys(key for keys in fresh for key in keys))


class BrowserKeyboard:
    """Collects the browsers' keys and mouse, and publishes them; the camera ignores keys while they are in
    use.

    Attributes:
        keys: held now.
        is_driving: set by the panel that drives a robot with keys.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self.keys: tuple[str, ...] = ()
        self.is_driving = False
        self._held = HeldKeys()
        gui = context.server.gui
        self._taken = "", False
        self._mouse: tuple[float, ...] | None = None
        self._script = gui.add_html(script_html(*self._taken))
        # parsed here, in viser's thread: by the time the inbox is handled, the field may hold newer text
        gui.add_text("Keys", FIELD).on_update(lambda event: self._handle_message(event.target.value))
        self._open()
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Publish the held keys at each change and, while any is held, ten times a second."""
        if self._space != self._context.link.namespace:
            for publisher in (self._publisher, self._mouse_publisher):
                self._context.node.destroy_publisher(publisher)
            self._open()
        keys = self._held.keys()
        is_heard = self._publisher.get_subscription_count() > 0
        if keys != self.keys or (keys and now >= self._next):
            self._next = now + REPEAT_PERIOD
            self.keys = keys
            self._publisher.publish(Int32MultiArray(data=codes_of(keys)))
        has_mouse = self._mouse_publisher.get_subscription_count() > 0
        if has_mouse and self._held.mouse is not None and self._held.mouse != self._mouse:
            self._mouse = self._held.mouse
            buttons, axes = self._mouse[:3], self._mouse[3:]
            self._mouse_publisher.publish(Joy(buttons=list(map(int, buttons)), axes=list(axes)))
        taken = "all" if is_heard else "drive" if self.is_driving else "", has_mouse
        if taken != self._taken:
            self._taken = taken
            self._script.content = script_html(*taken)

    def _open(self) -> None:
        """Create the publisher in the namespace of the current simulation."""
        self._space = self._context.link.namespace
        name = f"{self._space}{KEYBOARD}"
        self._publisher = self._context.node.create_publisher(Int32MultiArray, name, 10)
        mouse = f"{self._space}{MOUSE}"
        self._mouse_publisher = self._context.node.create_publisher(Joy, mouse, 10)

    def close(self) -> None:
        """Publish that no key is held."""
        if self.keys:
            self.keys = ()
            self._publisher.publish(Int32MultiArray())

    def _handle_message(self, text: str) -> None:
        held = read_keys(text)
        if held is not None:
            self._context.inbox.put(partial(self._held.store_report, held))
