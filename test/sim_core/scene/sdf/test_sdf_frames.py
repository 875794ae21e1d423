"""Where links, joints and models are, against poses that were composed by hand."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core.base.errors import Mistake, SceneErrors
from sim_core.base.geometry import Pose, axis_angle_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.model.frames import pose_of
from sim_core.scene import Node, Scene, load_scene

Read = Callable[..., Scene]
QUARTER = math.pi / 2.0


def solids(scene: Scene) -> dict[str, Pose]:
    """X_WS of each solid, by its name."""
    found = {}
    for node in scene.walk():
        if node.is_a("Solid"):
            pose = pose_of(node)
            for above in node.ancestors():
                if above.is_a("Pose"):
                    pose = pose_of(above) * pose
            found[node["name"]] = pose
    return found


def at(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Pose:
    return Pose((x, y, z), rotation_from_roll_pitch_yaw(roll, pitch, yaw))


def is_at(pose: Pose, expected: Pose) -> bool:
    return pose.position == pytest.approx(expected.position, abs=1e-9) and (
        (pose * expected.inverse()).rotation == pytest.approx(Pose().rotation, abs=1e-9)
    )


def joint(name: str, parent: str, child: str, kind: str = "fixed", more: str = "") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


def hinge_of(scene: Scene) -> Node:
    return next(node for node in scene.walk() if node.type_name == "HingeJoint")


def test_poses_are_relative_to_what_they_say(read: Read) -> None:
    scene = read(
        f"""<frame name="corner"><pose>10 0 0 0 0 {QUARTER}</pose></frame>
        <model name="m"><pose relative_to="corner">1 0 0 0 0 0</pose>
        <link name="a"><pose>0 0 1 0 0 0</pose></link>
        <frame name="f" attached_to="a"><pose>0 0 0 0 0 {QUARTER}</pose></frame>
        <link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link>
        <link name="c"><pose relative_to="j">0 0 0.5 0 0 0</pose></link>
        {joint("j", "a", "b", more="<pose>0 1 0 0 0 0</pose>")}{joint("k", "b", "c")}</model>"""
    )
    model = at(10, 0, 0, yaw=QUARTER) * at(1, 0, 0)
    a = model * at(0, 0, 1)
    b = a * at(0, 0, 0, yaw=QUARTER) * at(1, 0, 0)
    found = solids(scene)
    assert is_at(found["m"], a)  # the root of the tree is the model's solid
    assert is_at(found["b"], b)  # its joint's pose moves nothing
    assert is_at(found["c"], b * at(0, 1, 0) * at(0, 0, 0.5))


def test_a_placement_frame_is_put_where_the_pose_says(read: Read) -> None:
    scene = read(
        """<model name="m" placement_frame="top"><pose>1 2 3 0 0 0</pose><static>true</static><link name="a"/>
        <frame name="top"><pose>0 0 0.7 0 0 0</pose></frame></model>"""
    )
    assert is_at(solids(scene)["m"], at(1, 2, 2.3))


def test_names_in_nested_models(read: Read) -> None:
    scene = read(
        f"""<model name="m">
        <model name="n"><pose>1 0 0 0 0 0</pose><link name="a"><pose>0 1 0 0 0 0</pose></link></model>
        <link name="b"><pose relative_to="n::a">0 0 1 0 0 0</pose></link>{joint("j", "n::a", "b")}</model>"""
    )
    found = solids(scene)
    assert is_at(found["m"], at(1, 1, 0))
    assert is_at(found["b"], at(1, 1, 1))


@pytest.mark.parametrize(
    ("version", "attribute", "is_read"),
    [("1.6", "frame", True), ("1.5", "frame", True), ("1.8", "frame", False), ("1.8", "relative_to", True)],
)
def test_what_a_pose_is_relative_to_is_said_by_version(
    read: Read, version: str, attribute: str, is_read: bool
) -> None:
    scene = read(
        f"""<model name="m"><static>1</static><link name="a"><pose>0 0 1 0 0 0</pose></link>
        <link name="b"><pose {attribute}="a">0 0 1 0 0 0</pose></link></model>""",
        f'<sdf version="{version}"><world name="w">',
    )
    assert is_at(solids(scene)["b"], at(0, 0, 2 if is_read else 1))


def test_angles_in_degrees_and_quaternions(read: Read) -> None:
    half = math.sqrt(0.5)
    scene = read(
        f"""<model name="a"><pose degrees="true">0 0 1 0 0 90</pose><link name="l"/></model>
        <model name="b"><pose rotation_format="quat_xyzw">0 0 1 0 0 {half} {half}</pose>
        <link name="l"/></model>"""
    )
    found = solids(scene)
    assert is_at(found["a"], at(0, 0, 1, yaw=QUARTER))
    assert is_at(found["b"], at(0, 0, 1, yaw=QUARTER))


@pytest.mark.parametrize(
    ("version", "axis", "expected"),
    [
        ("1.9", "<xyz>1 0 0</xyz>", (0.0, 0.0, -1.0)),  # in the joint's frame
        ("1.9", '<xyz expressed_in="__model__">0 0 2</xyz>', (0.0, 0.0, 1.0)),
        ("1.6", "<xyz>0 1 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", (0.0, 1.0, 0.0)),
        ("1.4", "<xyz>0 1 0</xyz>", (0.0, 1.0, 0.0)),
    ],
)
def test_axes_in_the_frames_of_their_versions(
    read: Read, version: str, axis: str, expected: tuple[float, float, float]
) -> None:
    scene = read(
        f"""<model name="m"><link name="a"/><link name="b"><pose>1 0 0 0 {QUARTER} 0</pose></link>
        {joint("j", "a", "b", "revolute", f"<pose>0 0.5 0 0 0 0</pose><axis>{axis}</axis>")}</model>""",
        f'<sdf version="{version}"><world name="w">',
    )
    parameters = hinge_of(scene)["jointParameters"]
    assert parameters["axis"] == pytest.approx(expected, abs=1e-12)
    assert parameters["anchor"] == pytest.approx((1.0, 0.5, 0.0))


def test_a_tree_begins_at_its_root_whatever_stands_first(read: Read) -> None:
    scene = read(
        f"""<model name="m"><link name="tip"><pose>2 0 0 0 0 0</pose></link><link name="base"/>
        {joint("j", "base", "tip", "revolute", "<axis><xyz>0 0 1</xyz></axis>")}</model>"""
    )
    assert hinge_of(scene).parent is not None
    assert is_at(solids(scene)["m"], at(0, 0, 0))
    assert is_at(solids(scene)["tip"], at(2, 0, 0))


def test_a_second_joint_to_a_link_closes_a_loop(read: Read) -> None:
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    links = "".join(f'<link name="{name}"><pose>{k} 0 0 0 0 0</pose></link>' for k, name in enumerate("abcd"))
    scene = read(
        f"""<model name="m">{links}{joint("j1", "a", "b", "revolute", axis)}
        {joint("j2", "b", "c", "revolute", axis)}{joint("j3", "a", "d", "revolute", axis)}
        {joint("j4", "d", "c", "revolute", axis)}</model>"""
    )
    ends = [node for node in scene.walk() if node.type_name == "SolidReference"]
    assert [end["solidName"] for end in ends] == ["c"]
    assert ends[0].parent is not None
    assert ends[0].parent["jointParameters"]["anchor"] == pytest.approx((-1.0, 0.0, 0.0))  # of c in d


def test_a_joint_to_the_world_pins_a_model(read: Read) -> None:
    scene = read(
        f"""<model name="m"><pose>0 0 1 0 0 0</pose><link name="a"/>{joint("j", "world", "a")}</model>
        <model name="n"><pose>0 5 1 0 0 0</pose><link name="a"/>
        {joint("j", "world", "a", "revolute", "<axis><xyz>0 1 0</xyz></axis>")}</model>"""
    )
    fixed, turning = (node for node in scene.nodes if node.is_a("Solid"))
    assert fixed["physics"] is None
    assert turning["physics"] is None
    assert hinge_of(scene)["endPoint"]["physics"] is not None


def test_no_joint_works_in_a_static_model(read: Read) -> None:
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    scene = read(
        f"""<model name="m"><static>true</static>
        <link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>
        {joint("j", "a", "b", "revolute", axis)}</model>"""
    )
    assert all(not node.is_a("Joint") and node.type_name != "Physics" for node in scene.walk())
    assert is_at(solids(scene)["b"], at(1, 0, 0))


def test_links_that_no_joint_joins_are_solids_of_their_own(read: Read) -> None:
    scene = read('<model name="m"><link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link></model>')
    assert [node["name"] for node in scene.nodes if node.is_a("Solid")] == ["m", "m/b"]


def test_frames_that_are_nowhere_or_circular_are_said(read: Read) -> None:
    scene = read(
        """<model name="m"><link name="a"><pose relative_to="gone">1 0 0 0 0 0</pose></link>
        <frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>
        <link name="b"><pose relative_to="f"/></link></model>"""
    )
    told = [str(each) for each in scene.warnings if isinstance(each, Mistake)]
    assert any('there is no frame "gone"' in line for line in told)
    assert any("relative to itself" in line for line in told)


def test_a_saved_world_of_classic_has_its_models_where_the_state_says(read: Read) -> None:
    inside = """<model name="m"><pose>1 0 0 0 0 0</pose><link name="a"/></model>
    <state world_name="w"><model name="m"><pose>5 6 7 0 0 0</pose></model></state>"""
    classic = '<sdf version="1.6"><world name="w"><physics type="ode"/>'
    assert is_at(solids(read(inside, classic))["m"], at(5, 6, 7))
    of_gz = f'{classic}<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>'
    assert is_at(solids(read(inside, of_gz))["m"], at(1, 0, 0))


MODEL = """<sdf version="1.8"><model name="arm"><link name="base"><pose>0 0 0.5 0 0 0</pose></link>
<link name="tip"><pose relative_to="__model__">0 0 1 0 0 0</pose></link>{joint}</model></sdf>"""


def write_model(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "model.sdf").write_text(text)


def test_included_and_merged_models(tmp_path: Path) -> None:
    write_model(tmp_path / "models", "arm", MODEL.format(joint=joint("j", "base", "tip")))
    (tmp_path / "worlds").mkdir()
    world = tmp_path / "worlds" / "w.sdf"
    world.write_text(
        f"""<sdf version="1.9"><world name="w">
        <include><uri>model://arm</uri><name>one</name><pose>1 0 0 0 0 0</pose></include>
        <include><uri>model://arm</uri></include>
        <model name="whole"><pose>0 5 0 0 0 0</pose>
          <include merge="true"><uri>model://arm</uri><pose>0 0 2 0 0 {QUARTER}</pose></include>
          <link name="lamp"><pose relative_to="tip">1 0 0 0 0 0</pose></link>{joint("k", "tip", "lamp")}
        </model></world></sdf>"""
    )
    found = solids(load_scene(world))
    assert is_at(found["one"], at(1, 0, 0.5))
    assert is_at(found["arm"], at(0, 0, 0.5))
    whole = at(0, 5, 0) * at(0, 0, 2, yaw=QUARTER)
    assert is_at(found["whole"], whole * at(0, 0, 0.5))
    assert is_at(found["lamp"], whole * at(0, 0, 1) * at(1, 0, 0))


def test_what_is_not_here_is_said_and_the_world_goes_on(tmp_path: Path) -> None:
    world = tmp_path / "w.sdf"
    world.write_text(
        """<sdf version="1.9"><world name="w">
        <include><uri>model://nowhere_at_all</uri><pose>1 2 3 0 0 0</pose></include>
        <include><uri>https://fuel.gazebosim.org/1.0/Someone/models/Big Tree</uri></include>
        <include><uri>model://ground_plane</uri></include><include><uri>model://sun</uri></include>
        </world></sdf>"""
    )
    scene = load_scene(world)
    assert [node.type_name for node in scene.nodes][-2:] == ["DirectionalLight", "Solid"]
    lines = [str(each) for each in scene.warnings if isinstance(each, Mistake)]
    assert len(lines) == 2
    assert "w.sdf:2:9" in lines[0]
    assert "model://nowhere_at_all" in lines[0]
    assert "pose 1 2 3" in lines[0]
    assert "someone/models/big tree" in lines[1]


def test_a_model_that_includes_itself_is_left_out(tmp_path: Path) -> None:
    circle = """<sdf version="1.9"><model name="a"><link name="l"/>
    <include><uri>model://a</uri></include></model></sdf>"""
    write_model(tmp_path / "models", "a", circle)
    scene = load_scene(tmp_path / "models" / "a" / "model.sdf")
    assert any("includes itself" in str(each) for each in scene.warnings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '<sdf version="1"><world name="w"><model name="m"><pose>1 2 x 0 0 0</pose></model></world></sdf>',
            "1:50",
        ),
        ('<sdf version="1.9"><world', "1:"),
        ('<robot name="r"/>', "<sdf version="),
        ('<sdf version="1.9"/>', "without a world and without a model"),
    ],
)
def test_broken_files_are_one_line(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "w.sdf"
    file.write_text(text)
    with pytest.raises(SceneErrors) as caught:
        load_scene(file)
    assert expected in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_every_problem_of_a_file_is_found(read: Read) -> None:
    mass = "<link name='l'><inertial><mass>heavy</mass></inertial></link>"
    with pytest.raises(SceneErrors) as caught:
        read(f"<model name='a'>{mass}</model><model name='b'>{mass}</model>")
    assert len(caught.value.problems) == 2


def test_a_chain_may_have_a_hundred_joints(read: Read) -> None:
    axis = "<axis><xyz>0 1 0</xyz></axis>"

    def chain(count: int) -> str:
        links = "".join(f'<link name="l{k}"/>' for k in range(count + 1))
        joints = (joint(f"j{k}", f"l{k}", f"l{k + 1}", "revolute", axis) for k in range(count))
        return f'<model name="m">{links}{"".join(joints)}</model>'

    assert sum(node.type_name == "HingeJoint" for node in read(chain(100)).walk()) == 100
    with pytest.raises(SceneErrors, match="a chain of more than 100 joints"):
        read(chain(101))


def test_a_link_that_is_called_as_the_world_is_left_out(read: Read) -> None:
    scene = read('<model name="m"><static>1</static><link name="world"/><link name="a"/></model>')
    assert list(solids(scene)) == ["m"]
    assert any('a link called "world"' in str(each) for each in scene.warnings)


def test_templates_are_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "m.sdf.jinja"
    file.write_text("<sdf version='1.5'>{% if x %}<model name='m'/>{% endif %}</sdf>")
    with pytest.raises(SceneErrors, match="a template"):
        load_scene(file)


def test_comments_with_two_dashes_and_names_without_namespaces(read: Read) -> None:
    scene = read(
        """<!-- as gz's own -- worlds have -->
        <model name="m" gz:kind="x"><link name="a"/><gz:policy>1</gz:policy></model>"""
    )
    assert "m" in solids(scene)
    assert axis_angle_from_rotation(solids(scene)["m"].rotation)[3] == 0.0
