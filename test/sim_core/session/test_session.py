"""Notifications of a session: events, times and order."""

from __future__ import annotations

from typing import Any

import pytest

from sim_core.base.alarm import Alarm
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.scene import parse_scene
from sim_core.session.robot import Robot
from sim_core.session.session import Follower, Journal, Session
from sim_core.session.simulation import Simulation

STEP = 8_000_000
ROBOT = 'Robot { name "%s" children [ GPS { name "gps" accuracy 0.1 } ] }\n'


class Diary(Follower, Journal):
    """Stores its events, as a follower and as a journal."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.acts: Alarm = Alarm()
        self.observes: Alarm = Alarm()
        self.refusal: OdesimError | None = None
        self.looked_at: list[str] = []
        self.sim: Simulation

    def before_step(self, now_ns: int) -> None:
        self.told.append(("before", now_ns))

    def after_step(self, now_ns: int) -> None:
        self.told.append(("after", now_ns))

    def world_changed(self, before: list[Robot], now: list[Robot]) -> None:
        self.told.append(("changed", [robot.name for robot in before], [robot.name for robot in now]))

    def check_world(self) -> None:
        self.looked_at += self.sim.robots
        if self.refusal is not None:
            raise self.refusal

    def world_loaded(self, is_trusted: bool) -> None:
        self.told.append(("loaded", list(self.sim.robots), is_trusted))

    def time_is_zero(self, before_ns: int) -> None:
        self.told.append(("zero", before_ns))

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        self.told.append((what, before_ns, step_ns, details))

    def note_change(self, what: str, **details: Any) -> None:
        self.told.append((what, self.sim.time_ns, details))

    def take(self) -> list[Any]:
        told, self.told = self.told, []
        return told


def scene(*robots: str, step_ms: int = 8) -> Any:
    text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step_ms} }}\n"
    return parse_scene(text + "".join(ROBOT % name for name in robots), f"{'_'.join(robots)}.wbt")


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def session(diary: Diary) -> Session:
    session = Session(Simulation(scene("a", "b")), diary)
    diary.sim = session.sim
    session.set_followers(diary)
    return session


def test_a_follower_is_called_from_its_due_times_on(session: Session, diary: Diary) -> None:
    session.begin()
    session.advance(3 * STEP)
    assert diary.take() == [("zero", 0)]
    diary.acts.set(4 * STEP)
    diary.observes.set(5 * STEP)
    session.advance(6 * STEP)
    assert diary.take() == [
        ("before", 4 * STEP),
        ("after", 5 * STEP),
        ("before", 5 * STEP),
        ("after", 6 * STEP),
    ]


def test_removed_robots_return_at_a_reset_before_time_is_zero(session: Session, diary: Diary) -> None:
    session.advance(2 * STEP)
    session.sim.supervisor.remove(session.sim.robot("a").node)
    assert diary.take() == [("changed", ["a", "b"], ["b"])]
    session.advance(3 * STEP)
    session.reset()
    assert diary.take() == [
        ("reset", 3 * STEP, STEP, {"seed": 0}),
        ("changed", ["b"], ["a", "b"]),
        ("zero", 3 * STEP),
    ]


def test_a_reset_that_keeps_the_clock_is_a_change_of_the_world_and_no_restart(
    session: Session, diary: Diary
) -> None:
    session.advance(2 * STEP)
    session.sim.supervisor.remove(session.sim.robot("a").node)
    session.advance(3 * STEP)
    diary.take()
    session.reset_and_keep_clock()
    assert diary.take() == [("reset_keeping_clock", 3 * STEP, {}), ("changed", ["b"], ["a", "b"])]
    diary.observes.set(4 * STEP)
    session.step()
    assert diary.take() == [("after", 4 * STEP)]


def test_another_seed_applies_from_the_next_reset_and_makes_new_robots(
    session: Session, diary: Diary
) -> None:
    def noisy() -> Any:
        session.advance(2 * STEP)
        return session.sim.robot("a")["gps"].value

    first, robots = noisy(), list(session.sim.robots.values())
    session.seed = 5
    session.reset()
    assert [robot not in robots for robot in session.sim.robots.values()] == [True, True]
    assert diary.take()[-2:] == [("changed", ["a", "b"], ["a", "b"]), ("zero", 2 * STEP)]
    assert noisy() != first
    session.seed = 0
    session.reset()
    assert noisy() == first


def test_another_world_is_checked_before_it_is_loaded(session: Session, diary: Diary) -> None:
    session.advance(2 * STEP)
    session.load(scene("c", step_ms=4), "c.wbt", is_trusted=False)
    assert diary.looked_at == ["c"]
    assert diary.take() == [
        ("load_world", 2 * STEP, STEP, {"world": "c.wbt", "plugins": False}),
        ("loaded", ["c"], False),
        ("zero", 2 * STEP),
    ]
    session.sim.supervisor.remove(session.sim.robot("c").node)
    assert diary.take() == [("changed", ["c"], [])]


def test_a_refused_world_leaves_the_present_one_unchanged(session: Session, diary: Diary) -> None:
    session.advance(2 * STEP)
    robots = list(session.sim.robots.values())
    diary.refusal = ConfigError("two topics of one name")
    with pytest.raises(ConfigError, match="two topics"):
        session.load(scene("c"), "c.wbt")
    assert diary.looked_at == ["c"]
    diary.refusal = None
    far = parse_scene('#VRML_SIM R2025a utf8\nRobot { name "d" translation 0 0 1e20 }', "d.wbt")
    with pytest.raises(OdesimError):  # its physics cannot be built, so no follower is called
        session.load(far, "d.wbt")
    assert diary.looked_at == ["c"]
    assert diary.take() == []
    assert list(session.sim.robots.values()) == robots
    session.advance(3 * STEP)
    session.sim.supervisor.remove(robots[0].node)
    assert diary.take() == [("changed", ["a", "b"], ["b"])]
