from typing import Any

import pytest

from sim_core.base.errors import DeviceError, Mistake
from sim_core.base.geometry import Pose
from sim_core.scene import Node, parse_scene
from sim_core.session.simulation import Simulation

G = 9.81
FLOOR = 'Solid { name "floor" boundingObject Plane { } }\n'
LIFT = """Robot { name "lift" translation 0 0 0.8 children SliderJoint {
  jointParameters JointParameters { axis 0 0 1 }
  device LinearMotor { name "lift" maxVelocity 0.04 acceleration 0.5 maxForce 1000 }
  endPoint Solid { name "arm" translation 0 0 -0.45
    children VacuumGripper { name "gripper" rotation 0 1 0 1.5707963267948966 %s
      boundingObject Box { size 0.02 0.1 0.1 } }
    boundingObject Sphere { radius 0.005 } physics Physics { density -1 mass 1 } } } }\n"""
BOX = """Solid { name "box" translation %s boundingObject %s physics Physics { density -1 mass %s } }\n"""


def world(
    fields: str = "", mass: float = 2.0, shape: str = "Box { size 0.2 0.2 0.2 }", z: float = 0.1
) -> Simulation:
    """Return a gripper that hangs with its face at 0.34 m, above a box on the floor."""
    head = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 4 }\n"
    return Simulation(parse_scene(head + FLOOR + LIFT % fields + BOX % (f"0 0 {z}", shape, mass)))


def solid(sim: Simulation, name: str) -> Node:
    return next(node for node in sim.scene.walk() if node.is_a("Solid") and node["name"] == name)


def height(sim: Simulation) -> float:
    return float(sim.physics.frame(solid(sim, "box").id).pose().position[2])


def pick_up(sim: Simulation) -> Any:
    """Move down to the box, turn on, and move up again."""
    gripper, motor = sim.robot("lift")["gripper"], sim.robot("lift")["lift"]
    motor.set_position(-0.1405)
    sim.run(5.0)
    gripper.turn_on()
    sim.run(0.2)
    motor.set_position(0.0)
    sim.run(5.0)
    return gripper


def test_it_lifts_a_box_and_lets_it_fall() -> None:
    sim = world()
    gripper = pick_up(sim)
    assert gripper.value is True
    assert gripper.held == solid(sim, "box").id
    assert height(sim) == pytest.approx(0.1 + 0.1405, abs=0.01)
    gripper.turn_off()
    sim.run(0.1)
    assert gripper.value is False
    sim.run(1.0)
    assert height(sim) == pytest.approx(0.1, abs=0.002)


def test_off_it_touches_without_holding() -> None:
    sim = world()
    gripper = sim.robot("lift")["gripper"]
    sim.robot("lift")["lift"].set_position(-0.1405)
    sim.run(5.0)
    assert gripper.value is False
    sim.robot("lift")["lift"].set_position(0.0)
    sim.run(5.0)
    assert height(sim) == pytest.approx(0.1, abs=0.002)


@pytest.mark.parametrize(("mass", "holds"), [(1.8, True), (2.2, False)])
def test_it_lets_go_of_more_than_its_tensile_strength(mass: float, holds: bool) -> None:
    """Lifted with almost no acceleration a box pulls with m·g; the strength is 2 kg·g."""
    sim = world(f"tensileStrength {2.0 * G}", mass)
    gripper = pick_up(sim)
    assert gripper.value is holds
    assert (height(sim) > 0.2) is holds


@pytest.mark.parametrize(("mass", "holds"), [(1.8, True), (2.2, False)])
def test_it_lets_go_of_more_than_its_shear_strength(mass: float, holds: bool) -> None:
    """A gripper on a wall holds a box by its side; the table under the box is removed: m·g shears."""
    text = f"""#VRML_SIM R2025a utf8
      WorldInfo {{ basicTimeStep 4 }}
      Solid {{ name "table" translation 0.2 0 0.85 boundingObject Box {{ size 0.3 0.3 0.1 }} }}
      Robot {{ name "wall" translation 0 0 1 children VacuumGripper {{ name "gripper" isOn TRUE
        shearStrength {2.0 * G} boundingObject Box {{ size 0.02 0.1 0.1 }} }} }}
      {BOX % ("0.1099 0 1", "Box { size 0.2 0.2 0.2 }", mass)}"""
    sim = Simulation(parse_scene(text))
    gripper = sim.robot("wall")["gripper"]
    sim.run(0.2)
    assert gripper.held == solid(sim, "box").id
    sim.physics.move(solid(sim, "table").id, Pose((0.2, 0.0, 0.2)))
    sim.run(0.5)
    assert gripper.value is holds
    assert (height(sim) > 0.9) is holds


@pytest.mark.parametrize(("points", "holds"), [(1, True), (2, False)])
def test_a_ball_has_one_contact_point(points: int, holds: bool) -> None:
    sim = world(f"isOn TRUE contactPoints {points}", shape="Sphere { radius 0.1 }", z=0.2402)
    sim.run(0.5)
    assert sim.robot("lift")["gripper"].value is holds


def test_it_holds_on_to_what_stands_still() -> None:
    """A robot that hangs from a ceiling."""
    text = """#VRML_SIM R2025a utf8
      WorldInfo { basicTimeStep 4 }
      Solid { name "ceiling" translation 0 0 1 boundingObject Box { size 2 2 0.1 } }
      Robot { name "gecko" translation 0 0 0.8 children VacuumGripper { name "gripper" isOn TRUE
          translation 0 0 0.145 rotation 0 1 0 -1.5707963267948966
          boundingObject Box { size 0.0102 0.1 0.1 } }
        boundingObject Box { size 0.2 0.2 0.2 } physics Physics { density -1 mass 2 } }"""
    sim = Simulation(parse_scene(text))
    gripper = sim.robot("gecko")["gripper"]
    sim.run(1.0)
    assert gripper.held == solid(sim, "ceiling").id
    assert sim.robot("gecko").frame.pose().position[2] == pytest.approx(0.8, abs=1e-3)
    gripper.turn_off()
    sim.run(0.2)
    assert sim.robot("gecko").frame.linear_velocity()[2] == pytest.approx(-G * 0.2, rel=0.03)


def test_a_run_after_a_reset_is_the_same() -> None:
    sim = world()

    def run() -> tuple[Any, ...]:
        gripper = pick_up(sim)
        return height(sim), gripper.reading

    first = run()
    sim.reset()
    gripper = sim.robot("lift")["gripper"]
    assert (gripper.is_on, gripper.held, gripper.reading) == (False, None, None)
    assert run() == first


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("tensileStrength -2", "VacuumGripper.tensileStrength"),
        ("shearStrength -2", "VacuumGripper.shearStrength"),
        ("contactPoints 0", "VacuumGripper.contactPoints"),
    ],
)
def test_values_that_are_not_possible_are_refused(fields: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        world(fields)


def test_without_a_bounding_object_it_holds_nothing_and_says_so() -> None:
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\nRobot { children VacuumGripper { isOn TRUE } }"))
    sim.step()
    gripper = sim.robot("robot")["vacuum gripper"]
    assert gripper.held is None
    (mistake,) = gripper.warnings
    assert isinstance(mistake, Mistake) and "VacuumGripper without boundingObject" in str(mistake)


def test_what_it_touches_is_told_as_held_at_the_end_of_that_step() -> None:
    """In Webots a gripper takes hold at the end of the step, here at the beginning of the next one."""
    sim = world()
    gripper, motor = sim.robot("lift")["gripper"], sim.robot("lift")["lift"]
    motor.set_position(-0.1405)
    sim.run(5.0)
    assert gripper.value is False
    gripper.turn_on()
    sim.step()
    assert gripper.value is True
    gripper.turn_off()
    sim.step()
    assert gripper.value is False


def test_a_supervisor_turns_it_on_and_off_and_sees_whether_it_is() -> None:
    sim = world()
    gripper = sim.robot("lift")["gripper"]
    sim.supervisor.set(solid(sim, "gripper"), "isOn", True)
    sim.step()
    assert gripper.is_on and sim.supervisor.get(solid(sim, "gripper"), "isOn") is True
    gripper.turn_off()
    assert sim.supervisor.get(solid(sim, "gripper"), "isOn") is False
    sim.reset()
    assert sim.supervisor.get(solid(sim, "gripper"), "isOn") is False
