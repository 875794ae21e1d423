"""Controllers of joints, and what only publishes."""

from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
MASS = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
GZ = "gz::sim::systems"


def robot(plugin: str, limit: str = "") -> str:
    """Two links that turn about the vertical, on a third that stands still."""
    joints = "".join(
        f"""<link name="{name}l">{MASS}</link><joint name="{name}" type="continuous">
<parent link="a"/><child link="{name}l"/><axis xyz="0 0 1"/>{limit}</joint>"""
        for name in ("j", "k")
    )
    pinned = (
        '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>'
    )
    return f'<robot name="r">{pinned}<link name="a">{MASS}</link>{joints}<gazebo>{plugin}</gazebo></robot>'


def plugin(name: str, inside: str) -> str:
    return f'<plugin filename="x" name="{GZ}::{name}">{inside}</plugin>'


def settings(sim: Simulation, layout: str = "") -> dict[tuple[str, str], object]:
    found = sim.scene.device_settings
    return {(each.device, each.name): each.value for each in found if each.layout == layout}


def test_a_joint_controller_turns_from_the_start_on(spawned: Spawned) -> None:
    inside = "<joint_name>j</joint_name><initial_velocity>20</initial_velocity><topic>a-b/cmd</topic>"
    sim = spawned(robot(plugin("JointController", inside)))
    sim.step()
    assert sim.robot("r")["j"].velocity == pytest.approx(20.0, rel=1e-3)
    sim.robot("r")["j"].set_velocity(-50.0)
    sim.step()
    assert sim.robot("r")["j"].velocity == pytest.approx(-50.0, rel=1e-3)
    assert settings(sim) == {("j", "velocity_topic"): "/a_b/cmd"}
    assert "k" in sim.robot("r").devices and sim.robot("r")["k"].spec.type_name == "PositionSensor"
    assert not sim.scene.warnings


def test_with_forces_it_has_gains(spawned: Spawned) -> None:
    inside = "<joint_name>j</joint_name><use_force_commands>true</use_force_commands><p_gain>0.2</p_gain>"
    sim = spawned(robot(plugin("JointController", f"{inside}<i_gain>0.01</i_gain>")))
    motor = sim.robot("r")["j"].spec
    assert tuple(motor["effortPID"]) == (0.2, 0.01, 0.0, 1.0)
    assert motor["maxTorque"] == 1000.0


def test_several_joints_obey_one_topic(spawned: Spawned) -> None:
    inside = "<joint_name>j</joint_name><joint_name>k</joint_name><sub_topic>both</sub_topic>"
    sim = spawned(robot(plugin("JointController", inside)))
    assert settings(sim) == {("j", "velocity_topic"): "/model/r/both"}
    sim.robot("r")["j"].set_velocity(3.0)
    sim.step()
    assert sim.robot("r")["k"].velocity == pytest.approx(3.0, rel=1e-3)


def test_a_position_controller_goes_to_its_position(spawned: Spawned) -> None:
    """A torque of P·error - D·speed with critical damping: D = 2·√(P·I)."""
    inside = "<joint_name>j</joint_name><initial_position>0.5</initial_position>"
    gains = "<p_gain>10</p_gain><i_gain>0</i_gain><d_gain>2</d_gain>"
    sim = spawned(robot(plugin("JointPositionController", inside + gains)))
    sim.run(2.0)
    assert sim.robot("r")["j"].position == pytest.approx(0.5, abs=1e-3)


def test_or_at_a_speed(spawned: Spawned) -> None:
    inside = (
        "<joint_name>j</joint_name><use_velocity_commands>true</use_velocity_commands><cmd_max>2</cmd_max>"
    )
    sim = spawned(robot(plugin("JointPositionController", inside)))
    motor = sim.robot("r")["j"]
    motor.set_position(1.0)
    sim.run(0.25)
    assert motor.position == pytest.approx(0.5, abs=0.01)
    sim.run(0.4)
    assert motor.position == pytest.approx(1.0, abs=1e-3)


def test_a_trajectory_controller_has_gains_for_each_joint(spawned: Spawned) -> None:
    """Without names the joints are meant in their order."""
    inside = "".join(
        f"<initial_position>{at}</initial_position><position_p_gain>{p}</position_p_gain>"
        f"<position_d_gain>{d}</position_d_gain><position_cmd_max>{most}</position_cmd_max>"
        for at, p, d, most in ((0.7, 20, 3, 20), (-1.5, 10, 2, 10))
    )
    sim = spawned(robot(plugin("JointTrajectoryController", inside)))
    motors = [sim.robot("r")[name].spec for name in ("j", "k")]
    assert [tuple(motor["effortPID"]) for motor in motors] == [(20, 0, 3, 1e6), (10, 0, 2, 1e6)]
    assert [motor["maxTorque"] for motor in motors] == [20.0, 10.0]
    sim.run(2.0)
    assert [sim.robot("r")[name].position for name in ("j", "k")] == pytest.approx([0.7, -1.5], abs=0.01)


def test_a_joint_that_a_force_is_applied_to_is_free(spawned: Spawned) -> None:
    """ω = M·t/I."""
    sim = spawned(robot(plugin("ApplyJointForce", "<joint_name>j</joint_name>")))
    motor = sim.robot("r")["j"]
    motor.set_effort(0.1)
    sim.run(1.0)
    assert motor.velocity == pytest.approx(0.1 / 0.1, rel=1e-2)


def test_a_joint_that_cannot_move_is_a_warning(spawned: Spawned) -> None:
    inside = "<joint_name>j</joint_name><topic>t</topic>"
    text = robot(plugin("JointController", inside)).replace(
        '<joint name="j" type="continuous">',
        '<joint name="j" type="revolute"><limit lower="0" upper="0" effort="1" velocity="1"/>',
    )
    sim = spawned(text)
    assert settings(sim) == {}
    assert 'velocity_topic of the joint "j", which cannot move' in str(sim.scene.warnings[-1])


def test_the_limits_of_the_joint_count_too(spawned: Spawned) -> None:
    limit = '<limit effort="3" velocity="4"/>'
    motor = (
        spawned(robot(plugin("JointController", "<joint_name>j</joint_name>"), limit)).robot("r")["j"].spec
    )
    assert (motor["maxTorque"], motor["maxVelocity"]) == (3.0, 4.0)


@pytest.mark.parametrize("name", ["JointController", "JointPositionController", "ApplyJointForce"])
def test_a_joint_that_is_not_there_is_one_warning(spawned: Spawned, name: str) -> None:
    (warning,) = spawned(robot(plugin(name, "<joint_name>x</joint_name>"))).scene.warnings
    assert 'without effect: plugin "x"' in str(warning)


def test_what_publishes_says_where_and_how_often(spawned: Spawned) -> None:
    states = "<topic>joint_states</topic><update_rate>30</update_rate><joint_name>j</joint_name>"
    odometry = "<odom_topic>o</odom_topic><odom_frame>f</odom_frame>"
    odometry += "<odom_publish_frequency>10</odom_publish_frequency>"
    plugins = plugin("JointStatePublisher", states) + plugin("OdometryPublisher", odometry)
    sim = spawned(robot(plugins + plugin("PosePublisher", "<publish_link_pose>true</publish_link_pose>")))
    assert settings(sim) == {
        ("", "joint_states_topic"): "/joint_states",
        ("", "joint_states_period"): pytest.approx(1.0 / 30.0),
        ("", "ground_truth_topic"): "/o",
        ("", "ground_truth_frame"): "f",
        ("", "ground_truth_period"): 0.1,
    }
    assert settings(sim, "gazebo")["", "joint_states_of"] == ["j"]
    assert not sim.scene.warnings


def test_p3d_of_classic(spawned: Spawned) -> None:
    inside = (
        "<ros><namespace>/n</namespace><remapping>odom:=truth</remapping></ros><frame_name>map</frame_name>"
    )
    text = f'<plugin filename="libgazebo_ros_p3d.so" name="p">{inside}<update_rate>5</update_rate></plugin>'
    assert settings(spawned(robot(text))) == {
        ("", "ground_truth_topic"): "/n/truth",
        ("", "ground_truth_frame"): "map",
        ("", "ground_truth_period"): 0.2,
    }


def test_a_battery_is_its_charge_at_its_voltage(spawned: Spawned) -> None:
    """E = Q·U·3600, and 20 W for 3 s draw 60 J, whatever motors do."""
    inside = "<battery_name>b</battery_name><voltage>12</voltage><capacity>1.5</capacity>"
    inside += "<initial_charge>1</initial_charge><power_load>20</power_load>"
    motor = plugin("JointController", "<joint_name>j</joint_name><initial_velocity>3</initial_velocity>")
    sim = spawned(robot(plugin("LinearBatteryPlugin", inside) + motor))
    battery = sim.robot("r").battery
    assert battery is not None
    assert (battery.energy, battery.capacity) == (12.0 * 3600.0, 1.5 * 12.0 * 3600.0)
    sim.run(3.0)
    assert battery.energy == pytest.approx(12.0 * 3600.0 - 60.0)
    assert settings(sim) == {("", "battery_voltage"): 12.0}
    assert settings(sim, "gazebo")["", "battery_topic"] == "/model/r/battery/b/state"
