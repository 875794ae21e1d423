import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.base.errors import ConfigError, SceneErrors
from sim_core.scene import Scene
from sim_core.scene.urdf.spawn import Placement, add_urdf, parse_argument
from sim_core.session.simulation import Simulation

Spawned = Callable[..., Simulation]
MASS = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r.urdf", ("r.urdf", Placement())),
        ("r.urdf@1,-2", ("r.urdf", Placement(1.0, -2.0))),
        ("a@b/r.urdf@1,2,0.5,1e-1", ("a@b/r.urdf", Placement(1.0, 2.0, 0.5, 0.1))),
        ("r.urdf@1,2,,3", ("r.urdf", Placement(1.0, 2.0, None, 3.0))),
        ("me@home.urdf", ("me@home.urdf", Placement())),
    ],
)
def test_a_place_stands_behind_the_file(text: str, expected: tuple[str, Placement]) -> None:
    assert parse_argument(text) == (*expected, {}, "")


@pytest.mark.parametrize("text", ["r.urdf@1", "r.urdf@1,2,3", "r.urdf@1,,2,3", "r.urdf@1,2e999"])
def test_another_place_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected x,y or x,y,z,yaw"):
        parse_argument(text)


def test_a_place_that_is_no_number_is_not_taken_for_a_file(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.touch()
    for place in ("nan,0", "here,0", ""):
        with pytest.raises(ConfigError, match=rf'found "{place}", expected x,y or x,y,z,yaw'):
            parse_argument(f"{file}@{place}")


SHAPES = {
    '<box size="1 1 2"/>': ("", 1.0),
    '<sphere radius="0.3"/>': ("", 0.3),
    '<cylinder radius="0.3" length="1"/>': (' rpy="1.5707963267948966 0 0"', 0.3),
    '<cylinder radius="0.5" length="2"/>': (' rpy="0.7853981633974483 0 0"', (1.0 + 0.5) / math.sqrt(2.0)),
    '<capsule radius="0.5" length="2"/>': ("", 1.5),
}


@pytest.mark.parametrize(("shape", "expected"), SHAPES.items())
def test_a_robot_stands_on_the_ground(spawned: Spawned, shape: str, expected: tuple[str, float]) -> None:
    rpy, height = expected
    collision = f'<collision><origin xyz="0 0 0.1"{rpy}/><geometry>{shape}</geometry></collision>'
    sim = spawned(f'<robot name="r"><link name="a">{MASS}{collision}</link></robot>', "@1,2,,0.5")
    pose = sim.robot("r").frame.pose()
    assert pose.position == pytest.approx((1.0, 2.0, height - 0.1))
    assert pose.rotation[0] == pytest.approx(math.cos(0.5))


def test_two_robots_of_one_name_are_refused(floor: Scene, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r"><link name="a">{MASS}</link></robot>')
    add_urdf(floor, file)
    with pytest.raises(
        SceneErrors, match=r'r.urdf:1:1: a second robot named "r", expected a name of its own'
    ):
        add_urdf(floor, file)


def test_masses_and_inertias_are_those_of_the_links(spawned: Spawned) -> None:
    """Turned by a quarter about x the inertias about y and z change places."""
    turned = MASS.replace("<mass", '<origin xyz="1 2 3" rpy="1.5707963267948966 0 0"/><mass')
    sim = spawned(f'<robot name="r"><link name="a">{turned}</link></robot>')
    physics = sim.robot("r").node["physics"]
    assert (physics["mass"], physics["centerOfMass"]) == (2.0, [(1.0, 2.0, 3.0)])
    assert physics["inertiaMatrix"][0] == pytest.approx((0.1, 0.25, 0.2))
    assert physics["inertiaMatrix"][1] == pytest.approx((0.0, 0.0, 0.0))


def test_a_root_without_mass_has_that_of_the_link_fixed_to_it(spawned: Spawned) -> None:
    text = f"""<robot name="r"><link name="foot"/><link name="body">{MASS}</link><joint name="j" type="fixed">
<parent link="foot"/><child link="body"/><origin xyz="0 0 1"/></joint></robot>"""
    sim = spawned(text, "@0,0,5,0")
    robot = sim.robot("r")
    assert robot.node["physics"]["centerOfMass"] == [(0.0, 0.0, 1.0)]
    sim.run(0.5)
    assert robot.frame.pose().position[2] == pytest.approx(5.0 - 9.81 * 0.25 / 2.0, rel=5e-3)


def test_a_robot_fixed_to_the_world_stays(spawned: Spawned) -> None:
    text = f"""<robot name="r"><link name="world"/><link name="base_link">{MASS}</link>
<joint name="j" type="fixed"><parent link="world"/><child link="base_link"/><origin xyz="0 0 1"/></joint>
</robot>"""
    sim = spawned(text)
    sim.run(0.2)
    assert sim.robot("r").frame.pose().position == (0.0, 0.0, 1.0)
    free = spawned(text.replace('"fixed"', '"floating"').replace('<origin xyz="0 0 1"/>', ""), "@0,0,3,0")
    free.run(0.2)
    assert free.robot("r").frame.pose().position[2] < 2.9


DEVICE = '<webots><device reference="{}" type="{}"><ros>{}</ros>{}</device></webots>'


def sensor(reference: str = "s", kind: str = "DistanceSensor", ros: str = "", fields: str = "") -> str:
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="s"/></joint>'
    tag = DEVICE.format(reference, kind, ros, fields)
    return f'<robot name="r"><link name="a">{MASS}</link><link name="s"/>\n{joint}\n{tag}</robot>'


def test_a_device_tag_makes_a_link_a_device(spawned: Spawned) -> None:
    ros = "<topicName>/eye</topicName><updateRate>3</updateRate>"
    ros += "<alwaysOn>true</alwaysOn><frameName>f</frameName>"
    sim = spawned(sensor(ros=ros, fields="<fields>aperture 0.3</fields>"))
    device = sim.robot("r")["s"]
    assert device.spec["aperture"] == 0.3
    assert device.period_ns == 333_333_333  # steps of 2 ms meet it in the mean
    assert [item[2:4] for item in sim.scene.device_settings] == [
        ("topic", "/eye"),
        ("sampling_period", pytest.approx(1.0 / 3.0)),
        ("always_on", True),
        ("frame_id", "f"),
    ]


def test_ends_of_topics_are_settings_of_their_device(spawned: Spawned) -> None:
    ros = "<imageSuffix>/image_raw</imageSuffix><cameraInfoSuffix>/info</cameraInfoSuffix>"
    sim = spawned(sensor(kind="Camera", ros=ros))
    assert [item[2:4] for item in sim.scene.device_settings] == [
        ("image_suffix", "/image_raw"),
        ("camera_info_suffix", "/info"),
    ]


def test_a_device_that_is_not_enabled_stays_a_solid(spawned: Spawned) -> None:
    assert not spawned(sensor(ros="<enabled>false</enabled>")).robot("r").devices


def test_a_device_of_no_link_is_a_warning(spawned: Spawned) -> None:
    warning = spawned(sensor(reference="t")).scene.warnings[-1]
    assert 'robot.urdf:3:9: <device reference="t">: no link, no motor and no sensor' in str(warning)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (sensor(kind="DistanceSensr"), '3:9: device type "DistanceSensr", .*did you mean "DistanceSensor"'),
        (sensor(kind="Box"), '3:9: device type "Box", expected the name of a sensor'),
        (sensor(fields="<fields>apertur 1</fields>"), "apertur"),
        (
            sensor(fields="<fields>} Robot {</fields>"),
            "3:64: <fields> with a closing bracket too many: 2 nodes, expected fields alone",
        ),
        (sensor(ros="<updateRate>0</updateRate>"), '<updateRate> "0", expected Hz above 0'),
        (sensor(ros="<alwaysOn>yes</alwaysOn>"), '<alwaysOn> "yes", expected true or false'),
        (sensor(ros="<topicName></topicName>"), "<topicName> without text"),
    ],
)
def test_a_wrong_device_tag_is_refused(spawned: Spawned, text: str, line: str) -> None:
    with pytest.raises(SceneErrors, match=line):
        spawned(text)


def test_meshes_of_packages_are_found_above_the_file(tmp_path: Path, floor: Scene) -> None:
    package = tmp_path / "my_robot"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    (package / "package.xml").write_text("<package/>")
    mesh = '<mesh filename="package://{}/meshes/a.stl" scale="0.001 0.001 0.001"/>'
    visual = f"<visual><geometry>{mesh}</geometry></visual>"
    visuals = visual.format("my_robot") + visual.format("other")
    file = package / "urdf" / "r.urdf"
    file.write_text(f'<robot name="r"><link name="a">{MASS}{visuals}</link></robot>')
    node = add_urdf(floor, file)
    meshes = [each for each in node.walk() if each.type_name == "Mesh"]
    assert [mesh["url"] for mesh in meshes] == [
        [str(package / "meshes" / "a.stl")],
        ["package://other/meshes/a.stl"],
    ]
    assert [each["scale"] for each in node.walk() if each.type_name == "Transform"] == [
        (0.001, 0.001, 0.001)
    ] * 2


def test_a_collision_mesh_of_a_package_that_is_nowhere_is_refused(spawned: Spawned) -> None:
    mesh = '<collision><geometry><mesh filename="package://other/a.stl"/></geometry></collision>'
    with pytest.raises(SceneErrors, match=r'1:\d+: package "other" is not above the file'):
        spawned(f'<robot name="r"><link name="a">{MASS}{mesh}</link></robot>')


TAG = '<device reference="ds" type="{1}"><ros><updateRate>10</updateRate></ros></device>'
TAGS = f'<robot name="{{0}}"><webots>{TAG}</webots></robot>'
EPUCK = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 }
Robot { name "e-puck" children DistanceSensor { name "ds" } }
"""


def test_a_file_without_links_sets_the_devices_of_a_robot_that_is_there(spawned: Spawned) -> None:
    sim = spawned(TAGS.format("Epuck Webots", "DistanceSensor"), world=EPUCK)
    assert list(sim.robots) == ["e-puck"]
    assert sim.robot("e-puck")["ds"].period_ns == 100_000_000
    wrong = spawned(TAGS.format("e-puck", "GPS"), world=EPUCK)  # webots_ros2 does not look at the type
    assert 'device "ds" of type "GPS": it is a DistanceSensor' in str(wrong.scene.warnings[-1])
    two = EPUCK + 'Robot { name "other" }'
    with pytest.raises(SceneErrors, match=r'no robot "x" in the world, expected .*: "e-puck", "other"'):
        spawned(TAGS.format("x", "DistanceSensor"), world=two)


def test_an_inertia_that_no_body_has_loses_its_products(spawned: Spawned) -> None:
    """As in the descriptions of some sold robots; without a positive diagonal that of its collisions is
    used: m/12 (b² + c²) of a box."""
    mass = MASS.replace("ixx", 'ixy="0.5" ixx')
    sim = spawned(f'<robot name="r"><link name="a">{mass}</link></robot>')
    assert sim.robot("r").node["physics"]["inertiaMatrix"] == [(0.1, 0.2, 0.25), (0.0, 0.0, 0.0)]
    assert "is impossible for 2 kg, ixy, ixz and iyz are left out" in str(sim.scene.warnings[0])
    box = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
    mass = MASS.replace('"0.1"', '"-0.1"')
    sim = spawned(f'<robot name="r"><link name="a">{mass}{box}</link></robot>', "@0,0,1,0")
    (part,) = (each for each in sim.physics.model.dynamics().parts if each.weights)
    (weight,) = part.weights.values()
    assert weight.physics.mass.inertia == pytest.approx(
        (2 / 12 * 0.13, 0, 0, 0, 2 / 12 * 0.10, 0, 0, 0, 2 / 12 * 0.05)
    )


def test_several_devices_on_one_link_are_its_children(spawned: Spawned) -> None:
    """Each has the pose of the link; without a name of its own it has the link's and its type's."""
    tags = '<device reference="s" type="Gyro"/><device reference="s" type="Accelerometer" name="weight"/>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="s"/><origin xyz="0 0 1"/></joint>'
    text = (
        f'<robot name="r"><link name="a">{MASS}</link><link name="s"/>{joint}<webots>{tags}</webots></robot>'
    )
    robot = spawned(text, "@0,0,2,0").robot("r")
    assert sorted(robot.devices) == ["s_gyro", "weight"]
    assert robot["weight"].frame.pose().position == (0.0, 0.0, 3.0)


CONTROL = """<robot name="r"><link name="world"/><link name="a">{mass}</link>
<joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<ros2_control name="arm" type="system"><joint name="j">
<command_interface name="position"><param name="min">-1</param>
<param name="max">1.5</param></command_interface>
<command_interface name="velocity"><param name="min">-0.5</param>
<param name="max">0.5</param></command_interface>
<state_interface name="position"><param name="initial_value">{initial}</param></state_interface>
</joint></ros2_control></robot>"""


def test_ros2_control_says_where_a_joint_starts_and_how_far_it_is_sent(spawned: Spawned) -> None:
    motor = spawned(CONTROL.format(mass=MASS, initial="0.7")).robot("r")["j"]
    assert motor.position == pytest.approx(0.7)
    assert (motor.limits.min_position, motor.limits.max_position) == (-1.0, 1.5)
    assert (motor.limits.max_velocity, motor.limits.max_effort) == (0.5, 50.0)
    past = spawned(CONTROL.format(mass=MASS, initial="2.5"))
    assert past.robot("r")["j"].position == 0.0
    assert 'initial_value 2.5 of joint "j" past -2 and 2' in str(past.scene.warnings[0])
    with pytest.raises(SceneErrors, match="high"):
        spawned(CONTROL.format(mass=MASS, initial="high"))
