"""What is noticed in a run, against closed formulas: when things touch, slip, are at a limit, stand still."""

import math
from pathlib import Path

import pytest

from sim_core.experiments.explain.finding import Finding, Kind, as_lines, as_table, cause_of
from sim_core.experiments.explain.run_watch import RunWatch
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 1 gravity 0 }\n"
WHEEL = """
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
      device RotationalMotor {{ name "{name}" maxTorque 10 maxVelocity 50 }}
      endPoint Solid {{
        translation 0 {y} 0 rotation 1 0 0 1.5707963267948966 name "{name} wheel"
        boundingObject Cylinder {{ radius 0.05 height 0.02 }} physics Physics {{ density -1 mass 0.1 }}
      }}
    }}"""
LIGHT = f"""{HEAD}
DEF ROVER Robot {{
  name "rover" controller "somebody"
  children [ {WHEEL.format(name="left", y=0.1)} {WHEEL.format(name="right", y=-0.1)} ]
  boundingObject Box {{ size 0.2 0.1 0.05 }} physics Physics {{ density -1 mass 5 }}
}}
"""
ROVER = LIGHT.replace("mass 5", "mass 500000")
TURNTABLE = f"""{HEAD}
Robot {{
  name "table" controller "somebody"
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 0 1 }}
      device RotationalMotor {{ name "motor" maxTorque 0.01 maxVelocity 50 }}
      endPoint Solid {{
        boundingObject Cylinder {{ radius 0.1 height 0.02 }} physics Physics {{ density -1 mass 0.6 }}
      }}
    }}
  ]
}}
"""
FLIGHT = f"""{HEAD}
Robot {{
  name "flyer" linearVelocity 2 0 0
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ density -1 mass 1 }}
}}
Solid {{ translation 1.1 0 0 name "wall" boundingObject Box {{ size 0.2 1 1 }} }}
"""


def simulation(folder: Path, text: str) -> Simulation:
    (folder / "world.wbt").write_text(text)
    return Simulation(load_scene(folder / "world.wbt"))


def of_kind(watch: RunWatch, kind: Kind) -> list[Finding]:
    return [each for each in watch.findings() if each.kind is kind]


def test_the_first_contact_is_when_the_way_is_flown(tmp_path: Path) -> None:
    """0.9 m at 2 m/s, before a wall that begins 1 m away; a restart of sim time leaves times as they were."""
    sim = simulation(tmp_path, FLIGHT)
    watch = RunWatch(sim)
    sim.run(1.0)
    (contact,) = of_kind(watch, Kind.CONTACT)
    assert contact.time_ns / 1e9 == pytest.approx(0.9 / 2.0, abs=2e-3)
    assert "flyer touches wall for the first time, at (1.0" in contact.text
    sim.reset()
    sim.run(1.0)
    assert of_kind(watch, Kind.CONTACT) == [contact]
    moved = of_kind(watch, Kind.MOTION)
    assert [each.time_ns for each in moved] == sorted({each.time_ns for each in moved})


def test_a_wheel_in_the_air_slips_by_its_speed_times_its_radius(tmp_path: Path) -> None:
    """Its hub stands still: the body is too heavy to be turned by it."""
    sim = simulation(tmp_path, ROVER)
    watch = RunWatch(sim)
    for motor in sim.robot("rover").motors().values():
        motor.set_velocity(20.0)
    sim.run(2.0)
    slips = of_kind(watch, Kind.SLIP)
    text = f"slips at {20.0 * 0.05:g} m/s for 2 s"
    assert len(slips) == 2 and all(text in each.text for each in slips)
    (stuck,) = of_kind(watch, Kind.STUCK)
    assert stuck.text == "rover has never moved, although its wheels are to turn"
    assert cause_of(watch.findings()) == stuck


def test_a_motor_is_at_its_limit_for_inertia_times_speed_over_torque(tmp_path: Path) -> None:
    sim = simulation(tmp_path, TURNTABLE)
    watch = RunWatch(sim)
    sim.robot("table")["motor"].set_velocity(2.0)
    sim.run(1.5)
    (limit,) = of_kind(watch, Kind.LIMIT)
    inertia = 0.6 * 0.1**2 / 2
    seconds = float(limit.text.rpartition(" for ")[2].split()[0])
    assert seconds == pytest.approx(inertia * 2.0 / 0.01, rel=0.025)
    assert 'table: motor "motor" is at its highest torque of 0.01 N·m' in limit.text


def test_a_robot_that_nobody_commands_is_named(tmp_path: Path) -> None:
    sim = simulation(tmp_path, ROVER)
    watch = RunWatch(sim)
    sim.run(1.5)
    (idle,) = of_kind(watch, Kind.IDLE)
    assert idle.text == "rover: no command has asked a motor to move"


def test_watching_changes_nothing(tmp_path: Path) -> None:
    text = LIGHT.replace("gravity 0", "gravity 9.81") + "Solid { boundingObject Plane { } }"
    poses = []
    for is_watched in (False, True):
        sim = simulation(tmp_path, text)
        if is_watched:
            RunWatch(sim)
        sim.robot("rover")["left"].set_velocity(3.0)
        sim.run(1.0)
        poses.append(sim.robot("rover").frame.pose())
    assert poses[0] == poses[1] and not math.isnan(poses[0].position[0])


def test_the_cause_comes_first_and_the_rest_in_the_order_of_time() -> None:
    touch = Finding(1_000_000_000, Kind.CONTACT, "a touches b")
    crash = Finding(2_000_000_000, Kind.CONTROLLER, "a: controller ended")
    way = Finding(3_000_000_000, Kind.MOTION, "a has moved")
    assert as_lines([way, crash, touch]) == [
        "cause: a: controller ended, at 2 s",
        "     1.000 s  a touches b",
        "     2.000 s  a: controller ended",
        "     3.000 s  a has moved",
    ]
    assert as_lines([way])[0] == "cause: none found"
    assert as_table([crash])["cause"] == {"time": 2.0, "kind": "controller", "text": "a: controller ended"}
