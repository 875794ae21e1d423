"""Watches a simulation while it runs, to explain afterwards what went wrong in it."""

from __future__ import annotations

from collections.abc import Iterator

from sim_core.base.ids import NodeId
from sim_core.experiments.explain.finding import Finding, Kind, in_order
from sim_core.experiments.explain.robot_watch import RobotWatch
from sim_core.model.dynamics.naming import nodes_of
from sim_core.model.entities import entities_of
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

CARRIES = 0.7
"""Upward part of a contact's normal from which on the other solid carries the robot."""


class RunWatch:
    """Observes a simulation after each step, and changes nothing in it.

    The world may be edited, reset or replaced meanwhile: times go on.
    """

    def __init__(self, sim: Simulation) -> None:
        """Begin now."""
        self._sim = sim
        self._offset_ns, self._last_ns = 0, sim.time_ns
        self._robots: dict[Robot, RobotWatch] = {}
        self._past: list[Finding] = []  # before sim time started again
        self._touched: dict[tuple[str, str], Finding] = {}
        self._names: dict[NodeId, str] = {}
        self._watch_robots()
        sim.watchers.append(self._update)

    @property
    def time_ns(self) -> int:
        """Nanoseconds since the start, up to the last step."""
        return self._last_ns + self._offset_ns

    def findings(self) -> list[Finding]:
        """Return what was noticed so far, in the order of time."""
        return in_order([*self._past, *self._touched.values(), *self._of_robots()])

    def _update(self, now_ns: int) -> None:
        sim = self._sim
        if now_ns <= self._last_ns:  # sim time has started again
            self._past += self._of_robots()
            self._robots = {}
            self._offset_ns += self._last_ns + sim.step_ns
        self._last_ns = now_ns
        if list(sim.robots.values()) != list(self._robots) or not sim.physics.record_contacts:
            self._watch_robots()  # the world was edited, or replaced by another one
        time_ns = now_ns + self._offset_ns
        self._note_contacts(time_ns)
        for watch in self._robots.values():
            watch.update(time_ns, sim.step_ns)

    def _of_robots(self) -> list[Finding]:
        return [each for watch in self._robots.values() for each in watch.findings()]

    def _watch_robots(self) -> None:
        sim, time_ns = self._sim, self.time_ns
        self._names = names_of_solids(sim)
        if not sim.physics.record_contacts:
            sim.physics.record_contacts = True
        self._robots = {
            each: self._robots.get(each) or RobotWatch(each, time_ns) for each in sim.robots.values()
        }

    def _note_contacts(self, time_ns: int) -> None:
        by_name = {robot.name: watch for robot, watch in self._robots.items()}
        for watch in by_name.values():
            watch.touching = set()
        for contact in self._sim.physics.contacts:
            if abs(contact.normal[2]) > CARRIES:
                continue
            pair = self._names.get(contact.first, ""), self._names.get(contact.second, "")
            for name, other in (pair, pair[::-1]):
                if name in by_name and other not in ("", name):
                    by_name[name].touching.add(other)
                    x, y, _ = contact.position
                    text = f"{name} touches {other} for the first time, at ({x:.3f}, {y:.3f}) m"
                    self._touched.setdefault((name, other), Finding(time_ns, Kind.CONTACT, text))


def names_of_solids(sim: Simulation) -> dict[NodeId, str]:
    """Return for each solid, by the id of its node, the name of the outermost solid that it is part of."""
    return dict(_names(sim))


def _names(sim: Simulation) -> Iterator[tuple[NodeId, str]]:
    nodes = nodes_of(sim.scene)
    for entity in entities_of(sim.scene):
        for each in nodes[entity.id].walk():
            if each.is_a("Solid"):
                yield each.id, entity.name
