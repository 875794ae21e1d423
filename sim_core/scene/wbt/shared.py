"""What the parsers of one load share."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim_core.base.errors import SceneError
from sim_core.base.limits import limit


@dataclass
class Shared:
    """What the parsers of one load share.

    Attributes:
        warnings: of what is old, or passed over.
        is_lenient: what Webots only warns of is passed over with a warning, see `Parser.mistake`.
        nodes_left: how many may still be made.
        nesting: the PROTO bodies that are being expanded, outermost first.
        told: texts of which one line is enough, and that have been said.
    """

    warnings: list[SceneError] = field(default_factory=list)
    is_lenient: bool = False
    nodes_left: int = field(default_factory=lambda: limit("scene_nodes"))
    nesting: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
