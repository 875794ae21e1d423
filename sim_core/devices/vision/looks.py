"""How shapes look now, beside what their fields say: LEDs that shine, screens, the traces of pens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Vec3
from sim_core.devices.drawing.trace import Trace
from sim_core.devices.media import Medium
from sim_core.devices.world_view import RayBatch, World
from sim_core.scene import Node


class Screen(Protocol):
    """A picture that a device draws."""

    @property
    def changes(self) -> int:
        """Another number whenever the picture has changed."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """(height, width, 4) red, green, blue, alpha."""


class Looks(Medium):
    """What devices do to the looks of shapes, for who shows them.

    Attributes:
        colours: of the appearances that do not have the emissive colour of their fields now.
        screens: by the Display node, whose first shape shows them.
        traces: what pens have drawn.
    """

    def __init__(self, world: World, new_rays: Callable[[], RayBatch]) -> None:
        super().__init__(world, new_rays)
        self.colours: dict[Node, Vec3] = {}
        self.screens: dict[Node, Screen] = {}
        self.traces: list[Trace] = []
