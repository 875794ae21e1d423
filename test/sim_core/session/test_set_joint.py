"""A supervisor sets joint positions: of every axis, clamped to its stops."""

from __future__ import annotations

import pytest

from sim_core.base.outcome import DONE, Clamped, Refused
from sim_core.scene import parse_scene
from sim_core.session.pipeline import Command
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import SetJoint

END = """endPoint Solid {{ name "{name}" boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass 1 }} }}"""
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ gravity 0 }}
Solid {{ name "base" children [
  DEF HINGE2 Hinge2Joint {{
    jointParameters HingeJointParameters {{ axis 0 1 0 minStop -0.3 maxStop 0.4 }}
    jointParameters2 JointParameters {{ axis 0 0 1 minStop -0.1 maxStop 0.2 }} {END.format(name="two")} }}
  DEF BALL BallJoint {{
    jointParameters2 JointParameters {{ minStop -0.3 maxStop 0.4 }}
    jointParameters3 JointParameters {{ axis 0 0 1 minStop -0.1 maxStop 0.2 }} {END.format(name="ball")} }}
  DEF SLIDER SliderJoint {{
    jointParameters JointParameters {{ minStop -0.5 maxStop 0.5 }} {END.format(name="one")} }}
] }}
"""


@pytest.fixture
def session() -> Session:
    return Session(Simulation(parse_scene(WORLD, "w.wbt")))


def told(session: Session, joint: str, axis: int, position: float) -> object:
    return session.pipeline.submit(Command("boss", (SetJoint(joint, axis, position),)))


def position(session: Session, joint: str, axis: int) -> float:
    return session.sim.physics.axis(session.sim.supervisor.node(joint).id, axis - 1).position


@pytest.mark.parametrize(
    ("joint", "axis", "low", "high"),
    [
        ("HINGE2", 1, -0.3, 0.4),
        ("HINGE2", 2, -0.1, 0.2),
        ("BALL", 2, -0.3, 0.4),
        ("BALL", 3, -0.1, 0.2),
        ("SLIDER", 1, -0.5, 0.5),
    ],
)
def test_each_axis_is_set_and_clamped_to_its_stops(
    session: Session, joint: str, axis: int, low: float, high: float
) -> None:
    assert told(session, joint, axis, 0.15) == DONE
    assert position(session, joint, axis) == pytest.approx(0.15)
    for far, stop in ((1.0, high), (-1.0, low)):
        outcome = told(session, joint, axis, far)
        assert isinstance(outcome, Clamped)
        assert position(session, joint, axis) == pytest.approx(stop)


def test_an_axis_without_stops_and_an_unknown_axis(session: Session) -> None:
    assert told(session, "BALL", 1, 0.7) == DONE
    assert position(session, "BALL", 1) == pytest.approx(0.7)
    assert isinstance(told(session, "HINGE2", 3, 0.1), Refused)


@pytest.mark.parametrize(("sign", "stop"), [(1, 0.4), (-1, -0.3)])
@pytest.mark.parametrize("kind", ["HingeJoint", "Hinge2Joint", "SliderJoint"])
@pytest.mark.parametrize("steps", [0, 3])
def test_a_joint_set_past_its_stop_is_held_at_the_stop(kind: str, sign: int, stop: float, steps: int) -> None:
    """Also in the next step: neither gravity, which pulls towards the stop, nor the joint's velocity carries
    it past."""
    parameters = "JointParameters" if kind == "SliderJoint" else "HingeJointParameters"
    axis = (
        f"0 0 {-sign}" if kind == "SliderJoint" else f"0 {sign} 0"
    )  # gravity pulls in the direction of the sign
    arm = END.format(name="arm").replace('"arm"', '"arm" translation 0.3 0 0')
    text = f"""#VRML_SIM R2025a utf8
      WorldInfo {{ basicTimeStep 32 }}
      Solid {{ name "base" children DEF JOINT {kind} {{
        jointParameters {parameters} {{ axis {axis} minStop -0.3 maxStop 0.4 }} {arm} }} }}"""
    session = Session(Simulation(parse_scene(text, "w.wbt")))
    for _ in range(steps):
        session.step()
    assert isinstance(told(session, "JOINT", 1, sign * 0.6), Clamped)
    for _ in range(20):
        session.step()
        assert position(session, "JOINT", 1) == pytest.approx(stop, abs=1e-4)  # free to move, 0.01 a step
