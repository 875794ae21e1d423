"""X3D and VRML97: what is read, where it ends up, and what is refused."""

import time
from pathlib import Path

import numpy as np
import pytest
from old_and_new import things

from sim_core.base.errors import SceneErrors
from sim_core.base.geometry import rotation_from_axis_angle
from sim_core.model.frames import pose_of, vector_of, view_of, world_vector_of
from sim_core.model.joint_frames import anchor_in_frame, axis_in_frame
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, Scene, load_scene, parse_scene, write_scene
from sim_core.scene.loader import scene_from_text
from sim_core.scene.older.axes_conversion import to_current_axes
from sim_core.scene.x3d.x3d_loader import parse_x3d
from sim_core.scene.x3d.x3d_writer import write_vrml, write_x3d
from sim_core.session.simulation import Simulation

X3D = "<X3D><Scene>\n{}\n</Scene></X3D>"
VRML = "#VRML V2.0 utf8\n"
SHAPE = "<Shape>{}</Shape>"
BOX = '<Shape><Box size="1 2 3"/></Shape>'


def read(body: str) -> Scene:
    return parse_x3d(X3D.format(body), "a.x3d")


def problems(text: str, file: str = "a.x3d") -> list[str]:
    with pytest.raises(SceneErrors) as caught:
        parse_x3d(text, file)
    return [str(each) for each in caught.value.problems]


def shapes(scene: Scene) -> list[tuple[str, np.ndarray]]:
    """The points of all visible shapes in the world."""
    solids = [each for each in scene.nodes if each.type_name not in ("WorldInfo", "Viewpoint")]
    keep = ("Box", "Sphere", "Cylinder", "Cone", "IndexedFaceSet", "ElevationGrid")
    for solid in scene.walk():
        if solid.is_a("Solid"):
            solid.unset("boundingObject")
    return [(each.what, each.points) for each in things(solids, "model") if each.what in keep]


def assert_same_points(first: Scene, second: Scene) -> None:
    a, b = shapes(first), shapes(second)
    assert [name for name, _ in a] == [name for name, _ in b]
    for (name, points), (_, others) in zip(a, b, strict=True):
        assert len(points) == len(others)
        for point in points:
            assert np.linalg.norm(others - point, axis=1).min() < 1e-9, name


def test_nodes_keep_the_axes_of_the_file_and_the_model_turns_them() -> None:
    scene = read(f'<Transform translation="1 2 3" rotation="0 1 0 0.5">{BOX}</Transform>')
    (pose,) = scene.nodes[1:]
    assert (pose["translation"], pose["rotation"]) == ((1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 0.5))
    frame = pose_of(pose)
    assert frame.position == (3.0, 1.0, 2.0)
    assert frame.rotation == pytest.approx(rotation_from_axis_angle((0.0, 0.0, 1.0, 0.5)), abs=1e-15)
    (solid,) = pose["children"]
    assert solid["boundingObject"]["size"] == solid["children"][0]["geometry"]["size"] == (1.0, 2.0, 3.0)
    to_current_axes(scene)
    assert (pose["translation"], pose["rotation"]) == ((3.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.5))
    assert solid["boundingObject"]["size"] == solid["children"][0]["geometry"]["size"] == (3.0, 1.0, 2.0)


def test_as_text_a_scene_keeps_its_axes() -> None:
    """As undo, reset and snapshots have it."""
    scene = read(ROBOT + f'<Transform translation="1 2 3" rotation="0 1 0 0.5">{BOX}</Transform>')
    text = write_scene(scene)
    again = scene_from_text(text, "a.wbt")
    assert write_scene(again) == text and again.axes == scene.axes
    expected = {node.path(): node.axes for node in scene.walk()}
    assert {node.path(): node.axes for node in again.walk()} == expected


def test_nodes_that_come_into_a_scene_and_its_saved_text_have_its_axes(tmp_path: Path) -> None:
    sim = Simulation(read(ROBOT))
    sim.supervisor.import_text('Solid { name "new" translation 1 2 3 boundingObject Cylinder { } }')
    new = sim.scene.nodes[-1]
    assert new["translation"] == (1.0, 2.0, 3.0) and sim.supervisor.pose(new).position == (3.0, 1.0, 2.0)
    assert sim.supervisor.pose(new).apply((0.0, 0.0, 1.0)) == (3.0, 1.0, 3.0)
    file = tmp_path / "saved.wbt"
    sim.supervisor.save(file)
    again = Simulation(load_scene(file))
    for name in ("new", "r"):
        poses = [
            one.supervisor.pose(next(each for each in one.scene.nodes if each.fields.get("name") == name))
            for one in (sim, again)
        ]
        assert poses[0] == poses[1]


@pytest.mark.parametrize(
    ("x3d", "points"),
    [
        ('<Cylinder radius="0.5" height="2"/>', [(0.5, 0.5, 1.0), (0.5, 0.5, -1.0)]),
        ('<Cone bottomRadius="0.5" height="2"/>', [(0.0, 0.0, 1.0), (0.5, 0.5, -1.0)]),
        ('<Sphere radius="0.5"/>', [(0.0, 0.0, 0.5)]),
        (
            '<IndexedFaceSet coordIndex="0 1 2 -1"><Coordinate point="0 0 0, 1 2 3 4 5 6"/></IndexedFaceSet>',
            [(0.0, 0.0, 0.0), (3.0, 1.0, 2.0), (6.0, 4.0, 5.0)],
        ),
        (
            '<TriangleSet><Coordinate point="0 0 0 1 2 3 4 5 6"/></TriangleSet>',
            [(3.0, 1.0, 2.0), (6.0, 4.0, 5.0)],
        ),
        (
            '<ElevationGrid xDimension="2" zDimension="3" xSpacing="1" zSpacing="2" height="0 1 2 3 4 5"/>',
            [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (2.0, 0.0, 2.0), (4.0, 1.0, 5.0)],
        ),
    ],
)
def test_every_geometry_stands_where_the_file_says(x3d: str, points: list[tuple[float, ...]]) -> None:
    ((_, found),) = shapes(read(SHAPE.format(x3d)))
    for point in points:
        assert np.linalg.norm(found - point, axis=1).min() < 1e-9


def test_what_collides_is_a_solid_and_what_is_told_not_to_is_none() -> None:
    scene = read(f'{BOX}<Collision enabled="false">{BOX}</Collision><Shape><Cone/></Shape>')
    solid, group, cone = scene.nodes[1:]
    assert (solid.type_name, group["children"][0].type_name, cone.type_name) == ("Solid", "Shape", "Shape")
    Simulation(scene).run(0.1)


def test_a_scale_is_seen_and_does_not_collide() -> None:
    scene = read(f'<Transform scale="1 2 3">{BOX}</Transform>')
    ((_, points),) = shapes(scene)
    np.testing.assert_allclose(np.ptp(points, axis=0), (9.0, 1.0, 4.0))
    assert "is seen, and does not collide" in str(scene.warnings[0])
    Simulation(scene)


def test_a_transform_about_a_centre() -> None:
    """T C R SR S -SR -C, worked out with matrices (X3D, Transform)."""
    text = (
        '<Transform translation="1 0 0" center="0 1 0" rotation="0 0 1 1" scale="2 1 1" '
        f'scaleOrientation="0 0 1 0.5">{BOX}</Transform>'
    )
    ((_, points),) = shapes(read(text))

    def turn(angle: float) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    matrix = turn(1.0) @ turn(0.5) @ np.diag([2, 1, 1]) @ turn(-0.5)
    corner = matrix @ (np.array([0.5, 1.0, 1.5]) - (0, 1, 0)) + (0, 1, 0) + (1, 0, 0)
    assert np.linalg.norm(points - corner[[2, 0, 1]], axis=1).min() < 1e-9


def test_def_and_use() -> None:
    text = f'<Transform DEF="A" translation="1 0 0">{BOX}</Transform>'
    text += '<Transform translation="0 1 0"><Group USE="A"/></Transform>'
    scene = read(text)
    first, second = shapes(scene)
    np.testing.assert_allclose(second[1] - first[1], np.tile((0.0, 0.0, 1.0), (8, 1)))


def test_looks_are_kept_and_written_once() -> None:
    look = '<Appearance DEF="RED"><Material diffuseColor="1 0 0" shininess="24"/></Appearance>'
    scene = read(SHAPE.format(look + "<Box/>") + SHAPE.format('<Appearance USE="RED"/><Sphere/>'))
    first, second = (solid["children"][0]["appearance"] for solid in scene.nodes[1:])
    assert first["material"]["diffuseColor"] == (1.0, 0.0, 0.0) and first["material"]["shininess"] == 1.0
    assert second.use_name == "RED"
    assert "USE RED" in write_scene(scene)


def test_pictures_lie_as_they_did() -> None:
    """A textured box keeps its own axes."""
    scene = read(SHAPE.format('<Appearance><ImageTexture url=\'"a.png"\'/></Appearance><Box size="1 2 3"/>'))
    to_current_axes(scene)
    pose = scene.nodes[1]["children"][0]
    assert pose.type_name == "Pose" and pose["children"][0]["geometry"]["size"] == (1.0, 2.0, 3.0)


def test_lights_views_and_background() -> None:
    scene = read(
        '<SpotLight location="1 2 3" direction="0 -1 0" on="false"/><DirectionalLight/>'
        '<Viewpoint position="1 2 3"/><Background skyColor="0 0 1 1 1 1"/>'
    )
    _, view, background, spot, light = scene.nodes
    assert vector_of(spot, "location") == (3.0, 1.0, 2.0) and not spot["on"]
    assert vector_of(spot, "direction") == (0.0, 0.0, -1.0)
    assert world_vector_of(light, "direction") == (-1.0, 0.0, 0.0)
    assert background["skyColor"] == [(0.0, 0.0, 1.0)]
    look = view_of(view)
    assert look.apply((1.0, 0.0, 0.0)) == pytest.approx((2.0, 1.0, 2.0)), "along -z there, along -x here"
    assert look.apply((0.0, 0.0, 1.0)) == pytest.approx((3.0, 1.0, 3.0))


def test_unknown_nodes_are_told_once_each() -> None:
    scene = read("<Text/><TimeSensor/><Text/>" + SHAPE.format("<Text/>") + "<NavigationInfo/>")
    assert [str(each) for each in scene.warnings] == [
        "a.x3d:2:1: Text is not read",
        "a.x3d:2:8: TimeSensor is not read",
    ]


def test_switches_and_levels_of_detail() -> None:
    sphere = "<Shape><Sphere/></Shape>"
    scene = read(
        f'<Switch whichChoice="1">{BOX}{sphere}</Switch><LOD>{BOX}{sphere}</LOD><Switch>{BOX}</Switch>'
    )
    assert [name for name, _ in shapes(scene)] == ["Sphere", "Box"]


def test_vrml97_says_the_same() -> None:
    text = (
        VRML
        + """
PROTO Thing [ field SFFloat a 1 ] { Shape { geometry Sphere { } } }
EXTERNPROTO Other [ field SFFloat b ] "other.wrl"
DEF A Transform { translation 1 2 3 rotation 0 1 0 0.5 children [
  Shape { appearance Appearance { material Material { diffuseColor 1 0 0 } } geometry Box { size 1 2 3 } }
  DEF T TimeSensor { cycleInterval 3 loop TRUE }
  Script { url "javascript: function f() { }" eventIn SFFloat x field SFNode n NULL }
] }
ROUTE T.fraction_changed TO A.set_translation
Transform { translation 0 1 0 children USE A }
Shape { geometry IndexedFaceSet { coordIndex [ 0, 1, 2, -1 ]
  coord Coordinate { point [ 0 0 0, 1 2 3, 4 5 6 ] } } }
"""
    )
    xml = read(
        f'<Transform DEF="A" translation="1 2 3" rotation="0 1 0 0.5">{BOX}</Transform>'
        '<Transform translation="0 1 0"><Group USE="A"/></Transform>'
        + SHAPE.format(
            '<IndexedFaceSet coordIndex="0 1 2 -1"><Coordinate point="0 0 0 1 2 3 4 5 6"/></IndexedFaceSet>'
        )
    )
    vrml = parse_x3d(text, "a.wrl")
    assert_same_points(vrml, xml)
    assert sorted(str(each).split(": ")[1] for each in vrml.warnings) == [
        "ROUTE is not read",
        "Script is not read",
        "TimeSensor is not read",
    ]


def test_what_is_wrong_with_vrml97_is_told_as_of_worlds() -> None:
    text = "Shape {\n geometry Box { size [ 1 } \n}\nDEF A 3\nShape { geometry IS x }"
    assert problems(VRML + text, "a.wrl") == [
        'a.wrl:3:26: "}", expected "]" for the "[" opened at 3:22',
        'a.wrl:5:7: "3", expected a node after DEF',
        'a.wrl:5:7: "3", expected a node',
        'a.wrl:6:18: "IS", expected a value: IS has a meaning inside a PROTO only',
    ]


def test_inline_reads_other_files_beside(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "box.wrl").write_text(VRML + "Shape { geometry Box { size 1 2 3 } }")
    (tmp_path / "parts" / "two.x3d").write_text(
        X3D.format('<Inline url=\'"http://example.org/a.x3d" "box.wrl"\'/><Inline url=\'"box.wrl"\'/>')
    )
    file = tmp_path / "all.x3d"
    file.write_text(X3D.format('<Transform translation="0 5 0"><Inline url="parts/two.x3d"/></Transform>'))
    scene = load_scene(file)
    assert [points[:, 2].mean() for _, points in shapes(scene)] == [5.0, 5.0]
    assert scene.warnings == []


def test_an_inline_of_itself_and_one_that_is_not_there(tmp_path: Path) -> None:
    a, b = tmp_path / "a.x3d", tmp_path / "b.x3d"
    a.write_text(X3D.format('<Inline url="b.x3d"/>'))
    b.write_text(X3D.format('<Inline url="a.x3d"/>'))
    with pytest.raises(SceneErrors, match=r'b.x3d:2:1: Inline of "a.x3d" within itself'):
        load_scene(a)
    b.unlink()
    with pytest.raises(SceneErrors, match=r'a.x3d:2:1: Inline of "b.x3d": no such file'):
        load_scene(a)
    a.write_text(X3D.format('<Inline url="https://example.org/a.x3d"/><Inline url="/etc/passwd"/>'))
    assert len(load_scene(a).warnings) == 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<Transform translation="1 2"/>', 'a.x3d:2:1: Transform.translation "1 2", expected 3 numbers'),
        ('<Transform translation="a b c"/>', 'a.x3d:2:1: Transform.translation "a b c", expected 3 numbers'),
        (
            '<Transform translation="nan 1 2"/>',
            'a.x3d:2:1: Transform.translation "nan 1 2", expected 3 numbers',
        ),
        (SHAPE.format('<Box size="1 -2 3"/>'), 'a.x3d:2:8: Box.size "1 -2 3", expected numbers above 0'),
        (SHAPE.format('<Sphere radius=""/>'), 'a.x3d:2:8: Sphere.radius "", expected 1 number'),
        ('<Collision enabled="maybe"/>', 'a.x3d:2:1: Collision.enabled "maybe", expected true or false'),
        ('<Group USE="A"/>', "a.x3d:2:1: USE of A, expected a name given by a DEF above"),
        (
            SHAPE.format(
                '<IndexedFaceSet coordIndex="0 1 9 -1"><Coordinate point="0 0 0"/></IndexedFaceSet>'
            ),
            'a.x3d:2:8: IndexedFaceSet.coordIndex "0 1 9 -1", expected numbers below 1, the number of points',
        ),
        (
            SHAPE.format('<ElevationGrid xDimension="2" zDimension="2" height="1 2 3"/>'),
            'a.x3d:2:8: ElevationGrid.height "1 2 3", expected 4 numbers',
        ),
        ("<Shape>", "a.x3d:3:3: mismatched tag, expected well-formed XML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(body: str, expected: str) -> None:
    assert problems(X3D.format(body)) == [expected]


def test_all_problems_are_told() -> None:
    assert len(problems(X3D.format('<Transform scale="1"/><Transform rotation="1"/>'))) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a.x3d:1:1: no element found, expected well-formed XML"),
        ("<Html/>", 'a.x3d:1:1: the element "Html", expected X3D'),
        ("<X3D/>", "a.x3d:1:1: an X3D without a Scene, expected one Scene"),
    ],
)
def test_other_files_are_refused(text: str, expected: str) -> None:
    assert problems(text) == [expected]


def test_vrml_of_other_versions_is_refused() -> None:
    expected = '"#VRML V2.0 utf8" (VRML97)'
    assert problems("#VRML V1.0 ascii\n", "a.wrl") == [f"a.wrl:1:1: another first line, expected {expected}"]
    assert problems(VRML + "Shape { geometry Box { size 1 2 } }\n}", "a.wrl")[0].startswith("a.wrl:3:1: ")


BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "entity bomb": f'<!DOCTYPE X3D [<!ENTITY a0 "x">{BOMB}]><X3D><Scene>&a9;</Scene></X3D>',
    "a file as entity": '<!DOCTYPE X3D [<!ENTITY x SYSTEM "file:///etc/passwd">]><X3D><Scene>&x;</Scene></X3D>',
    "parameter entity": '<!DOCTYPE X3D [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><X3D><Scene/></X3D>',
    "unknown entity": '<!DOCTYPE X3D SYSTEM "http://example.org/x.dtd"><X3D><Scene>&x;</Scene></X3D>',
    "depth": X3D.format("<Group>" * 100_000 + "</Group>" * 100_000),
    "elements": X3D.format("<Group/>" * 200_000),
    "doubling by USE": X3D.format(
        '<Group DEF="g0"><Shape><Box/></Shape></Group>'
        + "".join(
            f'<Group DEF="g{n}"><Group USE="g{n - 1}"/><Group USE="g{n - 1}"/></Group>' for n in range(1, 40)
        )
    ),
    "use of itself": X3D.format('<Group DEF="a"><Group USE="a"/></Group>'),
    "huge number": X3D.format('<Transform translation="1e999 0 0"/>'),
    "NUL": "<X3D>\0</X3D>",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_soon(text: str) -> None:
    start = time.process_time()
    assert len(problems(text)) == 1
    assert time.process_time() - start < 5.0


def test_a_doctype_without_entities_is_no_harm() -> None:
    doctype = '<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" "http://www.web3d.org/specifications/x3d-3.3.dtd">'
    assert parse_x3d(doctype + X3D.format(BOX), "a.x3d").nodes


ROBOT = """<World>
<Robot objectName="r" translation="0 0.2 0"><Solid mu="0.3"><Box size="1 0.2 1"/></Solid>
<Motor objectName="m" maxForce="2" minStop="-1" maxStop="1" translation="0.5 0 0" rotation="-1 0 0 0">
<Solid><Sphere radius="0.2"/></Solid></Motor>
<Motor maxForce="0" translation="0 0 -0.4"><Solid mu="0"><Sphere radius="0.1"/></Solid></Motor>
<DistanceSensor objectName="d" length="3" rotation="0 1 0 1.5707963267948966"/><GPS objectName="g"/></Robot>
</World>"""


def test_robots_of_a_world() -> None:
    scene = read(ROBOT)
    info, ground, robot = scene.nodes
    assert info["basicTimeStep"] == 5.0 and ground["boundingObject"].type_name == "Plane"
    assert pose_of(robot).position == (0.0, 0.0, 0.2) and robot["physics"]["density"] == 100.0
    joint, caster, sensor, gps = robot["children"]
    parameters = joint["jointParameters"]
    assert axis_in_frame(joint, 0) == (0.0, 1.0, 0.0) and anchor_in_frame(joint) == (0.0, 0.5, 0.0)
    assert (parameters["minStop"], parameters["maxStop"]) == (-1.0, 1.0)
    assert joint["device"][0]["maxTorque"] == 2.0
    assert caster.type_name == "Solid" and caster["contactMaterial"] == "mu 0"
    assert sensor["lookupTable"][1] == (3.0, 3.0, 0.0)
    assert pose_of(sensor).apply((1, 0, 0)) == pytest.approx((0, 1, 0)), "along +z there, turned about y"
    assert gps["name"] == "g"
    frictions = {
        (each["material1"], each["material2"]): each["coulombFriction"][0]
        for each in info["contactProperties"]
    }
    assert frictions[("mu 0.3", "floor")] == 0.3 and frictions[("mu 0", "default")] == 0.0
    sim = Simulation(scene)
    sim.run(1.0)
    assert sim.robot("r")["g"].value[2] == pytest.approx(0.15, abs=0.06)


def test_a_sensor_that_sees_nothing_long_is_refused() -> None:
    text = '<World><Robot><DistanceSensor length="0"/></Robot></World>'
    assert problems(X3D.format(text)) == ['a.x3d:2:15: DistanceSensor.length "0", expected a number above 0']


SCENE = """#VRML_SIM R2025a utf8
WorldInfo { title "t" info [ "a \\"b\\"" "c" ] }
Viewpoint { position -5 1 2 orientation 0 1 0 0.3 }
PointLight { location 1 2 3 }
DEF T Transform { translation 1 2 3 rotation 1 1 0 0.5 scale 1 2 3 children [
  Shape { appearance PBRAppearance { baseColor 1 0 0 } geometry Box { size 1 2 3 } }
  Shape { geometry Cylinder { radius 0.5 height 2 } }
  Shape { geometry Cone { } } Shape { geometry Sphere { } }
] }
Robot { translation 0 0 1 rotation 0 0 1 1 children [
  HingeJoint { endPoint Solid { translation 0 1 0 children Shape { geometry Cylinder { } } } }
  Shape { geometry ElevationGrid { xDimension 2 yDimension 3 ySpacing 2 height [ 0 1 2 3 4 5 ] } }
  Shape { geometry IndexedFaceSet {
    coord Coordinate { point [ 0 0 0 1 2 3 4 5 6 ] } coordIndex [ 0 1 2 -1 ] } }
] }
"""


@pytest.mark.parametrize(("write", "file"), [(write_x3d, "a.x3d"), (write_vrml, "a.wrl")])
def test_what_is_written_is_read_at_the_same_places(write, file: str) -> None:  # type: ignore[no-untyped-def]
    scene = parse_scene(SCENE)
    text, warnings = write(scene)
    again = parse_x3d(text, file)
    assert warnings == []
    assert again.world_info["title"] == "t" and again.world_info["info"] == ['a "b"', "c"]
    views = [next(each for each in one.nodes if each.type_name == "Viewpoint") for one in (scene, again)]
    first, second = map(view_of, views)
    assert first.position == pytest.approx(second.position)
    assert first.rotation == pytest.approx(second.rotation)
    lights = [
        next(each.points for each in things(one.nodes, "model") if each.what == "PointLight")
        for one in (scene, again)
    ]
    np.testing.assert_allclose(*lights, atol=1e-12)
    assert_same_points(scene, again)


def test_planes_and_capsules_are_written_as_what_the_formats_have() -> None:
    scene = parse_scene(
        "#VRML_SIM R2025a utf8\nShape { geometry Plane { size 4 6 } } "
        "Shape { geometry Capsule { radius 1 height 4 } } "
        'Shape { geometry Mesh { url "a.stl" } }'
    )
    text, warnings = write_x3d(scene)
    plane, tube, top, bottom = shapes(parse_x3d(text, "a.x3d"))
    np.testing.assert_allclose(np.ptp(plane[1], axis=0), (4.0, 6.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(np.ptp(tube[1], axis=0), (2.0, 2.0, 4.0), atol=1e-12)
    assert top[1][:, 2].max() == pytest.approx(3.0) and bottom[1][:, 2].min() == pytest.approx(-3.0)
    assert [str(each) for each in warnings] == ["<string>:2:105: Mesh has no form in X3D and is left out"]


def test_visible_shapes_of_scenery_are_all_there() -> None:
    scene = read(BOX * 3)
    assert len(WorldModel(scene).visible.records) == 3


BALL = """<World basicTimeStep="1"><Transform objectName="ball" translation="0 {height} 0">
<Solid mass="2" {says}><Sphere radius="0.1"/></Solid></Transform></World>"""


def test_a_ball_bounces_as_its_solid_says() -> None:
    """From h it rises to e²·h (restitution e: the ratio of the speeds after and before)."""
    scene = read(BALL.format(height=1.1, says='bounce="0.8"'))
    sim = Simulation(scene)
    (ball,) = [node for node in scene.walk() if node.is_a("Solid") and node["name"] == "ball"]
    heights = []
    while sim.time < 1.2:
        sim.step()
        heights.append(sim.physics.frame(ball.id).pose().position[2] - 0.1)
    touched = int(np.argmin(heights))
    assert max(heights[touched:]) == pytest.approx(0.64, abs=0.01)
    assert sim.physics.frame(ball.id).pose().position[:2] == pytest.approx((0.0, 0.0))


@pytest.mark.parametrize(("erp", "cfm"), [(0.2, 1e-3), (0.1, 1e-2)])
def test_a_soft_ball_sinks_in_as_far_as_its_erp_and_cfm_say(erp: float, cfm: float) -> None:
    """A contact is a spring of k = ERP/(h·CFM) (ODE manual, How To Use ERP and CFM): a weight: m·g/k deep."""
    scene = read(BALL.format(height=0.1, says=f'erp="{erp}" cfm="{cfm}"'))
    sim = Simulation(scene)
    (ball,) = [node for node in scene.walk() if node.is_a("Solid") and node["name"] == "ball"]
    sim.run(1.0)
    depth = 0.1 - sim.physics.frame(ball.id).pose().position[2]
    assert depth == pytest.approx(2.0 * 9.81 * 0.001 * cfm / erp, rel=0.02)


def test_solids_that_say_other_things_are_parts_of_one_body() -> None:
    scene = read(
        '<World><Robot objectName="r"><Solid density="1000"><Box size="1 1 1"/></Solid>'
        '<Transform translation="0 1 0"><Solid mass="3" mu="0.2" bounce="0.5"><Box size="1 1 1"/></Solid>'
        "</Transform></Robot></World>"
    )
    *_, robot = scene.nodes
    (_, part) = robot["children"]
    assert (robot["physics"]["density"], robot["contactMaterial"]) == (1000.0, "hull")
    assert (part["physics"]["mass"], part["contactMaterial"]) == (3.0, "mu 0.2 bounce 0.5")
    body = Simulation(scene).physics.frame(robot.id)
    assert body is not None
    rows = {
        frozenset((each["material1"], each["material2"])): (each["coulombFriction"], each["bounce"])
        for each in scene.world_info["contactProperties"]
    }
    assert rows[frozenset(("mu 0.2 bounce 0.5", "floor"))] == ([0.2], 0.5)
    assert rows[frozenset(("mu 0.2 bounce 0.5", "hull"))] == ([0.1], 0.5)


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ('bounce="1.5"', 'Solid.bounce "1.5", expected 0 to 1'),
        ('mu="-1"', 'Solid.mu "-1", expected 0 or more'),
        ('density="0"', 'Solid.density "0", expected a number above 0'),
    ],
)
def test_what_no_solid_can_be_is_refused(says: str, expected: str) -> None:
    text = f"<World><Transform><Solid {says}><Sphere/></Solid></Transform></World>"
    assert problems(X3D.format(text)) == [f"a.x3d:2:19: {expected}"]


WORLD = """<WorldInfo title="all" info='"a" "b c"'/><Viewpoint position="1 2 3" description="from here"/>
<World basicTimeStep="2" runRealTime="TRUE"><Group><Transform DEF="W" translation="0 1 2"><Shape>
<Appearance DEF="RED"><Material diffuseColor="1 0 0"/><ImageTexture url='"a.png"'/></Appearance><Box/></Shape>
<Solid mu="0.5" erp="0.3" cfm="0.01"><Box size="1 2 3"/><Sphere/></Solid></Transform></Group>
<Transform objectName="ball"><Solid mass="2" bounce="0.8"><Sphere radius="0.1"/></Solid></Transform>
<Robot DEF="R" objectName="r" translation="0 3 0" controller="c" synchronization="FALSE" centerOfMass="0 1 0">
<Transform translation="0 0 1"><Solid><Box/></Solid><Shape><Appearance USE="RED"/><Box/></Shape></Transform>
<Solid density="50" mu="0.2"><Cylinder/></Solid><Solid mass="1"><Box size="1 1 1"/><Sphere/></Solid>
<Motor objectName="m" maxForce="3" minStop="-1" maxStop="1" translation="1 0 0" rotation="-1 0 0 0.3">
<Transform rotation="0 0 1 1.5"><Solid density="9"><Cylinder/></Solid><Shape><Cylinder/></Shape></Transform>
<GPS objectName="on the wheel"/></Motor>
<Motor maxForce="0" translation="0 0 1"><Motor maxForce="0" objectName="caster"><Solid mu="0"><Sphere/>
</Solid></Motor></Motor><DistanceSensor objectName="d" length="3" rotation="0 1 0 1"><Shape><Sphere/></Shape>
</DistanceSensor></Robot><PointLight location="1 2 3" on="false"/></World>"""
SCENERY = (
    f'<Transform DEF="A" translation="1 2 3" scale="1 2 3" center="1 0 0">{BOX}</Transform>{BOX}'
    f'<Collision enabled="false">{BOX}</Collision><Shape DEF="B"><Cone/></Shape><Fog visibilityRange="9"/>'
    '<Shape><Appearance><PhysicalMaterial metallic="0.5"/></Appearance><IndexedFaceSet coordIndex="0 1 2 -1">'
    '<Coordinate point="0 0 0 1 0 0 0 1 0"/></IndexedFaceSet></Shape><Background skyColor="0 0 1"/>'
    '<Shape><ElevationGrid xDimension="2" zDimension="2" height="0 1 2 3"/></Shape>'
)


@pytest.mark.parametrize("body", [WORLD, SCENERY], ids=["world", "scenery"])
@pytest.mark.parametrize(("write", "file"), [(write_x3d, "a.x3d"), (write_vrml, "a.wrl")])
def test_what_was_read_is_written_without_loss(body: str, write, file: str) -> None:  # type: ignore[no-untyped-def]
    scene = read(body)
    text, warnings = write(scene)
    again = parse_x3d(text, file)
    assert warnings == []
    assert [each.found for each in again.warnings] == [each.found for each in scene.warnings]
    assert write_scene(again) == write_scene(scene)


def test_a_wheel_behind_slots_is_a_motor() -> None:
    plain, scene = read(WORLD), read(WORLD)
    (joint,) = (node for root in scene.nodes for node in root.walk() if node.is_a("HingeJoint"))
    inner, outer = Node.create("Slot"), Node.create("Slot")
    wheel, joint["endPoint"] = joint["endPoint"], outer
    outer["endPoint"], inner["endPoint"] = inner, wheel
    assert write_x3d(scene) == write_x3d(plain)


def test_what_x3d_has_no_word_for_is_told() -> None:
    scene = read(ROBOT)
    scene.nodes[-1]["children"] = [*scene.nodes[-1]["children"], Node.create("Camera")]
    _, warnings = write_x3d(scene)
    assert [each.found for each in warnings] == ["Camera has no form in X3D and is left out"]
