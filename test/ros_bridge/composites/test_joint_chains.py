"""Joints with several axes as chains of revolute joints, whose joint states give the links' true poses."""

import math

import pytest
from std_msgs.msg import String

from ros_bridge.composites.joint_states import JointStates, free_axes
from ros_bridge.composites.robot_description import RobotDescriptionFiller
from ros_bridge.composites.transforms import edges
from ros_bridge.interface.robot_names import RobotNames
from ros_bridge.parameters.bridge_params import BridgeParams
from sim_core.base.geometry import Pose
from sim_core.scene import parse_scene
from sim_core.scene.urdf.reader import parse_urdf
from sim_core.session.simulation import Simulation

MASS = """boundingObject Box {{ size 0.2 0.1 0.1 }} physics Physics {{ density -1 mass 1 }}"""
HINGE2 = """Hinge2Joint {{
  jointParameters HingeJointParameters {{ axis 0 0.6 0.8 anchor 0.4 0.1 0 position 0.3 }}
  jointParameters2 JointParameters {{ axis 1 0 0 position -0.2 }}
  device [ RotationalMotor {{ name "pan" maxTorque 1000 }} ] {second}
  endPoint Solid {{ name "head" translation 0.7 0 0.2 rotation 0 1 0 0.4 {mass} }} }}"""
BALL = """BallJoint {{
  jointParameters BallJointParameters {{ anchor -0.3 0 0.2 position 0.4 }}
  jointParameters2 JointParameters {{ axis 1 0 0 position 0.2 }}
  jointParameters3 JointParameters {{ axis 0 0 1 position -0.5 }}
  device [ RotationalMotor {{ name "roll" maxTorque 1000 }} ]
  device2 [ PositionSensor {{ name "pitch" }} RotationalMotor {{ name "tilt" maxTorque 1000 }} ]
  endPoint Solid {{ name "ball" translation -0.5 0.1 0.2 rotation 0 0 1 0.7 {mass} }} }}"""


def robot(joint: str) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 4 gravity 0 }}
Robot {{ name "r" translation 1 2 3 rotation 1 0 0 0.5 controller "void" children [ Pose {{
  translation 0.1 0.2 0.3 rotation 0 0 1 0.6 children [ {joint} ] }} ] }}"""
    return Simulation(parse_scene(text, "chain.wbt"))


def turned(xyz: tuple[float, float, float], angle: float) -> Pose:
    return Pose.from_axis_angle((0.0, 0.0, 0.0), (*xyz, angle))


def differs(one: Pose, other: Pose) -> float:
    """The largest difference of two poses, in m and of elements of their rotations."""
    return max(
        abs(a - b)
        for a, b in zip((*one.position, *one.rotation), (*other.position, *other.rotation), strict=True)
    )


CASES = {
    "hinge2": (HINGE2.format(mass=MASS.format(), second=""), "head", {"pan": 0.9}),
    "both axes led": (
        HINGE2.format(mass=MASS.format(), second='device2 RotationalMotor { name "tilt" maxTorque 1000 }'),
        "head",
        {"pan": -0.5, "tilt": 0.7},
    ),
    "ball": (BALL.format(mass=MASS.format()), "ball", {"roll": -0.6, "tilt": 0.5}),
}


@pytest.mark.parametrize("case", CASES)
def test_joint_states_and_description_place_the_links_as_the_simulation_does(case: str) -> None:
    """The result of robot_state_publisher's computation, link by link, against the poses of the solids.

    ODE lets a joint give by some 0.1 mm while it is turned; /tf has the rest in its last transform.
    """
    joint, name, told = CASES[case]
    sim = robot(joint)
    own = sim.robot("r")
    frames = RobotNames(own, "r", BridgeParams()).frames
    message = String()
    RobotDescriptionFiller(frames.parts).fill(message, 0)
    model, warnings = parse_urdf(message.data)
    assert "floating" not in message.data and not warnings
    states = JointStates(own, free=free_axes(frames.parts, sim.physics))
    moving = {joint.name for joint in model.joints.values() if joint.kind != "fixed"}
    assert {each.name for each in states.joints} == moving
    for motor, position in told.items():
        own[motor].set_position(position, 2.0)
    part = next(each for each in frames.parts if each.solid["name"] == name)
    solids = sim.physics.frame(own.spec.id), sim.physics.frame(part.solid.id)
    for _ in range(3):
        truth = solids[0].pose().inverse() * solids[1].pose()
        now = {each.name: each.position(sim.time_ns) for each in states.joints}
        assert differs(by_tf(sim, frames, part.name), truth) < 1e-12
        assert differs(by_urdf(model, now, part.name), truth) < (5e-4 if sim.time_ns else 1e-9)
        for _ in range(60):
            sim.step()
    for motor, position in told.items():
        assert own[motor].position == pytest.approx(position, abs=0.03)


def by_urdf(model: object, now: dict[str, float], link: str) -> Pose:
    """Pose of a link in the root's frame: X = Π origin · turn."""
    pose = Pose()
    joints = {joint.child: joint for joint in model.joints.values()}  # type: ignore[attr-defined]
    while link in joints:
        joint = joints[link]
        turn = turned(joint.axis, now[joint.name]) if joint.kind != "fixed" else Pose()
        pose = joint.origin * turn * pose
        link = joint.parent
    return pose


def by_tf(sim: Simulation, frames: object, link: str) -> Pose:
    """The same from the transforms on /tf and /tf_static."""
    static, moving = edges(sim, {"r": frames})  # type: ignore[dict-item]
    above = {edge.child: edge for edge in (*static, *moving)}
    pose = Pose()
    while link != "r/base_link":
        pose = above[link].pose() * pose
        link = above[link].parent
    return pose


def test_an_axis_without_a_device_has_a_name_of_its_own() -> None:
    joint, _, _ = CASES["hinge2"]
    sim = robot(joint)
    frames = RobotNames(sim.robot("r"), "r", BridgeParams()).frames
    ((name, axis),) = free_axes(frames.parts, sim.physics)
    assert name == "r/head_joint_2"
    assert math.isclose(axis.position, -0.2, abs_tol=1e-9)
