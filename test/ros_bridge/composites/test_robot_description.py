"""The description fits `/tf` and `/R/joint_states`, and reaches late subscribers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String

from ros_bridge.composites.joint_states import JointStates
from ros_bridge.composites.robot_description import RobotDescriptionFiller
from ros_bridge.composites.transforms import edges
from ros_bridge.interface.interface import describe
from ros_bridge.interface.robot_names import RobotNames
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import world_values
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.topics.frames import RobotFrames
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.model.device_spec import device_names
from sim_core.scene import load_scene
from sim_core.scene.urdf.reader import parse_urdf
from sim_core.scene.urdf.spawn import add_urdf
from sim_core.session.load_world import load_world
from sim_core.session.robot import Robot
from sim_core.session.simulation import Simulation

ROVER = share_dir() / "worlds" / "urdf" / "rover.urdf"
WORLDS = ("lidar", "servo", "differential_wheels", "hinge2_joint", "coupled_motors", "connector")


def frames_of(robot: Robot) -> RobotFrames:
    """Return the frames of a robot with the ROS name R."""
    return RobotNames(robot, "R", BridgeParams()).frames


def described(sim: Simulation, robot: str) -> str:
    message = String()
    RobotDescriptionFiller(frames_of(sim.robot(robot)).parts).fill(message, 0)
    return message.data


@pytest.mark.parametrize("world", WORLDS)
def test_links_and_joints_are_the_frames_of_tf(world: str) -> None:
    sim = load_world(shipped_worlds()[f"devices/{world}"])
    for name, robot in sim.robots.items():
        text = described(sim, name)
        static, moving = edges(sim, {name: frames_of(robot)})
        of_tf = {edge.child: edge for edge in (*static, *moving) if edge.parent.startswith("R/")}
        if "floating" in text:
            continue
        model, _ = parse_urdf(text)
        parents = {joint.child: joint.parent for joint in model.joints.values()}
        assert model.root == "R/base_link"
        if len(sim.robots) == 1:
            own = {child: edge.parent for child, edge in of_tf.items() if child != "R/base_link"}
            assert own == parents
            assert {edge.child for edge in static} & set(parents) == {
                joint.child for joint in model.joints.values() if joint.kind == "fixed"
            }
        for joint in model.joints.values():
            if joint.kind == "fixed" and joint.child in of_tf:
                assert of_tf[joint.child].pose().position == pytest.approx(joint.origin.position, abs=1e-9)


@pytest.mark.parametrize("world", WORLDS)
def test_joint_states_name_joints_of_the_description(world: str) -> None:
    sim = load_world(shipped_worlds()[f"devices/{world}"])
    for name, robot in sim.robots.items():
        text = described(sim, name)
        if "floating" not in text:
            model, _ = parse_urdf(text)
            names = {joint.name for joint in JointStates(robot).joints}
            assert names <= {joint.name for joint in model.joints.values() if joint.kind != "fixed"}


def test_settings_of_device_tags_are_parameters_that_files_overrule() -> None:
    scene = load_scene(share_dir() / "worlds" / "wall_avoiders.wbt")
    add_urdf(scene, ROVER)
    devices = device_names(scene)
    values = world_values(scene)
    parameters = build_parameters(values, devices)
    topics = {
        info.name: info for info in describe(Simulation(scene, parameters.simulation), parameters.bridge)
    }
    assert topics["/rover/range"].frame_id == "rover/sonar"
    assert topics["/rover/range"].period == pytest.approx(0.05)
    assert topics["/rover/robot_description"].type == "std_msgs/msg/String"
    later = [value._replace(value="other") for value in values if value.path[-1] == "topic"]
    assert build_parameters(values + later, devices).bridge.device("rover", "sonar").topic == "other"


def test_a_robot_from_a_urdf_is_described_to_who_comes_late(
    world_file: Callable[..., Path], simulate: Any, client: Any
) -> None:
    simulate(world_file(), mode="fast", urdf=[f"{ROVER}@-2,-2"])
    for _ in range(2):
        heard = client.listen(String, "/rover/robot_description", latched=True)
        client.until(lambda heard=heard: heard, "the description")
        model, _ = parse_urdf(heard[0].data)
        assert (model.name, model.root) == ("rover", "rover/base_link")
        assert {"wheel_left_joint", "wheel_right_joint"} <= set(model.joints)
        assert {"rover/sonar", "rover/ball", "rover/base_footprint"} <= set(model.links)
