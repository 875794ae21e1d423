"""How shapes look now, beside what their fields say: LEDs that shine, screens, the traces of pens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_core.base.geometry import Vec3
from sim_core.scene import Node
from sim_core.sensing.trace import Trace


class Screen(Protocol):
    """A picture that a device draws."""

    @property
    def changes(self) -> int:
        """Another number whenever the picture has changed."""

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """(height, width, 4) red, green, blue, alpha."""


@dataclass
class Looks:
    """What devices do to the looks of shapes, for who shows them.

    Attributes:
        colours: of the appearances that do not have the emissive colour of their fields now.
        screens: by the Display node, whose first shape shows them.
        traces: what pens have drawn.
    """

    colours: dict[Node, Vec3] = field(default_factory=dict)
    screens: dict[Node, Screen] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
