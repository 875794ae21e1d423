"""Interface of a simulation for recordings: a protocol, as the simulation itself imports recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from sim_core.devices import Device
from sim_core.devices.media import Media
from sim_core.engines.world_view import World
from sim_core.recording.label_pictures import Label
from sim_core.scene import Scene


class RecordedRobot(Protocol):
    """A robot with cameras and pens."""

    name: str

    @property
    def devices(self) -> Mapping[str, Device]:
        """Devices by name."""


class LabelList(Protocol):
    """Labels over the world."""

    def items(self) -> list[tuple[int, Label]]:
        """Return numbers and labels, by number."""


class ChangeSource(Protocol):
    """Source of changes of the world other than steps."""

    @property
    def labels(self) -> LabelList:
        """Shown labels."""

    @property
    def changed(self) -> list[Callable[[], None]]:
        """Called after visible changes other than motion."""


class RecordedSimulation(Protocol):
    """A simulation that can be recorded; recording changes nothing in it."""

    scene: Scene

    @property
    def physics(self) -> World:
        """World with the poses of all solids."""

    @property
    def media(self) -> Media:
        """Media with the lights and the renderer."""

    @property
    def robots(self) -> Mapping[str, RecordedRobot]:
        """Robots by name."""

    @property
    def time_ns(self) -> int:
        """Sim time, ns."""

    @property
    def watchers(self) -> list[Callable[[int], None]]:
        """Called with the sim time at the end of each step."""

    @property
    def supervisor(self) -> ChangeSource:
        """Source of changes other than steps."""
