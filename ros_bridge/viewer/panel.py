"""What all panels of the viewer have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ros_bridge.viewer.keyboard import Keyboard
from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.scene_view import SceneView
from ros_bridge.viewer.sim_link import SimLink
from ros_bridge.viewer.tree.history import EditHistory
from ros_bridge.viewer.tree.selection import Selection
from sim_core.base.inbox import Inbox

NOTHING = "none"
"""First choice of a list from which nothing need be chosen."""


@dataclass
class Room:
    """What a panel may use. Everything in it belongs to the display thread.

    Attributes:
        server: the viser server; what is put there, all browsers show.
        link: the simulation.
        state: its markers.
        view: the 3D scene that shows them.
        node: a spun node, for publishers and what must not be missed.
        watch: a node that nobody spins (see PolledTopic).
        selection: the node that is chosen.
        inbox: the browsers' clicks come in other threads; what they ask for goes in here.
        topics: names of all topics, each with its type, `sensor_msgs/msg/Range`.
        robots: names of all robots on ROS.
        keyboard: the keys that are held.
        history: what was changed from here.
        hear: who is told what the page's script sends, by its kind: `act(value, client)`.
        switches: check boxes that have a key too, by it.
        surround: what is round the world, as `PageSurroundings.now` has it; empty: not known yet.
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
    keyboard: Keyboard | None = None
    history: EditHistory = field(default_factory=EditHistory)
    hear: dict[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    switches: dict[str, Any] = field(default_factory=dict)
    surround: dict[str, Any] = field(default_factory=dict)

    def put_back(self, node: str, field: str, value: str | tuple[float, ...]) -> None:
        """Give a field of a node the value that it had; a refusal is said."""

        def answered(refusal: str) -> None:
            if refusal:
                self.selection.say(refusal, refused=True)
            self.selection.read_again()

        self.must(self.link.write(f"{self.history.name(node)}.{field}", value, answered))

    def must(self, is_sent: bool) -> None:
        """Say so if a question or a command reached no simulation."""
        if not is_sent:
            self.selection.say("no simulation runs", refused=True)

    def when(self, event_source: Any, act: Callable[[Any], Any]) -> None:
        """Carry out `act(event)` on the display thread whenever a GUI element is used."""
        register = getattr(event_source, "on_click", None) or event_source.on_update
        register(lambda event: self.inbox.put(lambda: act(event)))

    def names_of_type(self, *types: str) -> tuple[str, ...]:
        """The topics of these types, sorted."""
        return tuple(sorted(name for name, kind in self.topics.items() if kind in types))


def download(client: Any, name: str, content: bytes) -> None:
    """Give the browser that asked a file to save; None: nobody's browser did."""
    if client is not None:
        client.send_file_download(name, content, save_immediately=True)


class Panel(Protocol):
    """A part of the window; made inside the tab or folder that it fills."""

    def refresh(self, now: float) -> None:
        """Called some 20 times a second with the wall time; shows what has changed."""


def offer(dropdown: Any, choices: tuple[str, ...], gone: bool = True) -> None:
    """Give a list new choices; what is chosen stays so, even while it is away if `gone`."""
    chosen = dropdown.value
    is_away = chosen not in (NOTHING, *choices)
    wanted = (NOTHING, *((chosen,) if is_away and gone else ()), *choices)
    if tuple(dropdown.options) != wanted:
        dropdown.options = wanted
        dropdown.value = NOTHING if is_away and not gone else chosen
