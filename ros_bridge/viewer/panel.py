"""What all panels of the viewer share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ros_bridge.viewer.keyboard import BrowserKeyboard
from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.scene_view import SceneView
from ros_bridge.viewer.sim_link import SimLink
from ros_bridge.viewer.tree.history import EditHistory
from ros_bridge.viewer.tree.selection import Selection
from sim_core.base.inbox import Inbox

NOTHING = "none"
"""First choice of a list in which a choice is optional."""


@dataclass
class ViewerContext:
    """What a panel may use. All of it belongs to the display thread.

    Attributes:
        server: the viser server; its elements are shown in all browsers.
        link: connection to the simulation.
        state: the simulation's markers.
        view: the 3D scene that shows them.
        node: a node that is spun, for publishers and for subscriptions that must not lose messages.
        watch: a node that is not spun (see PolledTopic).
        selection: the selected node.
        inbox: queue of calls for the display thread; callbacks of browsers, which run in other threads, use
            it.
        topics: type of each topic by its name, such as `sensor_msgs/msg/Range`.
        robots: names of all robots on ROS.
        keyboard: the keys that are held.
        history: changes made in this viewer.
        message_handlers: handlers of messages of the page's script, by kind: `act(value, client)`.
        opened: titles of the tabs that somebody has looked at.
        switches: checkboxes that have a shortcut, by its key.
        surround: background and bounds of the world, as returned by `PageSurroundings.now`; empty: not
            received yet.
    """

    server: Any
    link: SimLink
    state: SceneState
    view: SceneView
    node: Any
    watch: Any
    inbox: Inbox
    selection: Selection
    topics: dict[str, str] = field(default_factory=dict)
    robots: tuple[str, ...] = ()
    keyboard: BrowserKeyboard | None = None
    history: EditHistory = field(default_factory=EditHistory)
    message_handlers: dict[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    switches: dict[str, Any] = field(default_factory=dict)
    surround: dict[str, Any] = field(default_factory=dict)

    def restore_field(self, node: str, field: str, value: str | tuple[float, ...]) -> None:
        """Restore the previous value of a node's field; show a refusal."""

        def answered(refusal: str) -> None:
            if refusal:
                self.selection.show_message(refusal, refused=True)
            self.selection.read_again()

        self.report_unsent(
            self.link.set_parameter(f"{self.history.current_name(node)}.{field}", value, answered)
        )

    def report_unsent(self, is_sent: bool) -> None:
        """Show a message if a request could not be sent because there is no simulation."""
        if not is_sent:
            self.selection.show_message("No simulation is running.", refused=True)

    def on_use(self, event_source: Any, act: Callable[[Any], Any]) -> None:
        """Call `act(event)` on the display thread whenever a GUI element is used."""
        register = getattr(event_source, "on_click", None) or event_source.on_update
        register(lambda event: self.inbox.put(lambda: act(event)))

    def names_of_type(self, *types: str) -> tuple[str, ...]:
        """Return the topics of these types, sorted."""
        return tuple(sorted(name for name, kind in self.topics.items() if kind in types))


def download(client: Any, name: str, content: bytes) -> None:
    """Offer a file for download to the browser that asked for it; do nothing if the client is None."""
    if client is not None:
        client.send_file_download(name, content, save_immediately=True)


class Panel(Protocol):
    """A part of the window, created inside the tab or folder that it fills."""

    def refresh(self, now: float) -> None:
        """Show what has changed; called some 20 times a second with the wall time."""


def set_choices(dropdown: Any, choices: tuple[str, ...], gone: bool = True) -> None:
    """Set the choices of a list; the current choice is kept, and if `gone` even while it is not available."""
    chosen = dropdown.value
    is_away = chosen not in (NOTHING, *choices)
    wanted = (NOTHING, *((chosen,) if is_away and gone else ()), *choices)
    if tuple(dropdown.options) != wanted:
        dropdown.options = wanted
        dropdown.value = NOTHING if is_away and not gone else chosen
