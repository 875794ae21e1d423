"""The node selected in the tree or in the 3D scene, and its description read from the simulation."""

from __future__ import annotations

from typing import Any

from ros_bridge.viewer.sim_link import SimLink
from ros_bridge.viewer.tree.outline import ROOT, NodeOutline, read_outline

READ_PERIOD = 0.2
"""Seconds of wall time between two readings, while a browser is connected."""


class Selection:
    """The selected node; if none is selected, the root of the scene.

    Attributes:
        name: such as `#17`, or `root`.
        outline: its latest description; None: not read yet.
        note: latest message about a change: text, and whether it is a refusal.

    """

    def __init__(self, link: SimLink, server: Any) -> None:
        self._link = link
        self._server = server
        self.name = ROOT
        self._next = 0.0
        self._is_asked = False
        self.outline: NodeOutline | None = None
        self.note: tuple[str, bool] = ("", False)

    def select(self, name: str) -> None:
        """Select a node."""
        if name != self.name:
            self.name = name
            self.outline = None
        self._next = 0.0

    def select_in_scene(self, name: str) -> None:
        """Select the outermost solid of a clicked node; at the next click the node itself."""
        self._link.read_parameter(f"{name}.outline", self._select_solid)

    def select_root(self) -> None:
        """Select the root: another simulation is shown."""
        self.select(ROOT)
        self.outline = None
        self.note = ("", False)

    def refresh(self, now: float) -> None:
        """Read the node again when it is time, one request at a time."""
        if now < self._next or self._is_asked or not self._server.get_clients():
            return
        self._next = now + READ_PERIOD
        name = self.name
        self._is_asked = self._link.read_parameter(
            f"{name}.outline", lambda text: self._store_answer(name, text)
        )

    def read_again(self) -> None:
        """Read the node as soon as possible: something has changed."""
        self._next = 0.0

    def show_message(self, text: str, refused: bool = False) -> None:
        """Show a message about a change."""
        self.note = (text, refused)

    def _store_answer(self, name: str, text: str | None) -> None:
        self._is_asked = False
        if name != self.name:
            self._next = 0.0
        elif text is not None:
            self.outline = read_outline(text)
        elif name != ROOT and self._link.is_running:
            self.select(ROOT)

    def _select_solid(self, text: str | None) -> None:
        if text is None:
            return
        found = read_outline(text)
        solids = [each.name for each in found.above if each.is_solid]
        top = solids[0] if solids else found.name
        chosen = [self.name, *(each.name for each in (self.outline.above if self.outline else ()))]
        self.select(found.name if top in chosen else top)
