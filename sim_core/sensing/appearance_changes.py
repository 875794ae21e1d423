"""Present appearance of shapes where it differs from their fields: lit LEDs, screens, traces of pens,
laser spots."""

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
        """Number that differs whenever the picture has changed."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture, (height, width, 4) red, green, blue, alpha."""


class Spot(NamedTuple):
    """A red spot of light, m, world axes."""

    place: Vec3
    normal: Vec3
    radius: float


class Laser(Protocol):
    """A source of a spot of light."""

    def spot(self) -> Spot | None:
        """Return the present spot; None: there is none."""


@dataclass
class AppearanceChanges:
    """Changes of the appearance of shapes by devices, for renderers.

    Attributes:
        colours: present emissive colours, by appearance, where they differ from the fields.
        screens: by the Display, on whose first shape with a texture they are shown.
        traces: lines drawn by pens.
        lasers: lasers that may make spots.
        hidden: nodes that are not drawn for a viewer, by the id of a camera; None: the Viewpoint. They are
            set by a supervisor and stay when devices are added or removed.
    """

    colours: dict[NodeId, Vec3] = field(default_factory=dict)
    screens: dict[NodeId, Screen] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    lasers: list[Laser] = field(default_factory=list)
    hidden: dict[NodeId | None, frozenset[NodeId]] = field(default_factory=dict)

    def remove_changes(self) -> None:
        """Remove all changes by devices."""
        for each in (self.colours, self.screens, self.traces, self.lasers):
            each.clear()
