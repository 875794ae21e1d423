"""Conversion of markers to shapes: sizes, colours, triangles, lines and poses of visualization_msgs."""

import numpy as np
import pytest
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.viewer.scene.drawables import MESHES, drawable_of, shape_pose_of
from ros_bridge.viewer.scene.scene_state import SceneState
from ros_bridge.viewer.scene.views import bounds, whole_world_view
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation


def make(kind: int, **values) -> Marker:
    marker = Marker(type=kind, color=ColorRGBA(r=1.0, g=0.5, b=0.0, a=0.25), **values)
    marker.scale.x, marker.scale.y, marker.scale.z = 1.0, 2.0, 3.0
    return marker


def points(*rows: tuple[float, float, float]) -> list[Point]:
    return [Point(x=float(x), y=float(y), z=float(z)) for x, y, z in rows]


@pytest.mark.parametrize(
    ("kind", "name"), [(Marker.CUBE, "box"), (Marker.SPHERE, "sphere"), (Marker.CYLINDER, "cylinder")]
)
def test_solids_keep_size_and_colour(kind, name):
    shape = drawable_of(make(kind))
    assert (shape.kind, shape.scale, shape.colour, shape.opacity) == (
        name,
        (1.0, 2.0, 3.0),
        (255, 128, 0),
        0.25,
    )


def test_triangles_keep_their_corners_and_drop_what_is_over():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (9, 9, 9)]
    shape = drawable_of(make(Marker.TRIANGLE_LIST, points=points(*corners)))
    np.testing.assert_array_equal(shape.points, corners[:3])
    assert drawable_of(make(Marker.TRIANGLE_LIST, points=points(*corners[:2]))) is None


def test_a_strip_of_lines_has_each_inner_point_twice():
    rows = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    shape = drawable_of(make(Marker.LINE_STRIP, points=points(*rows)))
    np.testing.assert_array_equal(shape.points, [rows[:2], rows[1:]])
    assert shape.width == 1.0
    assert shape.point_colours is None


def test_thin_ink_lets_white_paper_through():
    point_colours = [ColorRGBA(r=1.0, a=0.5), ColorRGBA(b=1.0, a=1.0)]
    marker = make(Marker.LINE_LIST, points=points((0, 0, 0), (1, 0, 0)), colors=point_colours)
    np.testing.assert_array_equal(drawable_of(marker).point_colours, [[[255, 128, 128], [0, 0, 255]]])


@pytest.mark.parametrize("kind", [Marker.LINE_LIST, Marker.LINE_STRIP])
@pytest.mark.parametrize("count", [0, 1])
def test_lines_without_length_are_nothing(kind, count):
    assert drawable_of(make(kind, points=points((0, 0, 0))[:count])) is None


def volume(corners: np.ndarray) -> float:
    """Return the volume of a closed body of triangles that are anticlockwise from outside."""
    a, b, c = corners.astype(float).reshape(-1, 3, 3).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def of_sides(sides: int) -> float:
    """Return the area of a polygon in a circle of diameter 1."""
    return sides * np.sin(2.0 * np.pi / sides) / 8.0


def test_arrows_have_the_length_and_widths_of_their_scale():
    """Shaft and cone: A·w²·(l - h) + A·W²·h/3."""
    area = of_sides(16)
    marker = make(Marker.ARROW)  # 1 m long, 2 m wide, 3 m high
    shape = drawable_of(marker)
    assert (shape.kind, shape.colour) == ("mesh", (255, 128, 0))
    assert volume(shape.points) == pytest.approx(2 * 3 * area * (0.77 + 4.0 * 0.23 / 3.0), rel=1e-5)
    np.testing.assert_allclose(np.ptp(shape.points, axis=0), (1.0, 4.0, 6.0), rtol=1e-6)
    marker.points = points((1, 1, 1), (1, 3, 1))
    marker.scale.x, marker.scale.y, marker.scale.z = 0.1, 0.3, 0.5
    shape = drawable_of(marker)
    assert volume(shape.points) == pytest.approx(area * (0.01 * 1.5 + 0.09 * 0.5 / 3.0), rel=1e-4)
    tip = shape.points[np.argmax(shape.points[:, 1])]
    np.testing.assert_allclose(tip, (1, 3, 1), atol=1e-6)
    assert drawable_of(make(Marker.ARROW, points=points((1, 1, 1)))) is None
    assert drawable_of(make(Marker.ARROW, points=points((1, 1, 1), (1, 1, 1)))) is None


def test_lists_of_boxes_and_of_points():
    point_colours = [ColorRGBA(r=1.0, a=1.0), ColorRGBA(b=1.0, a=1.0)]
    places = points((0, 0, 0), (5, 0, 0))
    shape = drawable_of(make(Marker.CUBE_LIST, points=places, colors=point_colours))
    assert volume(shape.points) == pytest.approx(2 * 6.0)
    np.testing.assert_array_equal(shape.point_colours[[0, 35, 36]], [[255, 0, 0], [255, 0, 0], [0, 0, 255]])
    for kind in (Marker.POINTS, Marker.SPHERE_LIST):
        shape = drawable_of(make(kind, points=places, colors=point_colours))
        assert (shape.kind, shape.width) == ("points", 1.0)
        np.testing.assert_array_equal(shape.points, [[0, 0, 0], [5, 0, 0]])
        assert drawable_of(make(kind)) is None


@pytest.mark.parametrize("count", [3, 1])
def test_triangles_have_the_colours_of_their_corners(count):
    point_colours = [ColorRGBA(r=1.0, a=1.0), ColorRGBA(g=1.0, a=1.0), ColorRGBA(b=1.0, a=1.0)]
    corners = points((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1))
    marker = make(
        Marker.TRIANGLE_LIST, points=corners, colors=point_colours * 2 if count == 3 else point_colours[:2]
    )
    wanted = np.vstack([np.eye(3)] * 2) if count == 3 else np.repeat(np.eye(3)[:2], 3, axis=0)
    np.testing.assert_array_equal(drawable_of(marker).point_colours, 255 * wanted)
    one = make(Marker.TRIANGLE_LIST, points=corners, colors=point_colours[:1] * 6)
    assert (drawable_of(one).point_colours, drawable_of(one).colour) == (None, (255, 0, 0))


def test_files_of_meshes_are_read_and_what_cannot_be_is_told_once(tmp_path, monkeypatch):
    import trimesh

    file = tmp_path / "a box.stl"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(file)
    told = []
    monkeypatch.setattr(MESHES, "warn", told.append)
    shape = drawable_of(make(Marker.MESH_RESOURCE, mesh_resource=file.as_uri()))
    assert volume(shape.points) == pytest.approx(6.0) and shape.scale == (1.0, 2.0, 3.0)
    held = make(Marker.MESH_RESOURCE, mesh_resource="embedded://box.stl")
    held.mesh_file.filename, held.mesh_file.data = "box.stl", file.read_bytes()
    assert volume(drawable_of(held).points) == pytest.approx(6.0)
    for name, words in (
        ("package://nowhere/a.stl", 'no package "nowhere"'),
        ((tmp_path / "none.stl").as_uri(), "No such file"),
        ("http://x/a.stl", "expected file: or package:"),
    ):
        for _ in range(2):
            assert drawable_of(make(Marker.MESH_RESOURCE, mesh_resource=name)) is None
        (line,) = told
        assert words in line and "\n" not in line
        told.clear()


def test_unknown_kinds_are_not_drawn():
    assert drawable_of(make(99)) is None


def test_a_place_has_w_first_and_no_turn_by_default():
    marker = make(Marker.CUBE)
    marker.pose.position.y = 4.0
    marker.pose.orientation.x, marker.pose.orientation.w = 0.6, 0.8
    assert shape_pose_of(marker).position == (0.0, 4.0, 0.0)
    assert shape_pose_of(marker).wxyz == (0.8, 0.6, 0.0, 0.0)
    marker.pose.orientation.x = marker.pose.orientation.w = 0.0
    assert shape_pose_of(marker).wxyz == (1.0, 0.0, 0.0, 0.0)


WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Solid { translation 1 2 0.5 rotation 0 0 1 1.5707963267948966
  children Shape { appearance PBRAppearance { baseColor 0 0 1 } geometry Box { size 4 2 1 } } }
Robot { name "r" translation 0 0 1 controller "void"
  children Shape { geometry Sphere { radius 0.25 } } }
"""


@pytest.fixture
def state() -> SceneState:
    from visualization_msgs.msg import MarkerArray

    message = MarkerArray()
    MarkersFiller(Simulation(parse_scene(WORLD))).fill(message, 0)
    found = SceneState()
    found.apply(message.markers)
    return found


def test_a_world_arrives_as_it_is(state):
    boxes, balls = ([item for (space, _), item in state.items() if space == name] for name in ("world", "r"))
    (box,), (ball,) = boxes, balls
    assert (box.shape.kind, box.shape.colour, box.place.position) == ("box", (0, 0, 255), (1.0, 2.0, 0.5))
    assert ball.shape.scale == (0.5, 0.5, 0.5)
    low, high = bounds(box)
    np.testing.assert_allclose((low, high), ((0, 0, 0), (2, 4, 1)), atol=1e-12)


def test_the_camera_looks_at_the_middle_of_the_world(state):
    boxes = [bounds(item) for _, item in state.items()]
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    found = whole_world_view({"low": low.tolist(), "high": high.tolist()})
    # x: ball from -0.25, box to 2; y: ball from -0.25, box to 4; z: box from 0, ball to 1.25
    np.testing.assert_allclose(found.target, (0.875, 1.875, 0.625), atol=1e-12)
    assert found.eye[2] > 1.25
    assert whole_world_view({}) is None
