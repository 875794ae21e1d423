"""How shapes look now, beside what their fields say: LEDs that shine, screens, the traces of pens, spots of
lasers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.sensing.trace import Trace


class Screen(Protocol):
    """A picture that a device draws."""

    @property
    def changes(self) -> int:
        """Another number whenever the picture has changed."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """(height, width, 4) red, green, blue, alpha."""


class Spot(NamedTuple):
    """A red spot of light, m, world axes."""

    place: Vec3
    normal: Vec3
    radius: float


class Laser(Protocol):
    """What makes a spot of light."""

    def spot(self) -> Spot | None:
        """Where it is now; None: nowhere."""


@dataclass
class Looks:
    """What devices do to the looks of shapes, for who shows them.

    Attributes:
        colours: of the appearances that do not have the emissive colour of their fields now.
        screens: by the Display, whose first shape with a picture shows them.
        traces: what pens have drawn.
        lasers: that may make spots.
        hidden: nodes that are not drawn for a viewer: by the id of a camera, None: the Viewpoint. A
            supervisor says so, and devices that come and go change nothing of it.
    """

    colours: dict[NodeId, Vec3] = field(default_factory=dict)
    screens: dict[NodeId, Screen] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    lasers: list[Laser] = field(default_factory=list)
    hidden: dict[NodeId | None, frozenset[NodeId]] = field(default_factory=dict)

    def clear(self) -> None:
        """All shapes look as their fields say."""
        for each in (self.colours, self.screens, self.traces, self.lasers):
            each.clear()
