from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ros_bridge.cli.service_list import services
from ros_bridge.interface.interface import describe
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameter_file import Value
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.topics.conversions import has_header, message_class, time_of
from ros_bridge.topics.records import Topic
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import share_dir
from sim_core.scene import load_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    return load_world(world_file())


def topics_of(sim: Simulation, *values: Value) -> dict[str, Topic]:
    devices = {name: list(robot.devices) for name, robot in sim.robots.items()}
    parameters = build_parameters(values, devices)
    infos = describe(Simulation(sim.scene, parameters.simulation), parameters.bridge)
    return {info.name: info for info in infos}


def test_every_device_has_its_topics(sim: Simulation) -> None:
    topics = topics_of(sim)
    expected = {
        "/clock": "rosgraph_msgs/msg/Clock",
        "/odesim/markers": "visualization_msgs/msg/MarkerArray",
        "/odesim/status": "diagnostic_msgs/msg/DiagnosticArray",
        "/robot1/joint_states": "sensor_msgs/msg/JointState",
        "/robot1/odom": "nav_msgs/msg/Odometry",
        "/robot1/ground_truth": "nav_msgs/msg/Odometry",
        "/robot1/cmd_vel": "geometry_msgs/msg/Twist or geometry_msgs/msg/TwistStamped",
        "/robot1/joint_command": "sensor_msgs/msg/JointState",
        "/robot1/joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
        "/robot1/motion": "std_msgs/msg/String",
        "/robot1/imu": "sensor_msgs/msg/Imu",
        "/robot1/ds": "sensor_msgs/msg/Range",
        "/robot1/ds/value": "std_msgs/msg/Float64",
        "/robot1/gps": "geometry_msgs/msg/PointStamped",
        "/robot1/gps/speed": "std_msgs/msg/Float32",
        "/robot1/gps/speed_vector": "geometry_msgs/msg/Vector3",
        "/robot1/compass/north_vector": "geometry_msgs/msg/Vector3Stamped",
        "/robot1/compass/bearing": "std_msgs/msg/Float64",
        "/robot1/gyro": "sensor_msgs/msg/Imu",
        "/robot1/accelerometer": "sensor_msgs/msg/Imu",
        "/robot1/inertial_unit": "sensor_msgs/msg/Imu",
        "/robot1/brake/damping": "std_msgs/msg/Float64",
        "/robot1/lift/position": "std_msgs/msg/Float64",
        "/robot1/motor_left/velocity": "std_msgs/msg/Float64",
        "/robot1/motor_left/effort": "std_msgs/msg/Float64",
        "/robot1/motor_left/force_feedback": "std_msgs/msg/Float64",
        "/old/wheel_speeds": "std_msgs/msg/Float64MultiArray",
        "/old/cmd_vel": "geometry_msgs/msg/Twist or geometry_msgs/msg/TwistStamped",
        "/old/arm/position": "std_msgs/msg/Float64",
    }
    assert {name: topics[name].type for name in expected if name in topics} == expected


def test_frames_and_periods(sim: Simulation) -> None:
    topics = topics_of(sim, Value(("sampling_period",), 0.02, "f"), Value(("state_period",), 0.01, "f"))
    assert topics["/robot1/ds"].frame_id == "robot1/ds"
    assert topics["/robot1/gps"].frame_id == "world"
    assert topics["/robot1/odom"].frame_id == "robot1/odom"
    assert topics["/robot1/ds"].period == 0.02
    assert topics["/robot1/imu"].period == 0.02
    assert topics["/robot1/odom"].period == pytest.approx(0.012)  # rounded up to steps of 4 ms
    assert topics["/robot1/cmd_vel"].period is None


def test_topic_and_frame_can_be_chosen(sim: Simulation) -> None:
    def of(name: str, value: object) -> Value:
        return Value(("robots", "robot1", "ds", name), value, "f")

    topics = topics_of(sim, of("topic", "range/front"), of("frame_id", "eye"))
    assert topics["/robot1/range/front"].frame_id == "eye"
    assert "/robot1/range/front/value" in topics
    assert "/robot1/ds" not in topics
    assert "/all/ds/value" in topics_of(sim, of("topic", "/all/ds"))


def test_two_topics_of_one_name_are_an_error(sim: Simulation) -> None:
    with pytest.raises(ConfigError, match="topic /robot1/odom: found both"):
        topics_of(sim, Value(("robots", "robot1", "ds", "topic"), "odom", "f"))


def services_of(node: Any) -> Iterator[tuple[str, list[str]]]:
    """Return the services below /odesim except those of every node and of actions."""
    for name, kinds in node.get_service_names_and_types():
        of_any_node = kinds[0].startswith(("rcl_interfaces/", "type_description_interfaces/"))
        if name.startswith("/odesim/") and not of_any_node and "/_action/" not in name:
            yield name, kinds


def test_the_described_topics_and_services_are_on_ros_with_type_frame_and_exact_period(
    world_file: Callable[..., Path], simulate: Any, client: Any, sim: Simulation
) -> None:
    """The graph as seen from another process."""
    others = (
        "/clock/restarts",
        "/odesim/status",
        "/diagnostics",
        "/odesim/spawned",
        "/odesim/scene/surroundings",
        "/odesim/scene/poses",
        "/odesim/scene/clock",
        "/tf",
        "/tf_static",
    )  # have tests of their own
    infos = [
        info
        for info in describe(sim, BridgeParams(clock_period=0.02))
        if info.name not in others and not info.name.endswith("/robot_description")
    ]
    args = ["-p", "sampling_period:=0.02", "-p", "clock_period:=0.02"]
    simulate(world_file(), mode="paused", ros_args=args)
    published = [info for info in infos if info.direction == "publish"]
    heard = {info.name: client.listen(message_class(info.type), info.name) for info in published}
    types = dict(client.node.get_topic_names_and_types())
    for info in infos:
        client.until(lambda name=info.name: name in dict(client.node.get_topic_names_and_types()), info.name)
        types = dict(client.node.get_topic_names_and_types())
        assert types[info.name] == [info.type.split(" or ")[0]]
        count = client.node.count_publishers if info.direction == "publish" else client.node.count_subscribers
        assert count(info.name) == 1, info.name
    described = {info.name for info in describe(sim, BridgeParams())}
    own = {name for name in types if name.startswith(("/odesim/", "/robot1/")) and "/_action/" not in name}
    assert own <= described
    expected = {info.name: [info.type] for info in services(BridgeParams())}
    client.until(lambda: expected.items() <= dict(services_of(client.node)).items(), "the described services")
    assert dict(services_of(client.node)) == expected
    for messages in heard.values():
        messages.clear()  # /clock is repeated while it stands
    client.call("resume")
    client.until(
        lambda: all(len(messages) > 8 for messages in heard.values()), f"messages on all of {list(heard)}"
    )
    for info in published:
        messages = heard[info.name]
        if info.name == "/clock":
            times = [time_of(message.clock) for message in messages]
        elif has_header(type(messages[0])):
            assert {message.header.frame_id for message in messages} == {info.frame_id}, info.name
            times = [time_of(message.header.stamp) for message in messages]
        else:
            continue
        period_ns = 20_000_000
        times = [time for time in times if time > 0]
        # in real time a subscriber without processor time may miss some
        assert min(b - a for a, b in pairwise(times)) == period_ns, (info.name, times)
        assert not any(time % period_ns for time in times), (info.name, times)


@pytest.mark.parametrize("world", ["wall_avoiders", "wall_follower", "go_to_pose"])
def test_fast_2d_has_the_same_topics(world: str) -> None:
    scene = load_scene(share_dir() / "worlds" / f"{world}.wbt")
    sims = [Simulation(scene, SimulationConfig(physics=physics)) for physics in ("ode", "fast2d")]
    one, other = ([topic.row for topic in describe(sim, BridgeParams())] for sim in sims)
    assert one == other
