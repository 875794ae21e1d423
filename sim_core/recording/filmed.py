"""What recordings see of a simulation: a protocol, so that a simulation may have recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from sim_core.devices import Device
from sim_core.devices.media import Media
from sim_core.engines.world_view import World
from sim_core.recording.label_pictures import Label
from sim_core.scene import Scene


class FilmedRobot(Protocol):
    """A robot, for its cameras and pens."""

    name: str

    @property
    def devices(self) -> Mapping[str, Device]:
        """By name."""


class Labels(Protocol):
    """The texts over the world."""

    def items(self) -> list[tuple[int, Label]]:
        """Numbers and labels, by number."""


class Changes(Protocol):
    """Who changes the world other than by steps."""

    @property
    def labels(self) -> Labels:
        """Those that are shown."""

    @property
    def changed(self) -> list[Callable[[], None]]:
        """Called after something that is seen has changed, other than by moving."""


class Filmed(Protocol):
    """A simulation as it is recorded; nothing in it changes by that."""

    scene: Scene

    @property
    def physics(self) -> World:
        """Where things are."""

    @property
    def media(self) -> Media:
        """The lights, and who draws pictures."""

    @property
    def robots(self) -> Mapping[str, FilmedRobot]:
        """By name."""

    @property
    def time_ns(self) -> int:
        """Sim time."""

    @property
    def watchers(self) -> list[Callable[[int], None]]:
        """Called with the sim time at the end of each step."""

    @property
    def supervisor(self) -> Changes:
        """Who changes it."""
