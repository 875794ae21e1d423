"""Edits of a running world in the fast 2D mode: unaffected parts stay the same to the last bit, and the whole
equals a load of the edited scene that continues from the earlier state."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from goldens import feed

from benchmarks.swarm import BODY, RADIUS, robot_text, wall_text, world_text
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import OdesimError, PhysicsError
from sim_core.base.geometry import Pose, yaw_of
from sim_core.base.state import Stateful
from sim_core.engines.capabilities import Editing
from sim_core.scene import parse_scene
from sim_core.scene.loader import scene_from_text
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.present_state import save_text

Build = Callable[..., Simulation]
Edit = Callable[[Simulation], object]

EYE = """DistanceSensor { name "eye" translation 0.13 0 0.03 lookupTable [ 0 0 0.1, 4 4 0.1 ] }
    DistanceSensor { name "plain" translation 0 0.13 0.03 rotation 0 0 1 1.57 lookupTable [ 0 0 0, 4 4 0 ] }
    Lidar { name "lidar" translation 0 0 0.12 fieldOfView 3
      horizontalResolution 16 numberOfLayers 1 noise 0.1 }
    GPS { name "gps" } Gyro { name "gyro" }"""
NOISY = """DifferentialWheels {
  name "noisy" translation -1 -1 0.05 controller "void" maxSpeed 20 encoderNoise 0.1 slipNoise 0.1
  axleLength 0.2 wheelRadius 0.05 boundingObject Cylinder { radius 0.1 height 0.1 } }"""
ARM = """SliderJoint {
      jointParameters DEF SLIDE JointParameters { axis 1 0 0 maxStop 0.5 }
      device LinearMotor { name "lift" } endPoint Solid { name "hand" translation 0 0 0.2 } }"""
PLANE = (
    robot_text("first", -20.0, -20.0),
    wall_text("low", 1.2, 0.0, "0.1 9 0.3"),
    wall_text("long", 0.0, 1.2, "9 0.1 0.3", 0.1),
    robot_text("a", 0.0, 0.0, 0.4, EYE),
    f"DEF FAR {robot_text('far', 30.0, 30.0, 1.0, EYE + ARM).strip()}",
    f"DEF BOX {wall_text('box', 33.0, 30.0, '0.5 0.5 0.5')}",
    NOISY,
    robot_text("b", 0.5, -0.6, 2.0, EYE),
    f"DEF LAST {wall_text('last', 30.0, 33.0, '0.5 0.5 0.5')}",
)
STEPS = 8
BYSTANDERS = ("first", "a", "b", "noisy")


def plane(text: str = "", **config: object) -> Simulation:
    """Return the world of all edits here; its dead reckoning computes every third step."""
    config = {"physics": "fast2d", "seed": 3, "odometry_period": 0.096, **config}
    return Simulation(parse_scene(text or world_text(*PLANE), "plane.wbt"), SimulationConfig(**config))  # type: ignore[arg-type]


def drive(sim: Simulation, names: tuple[str, ...] = (*BYSTANDERS, "far")) -> Simulation:
    """Let robots drive in circles until they meet."""
    for number, name in enumerate(names):
        drives = sim.robot(name).drive
        assert drives is not None
        drives.set_wheel_speeds(7.0 + number, 9.0 - number)
    return sim


def state_of(owner: Stateful) -> dict[str, object]:
    """Its state, but for the count of its turns, which no reset takes back."""
    return {**vars(owner.state), "seen_number": 0}


def told(sim: Simulation, names: tuple[str, ...] = BYSTANDERS) -> bytes:
    """Return all states and measurements of some robots as bytes."""
    found: list[bytes] = []

    class Into:
        update = staticmethod(found.append)

    for robot in (sim.robot(name) for name in names):
        frame = robot.frame
        feed(Into, [frame.pose(), frame.linear_velocity(), frame.angular_velocity()])
        feed(Into, [robot.odometry and (robot.odometry.pose, robot.odometry.twist)])
        feed(Into, [(each.position, each.velocity) for each in robot.motors().values()])
        feed(Into, [each.reading for each in robot.sensors()])
        feed(Into, [tuple(state_of(each).items()) for each in robot.devices.values()])
    return b"".join(found)


def steps(sim: Simulation, count: int) -> list[bytes]:
    seen = []
    for _ in range(count):
        sim.step()
        seen.append(told(sim))
    return seen


def everything(sim: Simulation) -> list[bytes]:
    """Return the state of the engine and of everything else as bytes."""
    found: list[bytes] = []

    class Into:
        update = staticmethod(found.append)

    for name, each in sim.stateful():
        if name != "stated poses":  # the wording of a pose that was set has no effect
            feed(Into, (name, *state_of(each).items()))
    feed(Into, sim.physics.get_state())
    return found


def run(sim: Simulation) -> list[bytes]:
    """Return what all robots report in the next steps, in which all drive, and the state after them."""
    drive(sim, tuple(name for name, robot in sim.robots.items() if robot.drive is not None))
    seen = []
    for _ in range(STEPS):
        sim.step()
        seen.append(told(sim, tuple(sim.robots)))
    return seen + everything(sim)


def editing(sim: Simulation) -> Editing:
    found = sim.physics.can.editing
    assert found is not None
    return found


def place(sim: Simulation, name: str, x: float, y: float, z: float = RADIUS, yaw: float = 0.0) -> None:
    pose = Pose.from_axis_angle((x, y, z), (0.0, 0.0, 1.0, yaw))
    editing(sim).place(sim.supervisor.node(name).id, pose)


def set_field(node: str, field: str, value: object) -> Edit:
    return lambda sim: sim.supervisor.set(node, field, value)


def set_below(name: str, kind: str, field: str, value: object) -> Edit:
    """Return an edit that sets a field of the first node of a type in a node."""

    def edit(sim: Simulation) -> None:
        node = next(each for each in sim.supervisor.node(name).walk() if each.type_name == kind)
        sim.supervisor.set(node, field, value)

    return edit


def import_at(index: int, text: str) -> Edit:
    return lambda sim: sim.supervisor.import_text(text, index=index)


NEW = robot_text("new", 31.0, 28.0, 0.3, EYE)
EDITS: dict[str, Edit] = {
    "place a robot": set_field("FAR", "translation", (31.0, 30.0, RADIUS)),
    "turn a robot": set_field("FAR", "rotation", (0.0, 0.0, 1.0, -2.0)),
    "place an obstacle": set_field("BOX", "translation", (32.0, 30.0, 0.25)),
    "turn an obstacle": set_field("BOX", "rotation", (0.0, 0.6, 0.8, 1.0)),
    "place what an obstacle is in": set_field("LAST", "translation", (30.0, 31.0, 1.0)),
    "turn a joint": set_field("SLIDE", "position", 0.3),
    "axis of a joint": set_field("SLIDE", "axis", (0.0, 1.0, 0.0)),
    "stop": lambda sim: sim.supervisor.reset_physics("FAR"),
    "solid comes": import_at(-1, wall_text("more", 31.0, 31.0, "0.2 0.3 0.4")),
    "solid comes first": import_at(1, wall_text("more", 31.0, 31.0, "0.2 0.3 0.4")),
    "robot comes": import_at(-1, NEW),
    "robot comes first": import_at(1, NEW),
    "noisy robot comes": import_at(3, NOISY.replace("noisy", "louder").replace("-1 -1", "28 28")),
    "joint comes": import_at(1, f"Solid {{ translation 30 30 9 children {ARM.replace('DEF SLIDE', '')} }}"),
    "sensor comes": lambda sim: sim.supervisor.import_text(EYE.replace('name "', 'name "2nd '), "FAR"),
    "solid goes": lambda sim: sim.supervisor.remove("BOX"),
    "last goes": lambda sim: sim.supervisor.remove("LAST"),
    "robot goes": lambda sim: sim.supervisor.remove("FAR"),
    "wheel goes": lambda sim: sim.supervisor.remove(sim.supervisor.node("FAR")["children"][0]),
    "size": set_below("BOX", "Box", "size", (0.4, 0.4, 0.9)),
    "disc": lambda sim: sim.supervisor.set(
        sim.supervisor.node("FAR")["boundingObject"]["children"][0], "radius", 0.2
    ),
    "mass": set_below("FAR", "Physics", "mass", 2.0),
    "sensor": set_below("FAR", "DistanceSensor", "lookupTable", [(0.0, 1.0, 0.0), (2.0, 0.0, 0.0)]),
    "note": set_field("FAR", "customData", "x"),
    "type": lambda sim: sim.supervisor.change_type("BOX", "Robot"),
    "gravity": lambda sim: sim.supervisor.set(sim.scene.world_info, "gravity", 3.0),
}

OF_ALL: dict[str, Edit] = {
    "axes": lambda sim: sim.supervisor.set(sim.scene.world_info, "coordinateSystem", "NUE"),
}


@pytest.fixture(scope="module")
def alone() -> list[bytes]:
    """Return the run without an edit."""
    return steps(drive(plane()), 60)


@pytest.mark.parametrize("kind", EDITS)
def test_robots_far_from_an_edit_continue_bit_by_bit(kind: str, alone: list[bytes]) -> None:
    """Between two updates of dead reckoning, with robots in contact, noise, and sensors with unread
    samples."""
    sim = drive(plane())
    seen = steps(sim, 25)
    EDITS[kind](sim)
    assert told(sim) == alone[24]
    assert seen + steps(sim, 35) == alone
    pushed = sim.rolled
    assert pushed is not None and len(np.unique(pushed.places[:, 2])) == len(pushed.names)


@pytest.mark.parametrize("kind", EDITS | OF_ALL)
def test_an_edit_before_the_first_step_is_the_load_of_the_edited_scene(kind: str) -> None:
    sim = plane()
    (EDITS | OF_ALL)[kind](sim)
    other = Simulation(scene_from_text(save_text(sim.world), "plane.wbt"), sim.config)
    assert run(sim) == run(other)


@pytest.mark.parametrize("kind", EDITS | OF_ALL)
def test_an_edited_world_continues_like_a_load_of_it_from_the_same_state(kind: str, tmp_path: Path) -> None:
    """Its reset gives the first run, and a snapshot taken before restores the state before."""
    begins = run(plane())[:STEPS]
    sim = drive(plane())
    sim.step(10)
    before = sim.snapshot()
    goes_on = run(sim)
    sim.restore(before)
    (EDITS | OF_ALL)[kind](sim)
    after = sim.snapshot()
    other = Simulation.from_snapshot(after.save(tmp_path / "edited.snapshot"))
    edited = run(sim)
    assert edited == run(other)
    sim.restore(before)
    assert run(sim) == goes_on
    sim.restore(after)
    assert run(sim) == edited
    sim.reset()
    assert run(sim)[:STEPS] == begins


REFUSED: dict[str, tuple[Edit, str]] = {
    "force": (lambda sim: sim.supervisor.add_force("FAR", (1.0, 0.0, 0.0)), "nothing has mass"),
    "torque": (lambda sim: sim.supervisor.add_torque("FAR", (1.0, 0.0, 0.0)), "nothing has mass"),
    "velocity": (
        lambda sim: sim.supervisor.set_velocity("FAR", (1.0, 0.0, 0.0)),
        r"plane.wbt:\d+:\d+: DEF FAR cannot be given a velocity, in fast 2D motors alone move things",
    ),
    "height": (
        set_field("FAR", "translation", (30.0, 30.0, 1.0)),
        r"plane.wbt:\d+:\d+: DEF FAR drives in the plane in fast 2D: found z 1 with 0 0 1 upright, expected "
        r"z 0.05 with 0 0 1 upright",
    ),
    "tilt": (set_field("FAR", "rotation", (1.0, 0.0, 0.0, 0.5)), "found z 0.05 with 0 0.479426 0.877583"),
    "far too far": (lambda sim: place(sim, "BOX", math.inf, 0.0), "expected finite numbers"),
    "part": (
        lambda sim: editing(sim).place(sim.robot("far")["left"].spec.id, Pose()),
        "is a part of something, it cannot be moved alone",
    ),
    "stop of a joint": (
        set_field("SLIDE", "position", 0.6),
        "cannot be at 0.6, expected .* to 0.5, its stops",
    ),
    "stretched": (
        import_at(1, "Transform { scale 2 1 1 children Solid { boundingObject Box { } } }"),
        "expected scale 1 1 1",
    ),
    "wrong sensor": (
        lambda sim: sim.supervisor.import_text('DistanceSensor { name "x" aperture -1 }', "FAR"),
        "aperture",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refused_edit_changes_nothing(kind: str) -> None:
    edit, match = REFUSED[kind]
    sim = plane(world_text(*(each for each in PLANE if each is not NOISY)))  # whose encoders count when read
    drive(sim, ("first", "a", "b", "far"))
    sim.step(10)
    sim.apply_edits()  # pending readings are made
    before = everything(sim)
    with pytest.raises(OdesimError, match=match):
        edit(sim)
    assert everything(sim) == before


AT_ONCE = ("place", "turn", "stop")
"""Nothing is notified of these before they are done."""
ANEW = ("wheel goes",)
"""The robot without a drive for a while starts its dead reckoning again."""


@pytest.mark.parametrize("kind", [kind for kind in EDITS if not kind.startswith((*AT_ONCE, *ANEW))])
def test_an_edit_refused_by_a_listener_is_undone_bit_by_bit(kind: str, alone: list[bytes]) -> None:
    sim = drive(plane())
    sim.step(25)
    names = (*BYSTANDERS, "far")
    refuses = [True]

    def refuse() -> None:
        if refuses and refuses.pop():
            raise PhysicsError("not this")

    before = told(sim, names)
    sim.supervisor.changed.append(refuse)
    with pytest.raises(PhysicsError, match="not this"):
        EDITS[kind](sim)
    assert told(sim, names) == before
    assert steps(sim, 35) == alone[25:]


def test_a_robot_that_is_placed_continues_from_there(build: Build) -> None:
    sim = build(robot_text("r"))
    robot = sim.robot("r")
    robot.drive.set_wheel_speeds(4.0, 4.0)
    sim.step(10)
    place(sim, "r", 3.0, -2.0, yaw=0.5 * math.pi)
    assert robot.frame.pose().position == pytest.approx((3.0, -2.0, RADIUS), abs=1e-12)
    sim.step(10)
    way = 4.0 * RADIUS * 10 * 0.032
    assert robot.frame.pose().position == pytest.approx((3.0, -2.0 + way, RADIUS), abs=1e-12)
    assert robot.odometry.pose[:2] == pytest.approx((2.0 * way, 0.0), abs=1e-12)


def test_an_obstacle_placed_in_the_way_stops_a_robot_and_is_measured(build: Build) -> None:
    eye = 'DistanceSensor { name "eye" translation 0.13 0 0.03 lookupTable [ 0 0 0, 4 4 0 ] numberOfRays 1 }'
    sim = build(robot_text("r", more=eye), f"DEF WALL {wall_text('wall', 0.0, 9.0, '0.1 4 0.3')}")
    robot = sim.robot("r")
    sim.step()
    assert robot["eye"].value == 4.0
    place(sim, "WALL", 1.0, 0.0, 0.15)
    sim.supervisor.set("WALL", "rotation", (0.0, 0.0, 1.0, 0.0))  # which others are notified of
    sim.step()
    assert robot["eye"].value == pytest.approx(0.95 - 0.13, abs=1e-9)
    robot.drive.set_wheel_speeds(10.0, 10.0)
    sim.run(4.0)
    assert robot.frame.pose().position[0] == pytest.approx(0.95 - BODY, abs=1e-3 * BODY)
    state = sim.snapshot()
    sim.reset()
    sim.step()
    assert robot["eye"].value == 4.0
    sim.restore(state)
    sim.supervisor.remove("WALL")
    sim.run(1.0)
    assert robot.frame.pose().position[0] > 1.2
    assert robot["eye"].value == 4.0


def test_wheels_of_another_size_roll_accordingly_and_the_odometry_agrees(build: Build) -> None:
    text, tyre = robot_text("r"), f"boundingObject Cylinder {{ radius {RADIUS} height 0.02 }}"
    text = text.replace(tyre, tyre.replace("Cyl", "DEF TYRE Cyl"), 1).replace(tyre, "boundingObject USE TYRE")
    sim = build(text, odometry_period=0.096)
    robot = sim.robot("r")
    robot.drive.set_wheel_speeds(4.0, 4.0)
    sim.step(10)
    sim.supervisor.set("TYRE", "radius", 2.0 * RADIUS)
    sim.step(11)
    way = 4.0 * RADIUS * 0.032 * (10 + 2 * 11)
    assert robot.frame.pose().position[0] == pytest.approx(way, abs=1e-12)
    robot.odometry.update_pose()
    assert robot.odometry.pose == pytest.approx((way, 0.0, 0.0), abs=1e-12)


def test_an_added_robot_drives_is_measured_and_can_be_removed(build: Build) -> None:
    eye = 'DistanceSensor { name "eye" translation 0.13 0 0.03 lookupTable [ 0 0 0, 4 4 0 ] numberOfRays 1 }'
    sim = build(robot_text("r", more=eye))
    sim.step()
    (node,) = sim.supervisor.import_text(robot_text("new", 2.0, 0.0, 0.5 * math.pi, eye), index=1)
    sim.step()
    assert sim.rolled is not None and sim.rolled.names == ["new", "r"]
    assert sim.robot("r")["eye"].value == pytest.approx(2.0 - BODY - 0.13, abs=1e-9)
    new = sim.robot("new")
    new.drive.set_wheel_speeds(4.0, 4.0)
    sim.step(20)
    way = 4.0 * RADIUS * 20 * 0.032
    assert new.frame.pose().position == pytest.approx((2.0, way, RADIUS), abs=1e-12)
    assert new.odometry.pose == pytest.approx((way, 0.0, 0.0), abs=1e-12)
    axis, last = new["left"].axis, new.frame.pose()
    sim.supervisor.remove(node)
    turned = axis.position
    axis.drive(5.0, 1.0)
    sim.step(5)
    assert (new.frame.pose(), axis.position) == (last, turned)
    assert sim.robot("r")["eye"].value == 4.0


def test_a_robot_without_its_wheel_stands_still_and_drives_again_with_it(build: Build) -> None:
    sim = build(robot_text("other", 5.0), robot_text("r"))
    robot = sim.robot("r")
    robot.drive.set_wheel_speeds(5.0, 3.0)
    sim.step(20)
    was = robot.frame.pose()
    joint = robot.node["children"][0]
    text = robot_text("").split("children [")[1].split("Hinge" + "Joint {", 2)[1]
    sim.supervisor.remove(joint)
    assert sim.rolled is not None and sim.rolled.names == ["other"]
    assert robot.frame.pose() == was
    sim.step(5)
    assert robot.frame.pose() == was
    sim.supervisor.import_text("HingeJoint {" + text, robot.node, index=0)
    assert sim.rolled.names == ["other", "r"]
    found = robot.frame.pose()
    assert found.position == pytest.approx(was.position, abs=1e-12)
    assert yaw_of(found.rotation) == pytest.approx(yaw_of(was.rotation), abs=1e-12)
    robot.drive.set_wheel_speeds(5.0, 5.0)
    sim.step(5)
    assert math.dist(robot.frame.pose().position, was.position) == pytest.approx(5.0 * RADIUS * 5 * 0.032)
