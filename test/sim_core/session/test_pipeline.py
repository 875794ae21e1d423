"""The way of a command: noted, then carried out or refused in one line; replayed behind the journal."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from threading import Thread
from typing import Any

import pytest
from goldens import feed

from sim_core.base.errors import Code, CommandError
from sim_core.base.inbox import ENDING, awaited
from sim_core.base.outcome import DONE, Clamped, Done, Outcome, Refused, outcome_of
from sim_core.scene import parse_scene
from sim_core.session.pipeline import Action, Command, decoded
from sim_core.session.robot_commands import DeviceCommand, Drive, PlayMotion
from sim_core.session.run_commands import ResetPart, SetMode, SetParameter
from sim_core.session.session import Journal, Session
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.present_state import save_text
from sim_core.session.world_commands import ImportText, Place, Remove, SetField, SetJoint, SetVelocity

WORLD = """#VRML_SIM R2025a utf8
DEF WORLD WorldInfo { basicTimeStep 8 gravity 0 }
DEF BALL Solid { boundingObject DEF BALL_SPHERE Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }
Robot { name "r" controller "void" children [
  DEF HINGE HingeJoint { device RotationalMotor { name "motor" maxVelocity 10 } endPoint Solid { } } ] }
DifferentialWheels { name "d" controller "void" maxSpeed 5 axleLength 0.4 wheelRadius 0.1 }
"""


class Diary(Journal):
    """Stores its events, with the velocity of the ball at that time."""

    is_on = True

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.sim: Simulation

    def command(self, command: Command) -> None:
        self.told.append((command, self.sim.supervisor.velocity("BALL")[0][0]))

    def outcome(self, command: Command, outcome: Outcome) -> None:
        self.told.append((command.sender, outcome))

    def restarts(self, what: str, before_ns: int, step_ns: int, **details: Any) -> None:
        self.told.append((what, before_ns, details))


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def session(diary: Diary) -> Session:
    diary.sim = Simulation(parse_scene(WORLD, "w.wbt"))
    return Session(diary.sim, diary)


def test_a_command_is_noted_before_it_is_carried_out(session: Session, diary: Diary) -> None:
    command = Command("me", (SetVelocity("BALL", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),))
    assert session.pipeline.submit(command) is DONE
    assert diary.told == [(command, 0.0)]
    assert session.sim.supervisor.velocity("BALL")[0] == (1.0, 0.0, 0.0)


def test_a_refused_command_changes_nothing_and_gives_one_line(session: Session, diary: Diary) -> None:
    command = Command("me", (SetField("BALL", "mess", 1.0),))
    outcome = session.pipeline.submit(command)
    assert isinstance(outcome, Refused) and outcome.code == Code.OPERATION_FAILED
    assert "mess" in outcome.text and "\n" not in outcome.text
    assert diary.told == [(command, 0.0), ("me", outcome)]


def test_clamping_is_noted_and_a_twist_before_its_conversion(session: Session, diary: Diary) -> None:
    command = Command("/d/cmd_vel", (Drive("d", 1.0, 0.0),), "the message")
    outcome = session.pipeline.submit(command)
    assert isinstance(outcome, Clamped) and "slowed" in outcome.text
    assert diary.told == [(command, 0.0), ("/d/cmd_vel", outcome)]
    wheels = session.sim.robot("d")["d"]
    assert (wheels.left.target_velocity, wheels.right.target_velocity) == (5.0, 5.0)


def test_a_replay_is_not_noted(session: Session, diary: Diary) -> None:
    command = Command("me", (DeviceCommand("r", "motor", "set_velocity", {"velocity": 2.0}),))
    assert session.pipeline.replay(command) is DONE
    assert session.sim.robot("r")["motor"].target_velocity == 2.0
    assert diary.told == []


def test_a_command_posted_within_a_step_is_carried_out_after_it(session: Session, diary: Diary) -> None:
    command = Command("me", (SetVelocity("BALL", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),))
    posted: list[Future[Outcome]] = []
    session.sim.watchers.append(lambda _: posted.append(session.pipeline.post(command)))
    session.step()
    (first,) = posted
    assert not first.done() and diary.told == []
    session.sim.watchers.clear()
    session.advance(16_000_000)
    assert first.result(0.0) is DONE and diary.told == [(command, 0.0)]
    assert session.sim.supervisor.pose("BALL").position[0] == pytest.approx(0.008)


def test_a_command_of_another_thread_is_carried_out_by_the_session(session: Session) -> None:
    outcomes: list[Outcome] = []
    command = Command("me", (Remove("NOBODY"),))
    thread = Thread(target=lambda: outcomes.append(awaited(session.pipeline.post(command))))
    thread.start()
    session.inbox.wait(10.0)
    thread.join(10.0)
    assert outcomes == [session.pipeline.submit(command)]
    session.inbox.close()
    assert awaited(session.pipeline.post(command)) == ENDING


@pytest.mark.parametrize("action", [SetMode("fast"), SetParameter("speed", 2.0)])
def test_run_settings_are_noted_and_refused_without_a_run(
    session: Session, diary: Diary, action: Action
) -> None:
    command = Command("me", (action,))
    outcome = session.pipeline.submit(command)
    assert isinstance(outcome, Refused) and "expected a run" in outcome.text
    assert diary.told == [(command, 0.0), ("me", outcome)]


def test_a_message_that_cannot_be_decoded_is_refused_before_it_is_noted(
    session: Session, diary: Diary
) -> None:
    def decode(form: str) -> Any:
        raise CommandError(f"found {form}", Code.NOT_FOUND)

    assert session.pipeline.submit(decoded("me", decode, "x")) == Refused(Code.NOT_FOUND, "found x")
    assert diary.told == []


def test_a_restart_of_sim_time_is_noted_once_by_the_session(session: Session, diary: Diary) -> None:
    session.step()
    assert session.pipeline.submit(Command("me", (ResetPart(3),))) is DONE
    assert diary.told == [("reset_scope", 8_000_000, {"scope": 3})]
    assert session.sim.time_ns == 0


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (DeviceCommand("r", "motor", "fly", {}), 'found command "fly", expected one of set_webots_position'),
        (DeviceCommand("r", "mtor", "set_velocity", {"velocity": 1.0}), 'did you mean "motor"'),
        (DeviceCommand("x", "motor", "set_velocity", {"velocity": 1.0}), 'no robot "x"'),
        (Drive("r", 1.0, 0.0), "r has no wheels"),
        (PlayMotion("r", "none"), "no such motion file"),
        (Remove("NOBODY"), 'no node "NOBODY"'),
    ],
)
def test_unknown_names_are_refused(session: Session, action: Any, text: str) -> None:
    outcome = session.pipeline.submit(Command("me", (action,)))
    assert isinstance(outcome, Refused) and text in outcome.text


def test_every_exception_becomes_a_refusal() -> None:
    def fail() -> None:
        raise KeyError("x")

    def fail_by_half_a_character() -> None:
        raise CommandError("found \ud800")

    assert outcome_of(fail) == Refused(Code.OPERATION_FAILED, "KeyError: 'x'")
    assert outcome_of(fail_by_half_a_character) == Refused(Code.OPERATION_FAILED, "found \\ud800")
    assert outcome_of(lambda: 3) == Done(3)
    assert outcome_of(lambda: Clamped("to 3")) == Clamped("to 3")


def whole_state(sim: Simulation) -> str:
    """Return a hash of the whole state in a snapshot."""
    snapshot, digest = sim.snapshot(), hashlib.sha256()
    feed(digest, snapshot.physics)
    feed(digest, list(snapshot.states.items()))
    return digest.hexdigest()


TELL = {
    "motor": DeviceCommand("r", "motor", "set_velocity", {"velocity": 3.0}),
    "wheels": DeviceCommand("d", "d", "set_wheel_velocity", {"wheel": "left wheel", "velocity": 2.0}),
    "twist": Drive("d", 0.2, 0.1),
    "velocity": SetVelocity("BALL", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "place": Place("BALL", (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
    "size": SetField("BALL_SPHERE", "radius", 0.2),
    "gravity": SetField("WORLD", "gravity", 3.0),
    "removal": Remove("BALL"),
    "import": ImportText('Solid { name "new" translation 0 0 3 }'),
    "joint": SetJoint("HINGE", 1, 0.5),
}
REFUSED = DeviceCommand("r", "motor", "set_velocity", {"velocity": float("nan")})


@pytest.mark.parametrize("kind", TELL)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_refused_group_changes_nothing(session: Session, kind: str, steps: int) -> None:
    """Scene, state and outcomes equal those of a run without the group."""
    sim = session.sim
    sim.step(steps)
    before = whole_state(sim), save_text(sim.world)
    outcome = session.pipeline.submit(Command("/x", (TELL[kind], REFUSED)))
    assert isinstance(outcome, Refused)
    assert (whole_state(sim), save_text(sim.world)) == before
    assert session.pipeline.submit(Command("/x", (TELL[kind],))) is DONE
    assert (whole_state(sim), save_text(sim.world)) != before
