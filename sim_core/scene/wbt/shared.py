"""What the parsers of one load share."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim_core.base.errors import SceneError
from sim_core.scene.limits import Budget


@dataclass
class Shared:
    """What the parsers of one load share.

    Attributes:
        warnings: of what is old, or passed over.
        is_lenient: what Webots only warns of is passed over with a warning, see `Parser.mistake`.
        budget: what is left of the limits of the load.
        told: texts of which one line is enough, and that have been said.
    """

    warnings: list[SceneError] = field(default_factory=list)
    is_lenient: bool = False
    budget: Budget = field(default_factory=Budget)
    told: set[str] = field(default_factory=set)
