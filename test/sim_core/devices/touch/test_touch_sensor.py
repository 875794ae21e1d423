import gc
import math
from collections.abc import Callable
from typing import Any

import pytest

from sim_core import load_world
from sim_core.base.config import DeviceConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import DeviceError
from sim_core.base.shipped import find_world
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

MASS, G = 3.0, 9.81
FLOOR = 'WorldInfo { basicTimeStep 4 } Solid { name "floor" boundingObject Plane { } }\n'
DOWN = "rotation 0 1 0 1.5707963267948966"  # x axis down


def walker(sensor: str, z: float = 0.25, robot: str = "", sole: str = "Box { size 0.1 0.3 0.3 }") -> str:
    """Return a robot of 3 kg that stands on its touch sensor alone."""
    return (
        FLOOR
        + f"""Robot {{ name "robot" translation 0 0 {z} {robot}
        children TouchSensor {{ name "sensor" translation 0 0 -0.2 {DOWN} {sensor}
          boundingObject {sole} }}
        boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass {MASS} }} }}"""
    )


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ("lookupTable [ ]", MASS * G),
        ("", 10.0 * MASS * G),  # the table that a TouchSensor has: tenths of newtons
        ("lookupTable [ 0 5 0, 20 6 0 ]", 6.0),  # saturated
        ("lookupTable [ ] resolution 5", 30.0),
    ],
)
def test_a_force_sensor_under_a_robot_weighs_it(rig: Callable[..., Any], table: str, value: float) -> None:
    world = rig(walker(f'type "force" {table}'))
    world.step(500)
    assert world["sensor"].value == pytest.approx(value, rel=0.01)
    assert world["sensor"].reading.force == pytest.approx((-MASS * G, 0.0, 0.0), rel=0.01, abs=0.05)


def test_a_force_3d_sensor_has_the_components_in_its_own_axes(rig: Callable[..., Any]) -> None:
    world = rig(walker('type "force-3d" lookupTable [ ]'))
    world.step(500)
    assert world["sensor"].value == pytest.approx((-MASS * G, 0.0, 0.0), rel=0.01, abs=0.05)


def test_a_negative_component_is_below_a_table_that_begins_at_zero(rig: Callable[..., Any]) -> None:
    world = rig(walker('type "force-3d"'))
    world.step(500)
    assert world["sensor"].value[0] == 0.0


@pytest.mark.parametrize("angle", [0.3, 0.6])
def test_a_force_sensor_measures_along_its_x_axis(rig: Callable[..., Any], angle: float) -> None:
    """r = |f|·cos(α); the contact of a sphere is the same for any rotation."""
    text = walker('type "force" lookupTable [ ]', sole="Sphere { radius 0.05 }")
    text = text.replace(DOWN, f"rotation 0 1 0 {math.pi / 2.0 + angle}").replace("mass 3", "mass 3", 1)
    held = "linearVelocity 0 0 0 angularVelocity 0 0 0"
    world = rig(text.replace('name "robot"', f'name "robot" {held}'))
    world.step(5)
    force = math.hypot(*world["sensor"].reading.force)
    assert force > 1.0
    assert world["sensor"].value == pytest.approx(force * math.cos(angle), rel=0.03)


def test_a_pull_is_no_force(rig: Callable[..., Any]) -> None:
    """The x axis points away from the body that presses."""
    world = rig(walker('type "force" lookupTable [ ]').replace("rotation 0 1 0 1.57", "rotation 0 1 0 -1.57"))
    world.step(500)
    assert world["sensor"].value == 0.0
    assert world["sensor"].reading.force[0] == pytest.approx(MASS * G, rel=0.01)


def test_noise_is_relative_and_spreads_as_asked(rig: Callable[..., Any]) -> None:
    world = rig(walker('type "force" lookupTable [ 0 0 0.1, 100 100 0.1 ]'))
    world.step(500)
    errors = []
    for _ in range(400):
        world.step()
        reading = world["sensor"].reading
        errors.append(reading.value / -reading.force[0] - 1.0)
    mean = sum(errors) / 400
    spread = math.sqrt(sum((error - mean) ** 2 for error in errors) / 400)
    assert mean == pytest.approx(0.0, abs=4.0 * 0.1 / 20.0)
    assert spread == pytest.approx(0.1, rel=0.2)


def test_a_bumper_tells_a_bump_that_is_over_before_the_sample(rig: Callable[..., Any]) -> None:
    """A robot falls on its bumper and bounces: each sample tells if it touched since the last one."""
    text = walker("", z=0.35).replace(
        "basicTimeStep 4", "basicTimeStep 4 contactProperties ContactProperties { bounce 0.8 }"
    )
    devices = {"sensor": DeviceConfig(sampling_period=0.1)}
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\n" + text), _config(devices))
    sensor = sim.robot("robot")["sensor"]
    watch = sim.physics.watch_contacts(sim.robot("robot").nodes["sensor"].id)
    values, touched, ends_free = [], False, 0
    sensor.add_listener(lambda reading: values.append(reading.value))
    for _ in range(12):
        touched = False
        for _ in range(25):
            sim.step()
            touched = touched or watch.is_touching()
        assert values[-1] is touched
        ends_free += touched and not watch.is_touching()
    assert ends_free  # some bump was over when it was sampled
    assert not all(values)


def _config(devices: dict[str, DeviceConfig]) -> SimulationConfig:
    return SimulationConfig(robots={"robot": RobotConfig(devices=devices)})


def test_a_bumper_without_physics_on_a_robot_without_physics_touches_a_wall(rig: Callable[..., Any]) -> None:
    """One bumper of a static robot is inside a static wall, one is not."""
    text = (
        FLOOR
        + """Solid { name "wall" translation 1 0 0.5 boundingObject Box { size 0.2 2 1 } }
      Robot { name "robot" translation 0 0 0.5 children [
        TouchSensor { name "in" translation 0.85 0 0 boundingObject Box { size 0.2 0.2 0.2 } }
        TouchSensor { name "out" translation 0.5 0 0 boundingObject Box { size 0.2 0.2 0.2 } } ] }"""
    )
    world = rig(text)
    world.step()
    assert world["in"].value is True
    assert world["out"].value is False


def test_a_kinematic_robot_feels_the_wall_that_stops_it() -> None:
    text = (
        "#VRML_SIM R2025a utf8\n"
        + FLOOR
        + """Solid { name "wall" translation 0.5 0 0.5 boundingObject Box { size 0.2 2 1 } }
      DifferentialWheels { name "robot" translation 0 0 0.1 wheelRadius 0.05 axleLength 0.2 maxSpeed 20
        children TouchSensor { name "bumper" translation 0.15 0 0 boundingObject Box { size 0.05 0.2 0.05 } }
        boundingObject Box { size 0.2 0.2 0.1 } }"""
    )
    sim = Simulation(parse_scene(text))
    robot = sim.robot("robot")
    robot["robot"].set_wheel_speeds(4.0, 4.0)
    sim.run(0.5)  # 0.1 m
    assert robot["bumper"].value is False
    sim.run(2.0)
    assert robot["bumper"].value is True
    assert robot.frame.pose().position[0] == pytest.approx(0.5 - 0.1 - 0.175, abs=0.01)
    robot["robot"].set_wheel_speeds(-4.0, -4.0)
    sim.run(0.1)
    assert robot["bumper"].value is False


def test_a_bumper_leaves_nothing_behind_that_lives_on_after_its_world() -> None:
    """ODE's objects in a reference cycle would end the process when Python's collector deletes them."""
    sim = load_world(find_world("devices/touch_sensor"))
    watches = [robot["bumper"]._watch for robot in sim.robots.values() if "bumper" in robot]
    assert watches
    sim.step(5)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)  # what is in cycles is kept, to be looked at
    try:
        for watch in watches:
            watch.is_touching()
        gc.collect()
        assert not [each for each in gc.garbage if type(each).__module__ == "ode"]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def test_a_run_after_a_reset_reads_the_same() -> None:
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\n" + walker('type "force"', z=0.35)))
    sensor = sim.robot("robot")["sensor"]

    def run() -> list[float]:
        values: list[float] = []
        sensor.add_listener(hear := lambda reading: values.append(reading.value))
        sim.run(0.6)
        sensor.remove_listener(hear)
        return values

    first = run()
    sim.reset()
    assert sensor.reading is None
    assert run() == first
    assert any(first)


def test_without_a_bounding_object_it_feels_nothing_and_says_so() -> None:
    text = f"""#VRML_SIM R2025a utf8
      {FLOOR} Robot {{ name "r" children [ TouchSensor {{ }} TouchSensor {{ name "f" type "force" }} ]
        boundingObject Box {{ size 1 1 1 }} physics Physics {{ }} }}"""
    sim = Simulation(parse_scene(text))
    sim.run(0.2)
    robot = sim.robot("r")
    assert [robot["touch sensor"].reading.value, robot["f"].reading.value] == [False, 0.0]
    assert 'TouchSensor "touch sensor" without boundingObject measures nothing' in str(robot.warnings[0])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("resolution 0", "TouchSensor.resolution: found 0"),
        ("resolution -2", "TouchSensor.resolution: found -2"),
        ('type "force" lookupTable [ 5 0 0, 1 0 0 ]', "TouchSensor.lookupTable"),
    ],
)
def test_values_that_are_not_possible_are_refused(rig: Callable[..., Any], fields: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        rig(f"Robot {{ children TouchSensor {{ {fields} boundingObject Sphere {{ }} }} }}")


@pytest.mark.parametrize("kind", ["bumper", "force", "force-3d"])
def test_a_sensor_of_a_robot_that_stands_still_feels_what_rests_on_it(
    rig: Callable[..., Any], kind: str
) -> None:
    """Neither the robot nor the sensor has Physics; x of the sensor points up."""
    text = f"""WorldInfo {{ basicTimeStep 4 }}
    Robot {{ name "robot" children TouchSensor {{
      name "sensor" type "{kind}" rotation 0 1 0 -1.5707963267948966
      lookupTable [ ] boundingObject Box {{ size 0.1 0.5 0.5 }} }} }}
    Solid {{ name "box" translation 0 0 0.16 boundingObject Box {{ size 0.2 0.2 0.2 }}
      physics Physics {{ density -1 mass {MASS} }} }}"""
    sensor = rig(text)
    sensor.step(250)
    value = sensor["sensor"].value
    expected = {"bumper": True, "force": MASS * G, "force-3d": (-MASS * G, 0.0, 0.0)}[kind]
    assert value == pytest.approx(expected, abs=0.3)


SOLE, BODY = 1.5, 2.0
"""kg of a sensor with Physics, and of the robot that stands on it."""


def foot(sensor: str, z: float = 0.25, info: str = "") -> str:
    """Return a robot that stands on a touch sensor with a mass of its own."""
    floor = f'WorldInfo {{ basicTimeStep 4 {info} }} Solid {{ name "floor" boundingObject Plane {{ }} }}'
    return f"""{floor} Robot {{ name "robot" translation 0 0 {z}
      children TouchSensor {{ name "sensor" translation 0 0 -0.2 {DOWN} {sensor} lookupTable [ ]
        boundingObject Box {{ size 0.1 0.3 0.3 }} physics Physics {{ density -1 mass {SOLE} }} }}
      boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ density -1 mass {BODY} }} }}"""


@pytest.mark.parametrize("kind", ["force", "force-3d"])
def test_a_sensor_with_physics_tells_the_force_on_what_stands_on_it(
    rig: Callable[..., Any], kind: str
) -> None:
    """The force in the joint between the two is the weight of what is above it, without the sensor's own."""
    sensor = rig(foot(f'type "{kind}"'))
    sensor.step(500)
    expected = {"force": BODY * G, "force-3d": (-BODY * G, 0.0, 0.0)}[kind]
    assert sensor["sensor"].value == pytest.approx(expected, abs=0.02)


def test_in_free_fall_there_is_no_force_between_sensor_and_robot(rig: Callable[..., Any]) -> None:
    """Also when it rotates about its middle, where the sensor is not: there the force is m·ω²·r."""
    sensor = rig(foot('type "force-3d"', z=5.0))
    for _ in range(3):
        sensor.step()
        assert sensor["sensor"].value == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    omega, weights = 10.0, BODY + SOLE
    spin = f"angularVelocity 0 {omega} 0"
    text = foot(f'type "force-3d" {spin} linearVelocity {-0.2 * omega} 0 0', z=5.0)  # a body of its own
    sensor = rig(text.replace("Robot {", f"Robot {{ {spin}"))
    sensor.step(5)
    radius = 0.2 * BODY / weights  # of its centre about that of the whole
    assert sensor["sensor"].value[0] == pytest.approx(
        SOLE * omega**2 * radius, rel=0.06
    )  # as far as the joint holds


def test_a_sensor_that_is_pulled_along_holds_back_with_its_inertia(rig: Callable[..., Any]) -> None:
    """Both accelerate by F/(m1 + m2); the sensor's part of F is in the joint."""
    world = rig(foot('type "force-3d"', z=5.0, info="gravity 0"))
    push = 7.0
    world.sim.supervisor.add_force(world.sim.robot("robot").node, (0.0, 0.0, push))
    world.step()
    assert world["sensor"].value[0] == pytest.approx(
        push * SOLE / (BODY + SOLE), rel=5e-3
    )  # CFM of the joint


def test_a_scale_with_physics_on_a_robot_that_stands_still_weighs_itself_too(rig: Callable[..., Any]) -> None:
    text = f"""WorldInfo {{ basicTimeStep 4 }}
    Robot {{ name "robot" children TouchSensor {{
      name "sensor" type "force" rotation 0 1 0 -1.5707963267948966 lookupTable [ ]
      boundingObject Box {{ size 0.1 0.5 0.5 }} physics Physics {{ density -1 mass {SOLE} }} }} }}
    Solid {{ name "box" translation 0 0 0.16 boundingObject Box {{ size 0.2 0.2 0.2 }}
      physics Physics {{ density -1 mass {MASS} }} }}"""
    sensor = rig(text)
    sensor.step(250)
    assert sensor["sensor"].value == pytest.approx((MASS + SOLE) * G, abs=0.3)


HELD = "physics Physics { density -1 mass 10000 }"


def swing(damping: float, carrier: str = "", itself: str = "TRUE", on_bar: bool = False) -> str:
    """Return a bar of 1 m and 1 kg, hinged at the top of a post beside its face, that falls on a sensor 11
    mm in front
    of the face; or on the face with a sensor of its own.
    """
    place = "-0.05 0 0" if on_bar else "0.1 0 1.5"
    sensor = f"""TouchSensor {{ name "sensor" translation {place}
      boundingObject Box {{ size 0.022 0.1 0.1 }} physics Physics {{ density -1 mass 0.1 }} }}"""
    bar = f"""Solid {{ name "bar" translation 0.6 0 2.05 rotation 0 1 0 {-math.pi / 2}
      {"children " + sensor if on_bar else ""} boundingObject Box {{ size 0.1 0.2 1 }}
      physics Physics {{ density -1 mass 1 }} }}"""
    info = "basicTimeStep 16 contactProperties ContactProperties { softCFM 1e-8 }"
    return f"""WorldInfo {{ {info} }} Solid {{ name "floor" boundingObject Plane {{ }} }}
      Robot {{ name "robot" selfCollision {itself} children [ {"" if on_bar else sensor}
        HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0.1 0 2
          dampingConstant {damping} }} endPoint {bar} }}
      ] boundingObject Pose {{ translation 0 0 1 children Box {{ size 0.2 0.2 2 }} }} {carrier} }}"""


def hit(world: Any) -> float | None:
    """Return the time when a sensor first detects a contact, s."""
    for _ in range(100):
        world.step()
        if world["sensor"].value:
            return float(world.sim.time)
    return None


@pytest.mark.parametrize("carrier", ["", HELD], ids=["still", "heavy"])
@pytest.mark.parametrize(("damping", "when"), [(0.0, 0.48), (1.0, 0.672), (2.0, 1.024)])
def test_a_part_of_the_same_robot_falls_on_a_sensor_with_physics(
    rig: Callable[..., Any], damping: float, when: float, carrier: str
) -> None:
    """As a swinging rod: m·g·L/2·sin φ = m·L²/3·φ'' + c·φ', detected in the step after it arrived."""
    assert hit(rig(swing(damping, carrier))) == pytest.approx(when, abs=0.017)


@pytest.mark.parametrize("carrier", ["", HELD], ids=["still", "heavy"])
def test_no_part_does_without_self_collision(rig: Callable[..., Any], carrier: str) -> None:
    assert hit(rig(swing(0.0, carrier, itself="FALSE"))) is None


@pytest.mark.parametrize(("carrier", "meets"), [("", True), (HELD, False)], ids=["still", "heavy"])
def test_a_sensor_on_a_part_does_not_meet_what_that_is_hinged_to(
    rig: Callable[..., Any], carrier: str, meets: bool
) -> None:
    """As the part itself does not collide with it; as in Webots this applies to bodies, not to static
    shapes."""
    assert (hit(rig(swing(0.0, carrier, on_bar=True))) is not None) is meets


@pytest.mark.parametrize("carrier", ["", "physics Physics { density -1 mass 50 }"], ids=["still", "heavy"])
def test_a_slider_pushes_its_end_into_a_sensor_of_the_same_robot(
    rig: Callable[..., Any], carrier: str
) -> None:
    world = rig(f"""WorldInfo {{ basicTimeStep 16 }} Solid {{ name "floor" boundingObject Plane {{ }} }}
      Robot {{ name "robot" selfCollision TRUE children [
        TouchSensor {{ name "sensor" translation 0.5 0 0.5 boundingObject Box {{ size 0.1 0.1 0.1 }}
          physics Physics {{ density -1 mass 0.1 }} }}
        SliderJoint {{ jointParameters JointParameters {{ axis 1 0 0 }} device LinearMotor {{ name "push" }}
          endPoint Solid {{ name "end" translation 0.35 0 0.5 boundingObject Box {{ size 0.1 0.1 0.1 }}
            physics Physics {{ density -1 mass 0.1 }} }} }}
      ] boundingObject Pose {{ translation 0 0 0.1 children Box {{ size 0.2 0.2 0.2 }} }} {carrier} }}""")
    world.step(5)
    assert world["sensor"].value is False
    world.sim.robot("robot")["push"].set_position(0.1)  # 50 mm away
    assert hit(world) is not None
    frame = world.sim.physics.frame(world.sim.robot("robot").nodes["sensor"].id)
    own = world.sim.robot("robot").frame.pose().inverse() * frame.pose()
    assert own.position == pytest.approx((0.5, 0.0, 0.5), abs=2e-3)  # it is held where it is
