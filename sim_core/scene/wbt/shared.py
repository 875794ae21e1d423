"""State shared by the parsers of one load."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim_core.base.errors import SceneError
from sim_core.base.limits import limit


@dataclass
class Shared:
    """State shared by the parsers of one load.

    Attributes:
        warnings: warnings about old or skipped text.
        is_lenient: errors that Webots only warns of become warnings, see `Parser.mistake`.
        nodes_left: number of nodes that may still be made.
        nesting: names of the PROTO bodies that are being expanded, outermost first.
        reported: messages that are given only once and have been given.
    """

    warnings: list[SceneError] = field(default_factory=list)
    is_lenient: bool = False
    nodes_left: int = field(default_factory=lambda: limit("scene_nodes"))
    nesting: list[str] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)
