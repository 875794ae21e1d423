"""Which robots come and go while a world is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation


class WorldWatch:
    """Hears when a world has changed, other than by moving, and tells who follows it."""

    def __init__(self, sim: Simulation, tell: Callable[[list[Robot], list[Robot]], None]) -> None:
        """`tell` is told of each change, with the robots of before and those of now."""
        self._sim, self._tell = sim, tell
        self._robots = list(sim.robots.values())
        self._is_held = self._was_changed = False
        sim.supervisor.changed.append(self.look)

    def look(self) -> None:
        """Something has changed."""
        if self._is_held:
            self._was_changed = True
            return
        before = self._robots
        self._robots = list(self._sim.robots.values())
        self._tell(before, self._robots)

    @contextmanager
    def held(self) -> Iterator[Callable[[], bool]]:
        """Within it nobody is told; what it yields says whether there was something to tell."""
        self._is_held, self._was_changed = True, False
        try:
            yield lambda: self._was_changed
        finally:
            self._is_held = False

    def accept(self) -> None:
        """The robots of now are those that everything is made for."""
        self._robots = list(self._sim.robots.values())
