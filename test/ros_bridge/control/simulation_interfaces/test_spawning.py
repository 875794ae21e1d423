"""Spawning and deleting."""

import math
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped

from ros_bridge.interface.interface import describe
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.parameters.parameters import with_spawned
from sim_core.base.shipped import share_dir

NOT_UNIQUE, NAME_INVALID, NAMESPACE = 101, 102, 105
BOX = 'Solid { name "box" boundingObject Box { size 1 1 1 } physics Physics { density -1 mass 3 } }'
URDF = """<robot name="cart">
  <link name="base_link">
    <inertial><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.3 0.2"/></geometry></collision>
  </link>
  <gazebo reference="base_link"><mu1>0.25</mu1></gazebo>
</robot>"""


CART = """<sdf version="1.9"><model name="cart">
  <link name="base"><inertial><mass>3</mass></inertial>
    <sensor name="laser" type="gpu_lidar"><topic>front/scan</topic><update_rate>25</update_rate>
      <lidar/></sensor>
    <sensor name="imu" type="imu"><topic>front/imu</topic></sensor></link>
  <link name="left"><pose>0 0.2 0 -1.5708 0 0</pose></link>
  <link name="right"><pose>0 -0.2 0 -1.5708 0 0</pose></link>
  <joint name="l" type="revolute"><parent>base</parent><child>left</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="r" type="revolute"><parent>base</parent><child>right</child>
    <axis><xyz>0 0 1</xyz></axis></joint>
  <plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive"><left_joint>l</left_joint>
    <right_joint>r</right_joint><wheel_separation>0.4</wheel_separation><wheel_radius>RADIUS</wheel_radius>
    <max_linear_velocity>0.3</max_linear_velocity><topic>go</topic></plugin>
</model></sdf>"""


def at(x: float, y: float, z: float, frame: str = "") -> PoseStamped:
    pose = PoseStamped()
    pose.header.frame_id = frame
    pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = x, y, z
    return pose


def spawn(bench: Any, text: str = BOX, **fields: Any) -> Any:
    return bench.ask("SpawnEntity", entity_resource__resource_string=text, **fields)


def test_a_text_is_spawned_where_the_request_says(bench: Any) -> None:
    answer = spawn(bench, initial_pose=at(2.0, 0.0, 4.0, "crate"), name="cube")
    assert (answer.result.result, answer.entity_name) == (1, "cube"), answer.result.error_message
    position = bench.ok("GetEntityState", entity="cube").state.pose.position
    half = math.sqrt(0.5)
    assert (position.x, position.y, position.z) == pytest.approx((-5 + 2 * half, 2 * half, 4.5))
    bench.sim.step(10)
    now = bench.ok("GetEntityState", entity="cube").state
    assert now.twist.linear.z == pytest.approx(-9.81 * 0.08)
    bench.ok("DeleteEntity", entity="cube")
    bench.refused("GetEntityState", 2, "cube", entity="cube")


def test_names_are_unique_or_made_so(bench: Any) -> None:
    assert spawn(bench).entity_name == "box"
    taken = spawn(bench)
    assert taken.result.result == NOT_UNIQUE and '"box" is taken' in taken.result.error_message
    assert [spawn(bench, allow_renaming=True).entity_name for _ in range(2)] == ["box_1", "box_2"]
    assert spawn(bench, name="my box").entity_name == "my box"
    assert spawn(bench, name="my-box").result.result == NOT_UNIQUE  # one topic would stand for both
    for bad in ("a/b", "???", "new\nline"):
        assert spawn(bench, name=bad).result.result == NAME_INVALID
    nameless = "Solid { boundingObject Sphere { } }"
    assert spawn(bench, nameless).result.result == NAME_INVALID
    assert spawn(bench, nameless, allow_renaming=True).entity_name == "solid"


def test_a_robot_in_a_namespace_has_its_topics_there(bench: Any) -> None:
    from ros_bridge.topics.names import legal_path

    robot = 'Robot { name "e-puck" children GPS { name "gps" } }'
    answer = spawn(bench, robot, entity_namespace="/fleet/left")
    assert answer.entity_name == "fleet/left/e-puck"
    assert legal_path(answer.entity_name) == "fleet/left/e_puck"
    assert "fleet/left/e-puck" in bench.sim.robots
    assert spawn(bench, robot, entity_namespace="a b").result.result == NAMESPACE


def test_urdf_is_spawned_with_its_friction_and_goes_with_the_reset(bench: Any) -> None:
    answer = spawn(bench, URDF, initial_pose=at(0.0, 20.0, 1.0))
    assert answer.entity_name == "cart", answer.result.error_message
    assert bench.ok("GetEntityInfo", entity="cart").info.category.category == 1
    frictions = [each["coulombFriction"] for each in bench.sim.scene.world_info["contactProperties"]]
    assert frictions == [[0.25]]
    bench.ok("ResetSimulation", scope=0)
    assert "cart" not in bench.ok("GetEntities").entities
    assert bench.sim.scene.world_info["contactProperties"] == []


SDF = """<sdf version="1.9"><model name="parcel"><link name="l"><collision name="c">
<geometry><box><size>1 1 1</size></box></geometry>
<surface><friction><ode><mu>0.25</mu><mu2>0.25</mu2></ode></friction></surface></collision></link></model></sdf>"""


def test_sdf_is_spawned_with_its_friction(bench: Any) -> None:
    answer = spawn(bench, SDF, initial_pose=at(0.0, 20.0, 1.0))
    assert answer.entity_name == "parcel", answer.result.error_message
    frictions = [each["coulombFriction"] for each in bench.sim.scene.world_info["contactProperties"]]
    assert frictions == [[0.25], [0.25]]  # against itself, and against what says nothing


def test_files_are_spawned_by_uri(bench: Any, folder: Path) -> None:
    (folder / "cart.urdf").write_text(URDF)
    proto = share_dir() / "protos" / "objects" / "WoodenBox.proto"
    (folder / "one.wbt").write_text("#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n" + BOX)
    for uri, name in (
        ((folder / "cart.urdf").as_uri(), "cart"),
        (proto.as_uri(), None),
        (str(folder / "one.wbt"), "box"),
    ):
        answer = bench.ask("SpawnEntity", entity_resource__uri=uri, allow_renaming=True)
        assert answer.result.result == 1, answer.result.error_message
        assert name is None or answer.entity_name == name


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", 104, "neither uri nor resource_string"),
        ("<?xml version='1.0'?>\n<!-- a -->\n<sdf version='1.9'/>", 106, "SDF without a model"),
        (1000 * "<!-- a -->" + "<robot/>", 106, "resource_string"),
        ("Solid {", 106, "resource_string"),
        ("Sold { }", 106, "Solid"),
        ("<robot><link/></robot>", 106, "resource_string"),
        ("Viewpoint { }", 106, "one Solid"),
        (BOX + BOX, 106, "one Solid"),
        ("# nothing", 106, "no node"),
        ('Solid { boundingObject Mesh { url "nowhere.stl" } }', 107, "nowhere.stl"),
        ('EXTERNPROTO "Nowhere.proto" Nowhere { }', 107, "Nowhere"),
    ],
)
def test_what_cannot_be_spawned_is_refused(bench: Any, text: str, code: int, says: str) -> None:
    before = bench.ok("GetEntities").entities
    answer = spawn(bench, text, name="x")
    assert answer.result.result == code, answer.result.error_message
    assert says in answer.result.error_message and "\n" not in answer.result.error_message
    assert bench.ok("GetEntities").entities == before


def test_wrong_files_and_poses_are_refused(bench: Any, folder: Path) -> None:
    (folder / "x.dae").write_text("<COLLADA/>")
    bench.refused("SpawnEntity", 103, ".urdf", entity_resource__uri=str(folder / "x.dae"))
    bench.refused("SpawnEntity", 2, "no file", entity_resource__uri="file:///no/such.urdf")
    bench.refused("SpawnEntity", 2, "expected file:", entity_resource__uri="https://example.org/x.urdf")
    tilted = at(0.0, 0.0, 1.0)
    tilted.pose.orientation.w = 3.0
    for pose in (tilted, at(math.nan, 0.0, 0.0), at(0.0, 0.0, 1e12), at(0.0, 0.0, 0.0, "moon")):
        assert spawn(bench, initial_pose=pose).result.result == 109
    assert "box" not in bench.ok("GetEntities").entities


def test_several_are_spawned_each_for_itself(bench: Any, msg: Any) -> None:
    good, bad = msg.SpawnEntity(name="a"), msg.SpawnEntity(name="b")
    good.entity_resource.resource_string, bad.entity_resource.resource_string = BOX, "Solid {"
    answer = bench.ask("SpawnEntities", spawn_requests=[bad, good])
    assert answer.result.result == 150 and "1 of 2" in answer.result.error_message
    assert [each.result.result for each in answer.results] == [106, 1]
    assert "a" in bench.ok("GetEntities").entities


def test_spawnables_are_solids_that_come_with_odesim_and_of_more_folders(bench: Any, folder: Path) -> None:
    (folder / "cart.urdf").write_text(URDF)
    (folder / "broken.urdf").write_text("<robot")
    answer = bench.ok("GetSpawnables", sources=[folder.as_uri(), "nowhere"])
    names = {Path(each.entity_resource.uri).stem for each in answer.spawnables}
    assert {"Ute", "WoodenBox", "cart"} <= names
    assert not {"Grass", "TexturedBackground", "broken"} & names
    assert '"nowhere"' in answer.result.error_message


def topics(bench: Any, layout: str) -> dict[str, str]:
    """The message types of all topics."""
    params = with_spawned(BridgeParams(layout=layout), bench.sim.scene, ("rover",))
    return {each.name: each.message_type.__name__ for each in describe(bench.sim, params)}


def test_a_model_comes_with_the_settings_of_its_file(bench: Any) -> None:
    """As one that is in the world from the start: drive, rates, topics and combined devices."""
    answer = spawn(bench, CART.replace("RADIUS", "0.123"), name="mule")
    assert answer.entity_name == "mule", answer.result.error_message
    mule = bench.sim.robots["mule"]
    assert mule.drive.wheel_radius == 0.123
    assert bench.sim.config.robot("mule").drive.max_linear_velocity == 0.3
    assert bench.sim.config.device("mule", "laser").sampling_period == 0.04
    there = topics(bench, "gazebo")
    assert there["/go"] == "Twist"
    assert (there["/front/scan"], there["/front/imu"]) == ("LaserScan", "Imu")
    assert "/model/mule/odometry" in there
    assert "/front/scan" in topics(bench, "odesim")


def test_one_that_comes_again_has_the_settings_of_its_new_file(bench: Any) -> None:
    for radius in (0.123, 0.2):
        assert spawn(bench, CART.replace("RADIUS", str(radius))).entity_name == "cart"
        assert bench.sim.robots["cart"].drive.wheel_radius == radius
        bench.ok("DeleteEntity", entity="cart")
