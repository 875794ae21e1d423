"""The same robot as URDF and as SDF is the same scene, and so is what is saved of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.scene import Node, Scene, load_scene, parse_scene, write_scene
from sim_core.scene.robot_files import add_robot_file
from sim_core.scene.sdf.reader import parse_sdf

PLUGIN = """<plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">
<left_joint>left_joint</left_joint><right_joint>right_joint</right_joint>
<wheel_separation>0.3</wheel_separation><wheel_radius>0.1</wheel_radius><topic>cmd_vel</topic></plugin>"""
LIDAR = """<sensor name="scanner" type="gpu_lidar"><update_rate>10</update_rate><topic>scan</topic>
<lidar><scan><horizontal><samples>90</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>
</scan><range><min>0.1</min><max>8</max></range></lidar></sensor>"""
WHEELS = (("left", 0.15), ("right", -0.15))
AXLE = -1.5707963267948966
"""rad about x: the wheel's z is its axle."""


def urdf() -> str:
    wheels = "".join(
        f"""<link name="{side}"><inertial><mass value="0.5"/>
        <inertia ixx="0.002" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision></link>
        <joint name="{side}_joint" type="continuous"><parent link="base"/><child link="{side}"/>
        <origin xyz="0.05 {y} 0" rpy="{AXLE} 0 0"/>
        <axis xyz="0 0 1"/><limit effort="5" velocity="20"/></joint>"""
        for side, y in WHEELS
    )
    return f"""<robot name="rover"><link name="base"><inertial><origin xyz="0 0 0.02"/><mass value="4"/>
    <inertia ixx="0.03" iyy="0.05" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.4 0.2 0.1"/></geometry>
    <material name="m"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision>
    <collision><origin xyz="-0.15 0 -0.05"/><geometry><sphere radius="0.05"/></geometry></collision></link>
    {wheels}<link name="mast"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="mast_joint" type="fixed"><parent link="base"/><child link="mast"/>
    <origin xyz="0.1 0 0.1"/></joint>
    <gazebo>{PLUGIN}</gazebo><gazebo reference="mast">{LIDAR}</gazebo></robot>"""


def sdf() -> str:
    wheels = "".join(
        f"""<link name="{side}"><pose>0.05 {y} 0 {AXLE} 0 0</pose><inertial><mass>0.5</mass>
        <inertia><ixx>0.002</ixx><iyy>0.002</iyy><izz>0.003</izz></inertia></inertial>
        <collision name="c"><geometry><cylinder><radius>0.1</radius><length>0.04</length></cylinder>
        </geometry></collision></link>
        <joint name="{side}_joint" type="revolute"><parent>base</parent><child>{side}</child>
        <axis><xyz>0 0 1</xyz><limit><effort>5</effort><velocity>20</velocity></limit></axis></joint>"""
        for side, y in WHEELS
    )
    return f"""<sdf version="1.9"><model name="rover"><link name="base">
    <inertial><pose>0 0 0.02 0 0 0</pose><mass>4</mass>
    <inertia><ixx>0.03</ixx><iyy>0.05</iyy><izz>0.06</izz></inertia></inertial>
    <visual name="v"><geometry><box><size>0.4 0.2 0.1</size></box></geometry>
    <material><diffuse>1 0 0 1</diffuse></material></visual>
    <collision name="c"><geometry><box><size>0.4 0.2 0.1</size></box></geometry></collision>
    <collision name="d"><pose>-0.15 0 -0.05 0 0 0</pose>
    <geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
    {wheels}<link name="mast"><pose>0.1 0 0.1 0 0 0</pose><inertial><mass>0.1</mass>
    <inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>{LIDAR}</link>
    <joint name="mast_joint" type="fixed"><parent>base</parent><child>mast</child></joint>
    {PLUGIN}</model></sdf>"""


@pytest.fixture
def placed(tmp_path: Path) -> Callable[[str, str], Scene]:
    """A world with the robot of a text."""

    def make(text: str, name: str) -> Scene:
        file = tmp_path / name
        file.write_text(text)
        scene = parse_scene(
            "#VRML_SIM R2025a utf8\nWorldInfo { contactProperties ContactProperties { bounce 0 } }"
        )
        add_robot_file(scene, f"{file}@1,2,0.3,0.5")
        return scene

    return make


def plain(node: Node) -> list[tuple[str, dict[str, object]]]:
    """What a tree says, numbers to 9 digits."""

    def value(each: object) -> object:
        if isinstance(each, float):
            return round(each, 9) + 0.0
        if isinstance(each, (tuple, list)):
            return tuple(value(part) for part in each if not isinstance(part, Node))
        return None if isinstance(each, Node) else each

    return [(each.type_name, {name: value(own) for name, own in each.fields.items()}) for each in node.walk()]


def test_the_same_robot_as_urdf_and_as_sdf(placed: Callable[[str, str], Scene]) -> None:
    first, second = placed(urdf(), "rover.urdf"), placed(sdf(), "rover.sdf")
    for one, two in zip(plain(first.nodes[-1]), plain(second.nodes[-1]), strict=True):
        assert one == two
    settings = [
        {(said.robot, said.device, said.name): said.value for said in each.device_settings if not said.layout}
        for each in (first, second)
    ]
    assert settings[0] == settings[1]


def test_a_saved_world_is_the_world_that_was_read(tmp_path: Path) -> None:
    inside = sdf().replace('<sdf version="1.9">', "").replace("</sdf>", "")
    scene = parse_sdf(f'<sdf version="1.9"><world name="w"><gravity>0 0 -3</gravity>{inside}</world></sdf>')
    file = tmp_path / "saved.wbt"
    file.write_text(write_scene(scene))
    again = load_scene(file)
    assert len(scene.nodes) == len(again.nodes)
    for one, two in zip(scene.nodes, again.nodes, strict=True):
        assert plain(one) == plain(two)
