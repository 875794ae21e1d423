"""Rays against shapes: closed formulas, distance functions, and the rays of ODE."""

from __future__ import annotations

import math

import numpy as np
import pytest
from still_world import SceneFrame, StillWorld, cast

from sim_core.base.geometry import Pose, rotation_from_axis_angle
from sim_core.engines.ode.pyode import ode
from sim_core.model.appearance import infrared_factor
from sim_core.scene import Node, parse_scene
from sim_core.sensing.raycast.ray_scene import RayFilter, RayScene
from sim_core.sensing.rays import Rays

EXACT = 1e-12
HEADER = "#VRML_SIM R2025a utf8\n"


def ray_scene(text: str) -> RayScene:
    return RayScene(StillWorld(parse_scene(HEADER + text)))


def solid(geometry: str, fields: str = "") -> str:
    return f"Solid {{ {fields} boundingObject {geometry} }}"


def shape(geometry: str, fields: str = "") -> str:
    return f"Pose {{ {fields} children [ Shape {{ geometry {geometry} }} ] }}"


def one(scene: RayScene, origin, direction, visible: bool = False, max_range: float = math.inf):
    direction = np.array([direction], float)
    direction /= np.linalg.norm(direction)
    hits = cast(scene, np.array([origin], float), direction, max_range, None, visible)
    return hits.distances[0], hits.normals[0].tolist(), hits.shapes[0]


GEOMETRIES = {
    "Box": ("Box { size 0.6 1.0 1.4 }", "box"),
    "Sphere": ("Sphere { radius 0.7 }", "sphere"),
    "Cylinder": ("Cylinder { radius 0.5 height 1.2 }", "cylinder"),
    "Capsule": ("Capsule { radius 0.4 height 0.9 }", "capsule"),
    "Cone": ("Cone { bottomRadius 0.6 height 1.5 }", "cone"),
}


def outside(kind: str, p: np.ndarray) -> np.ndarray:
    """Return a function that is above 0 outside the shape, 0 on it, below 0 inside; p is (n, 3)."""
    x, y, z = p.T
    r = np.hypot(x, y)
    if kind == "box":
        return np.maximum.reduce([abs(x) - 0.3, abs(y) - 0.5, abs(z) - 0.7])
    if kind == "sphere":
        return np.sqrt(x * x + y * y + z * z) - 0.7
    if kind == "cylinder":
        return np.maximum(r - 0.5, abs(z) - 0.6)
    if kind == "capsule":
        return np.hypot(r, z - np.clip(z, -0.45, 0.45)) - 0.4
    slope = 0.6 / 1.5
    return np.maximum((r - slope * (0.75 - z)) / math.hypot(1.0, slope), -0.75 - z)


@pytest.mark.parametrize("visible", [False, True])
@pytest.mark.parametrize("name", GEOMETRIES)
def test_random_rays_end_on_the_surface_and_pass_nothing_before(name: str, visible: bool) -> None:
    geometry, kind = GEOMETRIES[name]
    rng = np.random.default_rng(7)
    pose = Pose((0.3, -0.2, 0.5), rotation_from_axis_angle((1.0, 2.0, -0.5, 1.1)))
    fields = "translation 0.3 -0.2 0.5 rotation 1 2 -0.5 1.1"
    text = shape(geometry, fields) if visible else solid(geometry, fields)
    targets = rng.uniform(-0.8, 0.8, (2000, 3))
    origins = rng.normal(size=(2000, 3))
    origins *= rng.uniform(2.0, 9.0, (2000, 1)) / np.linalg.norm(origins, axis=1, keepdims=True)
    directions = targets - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = cast(ray_scene(text), origins, directions, math.inf, None, visible)
    met = np.isfinite(hits.distances)
    assert 0.15 < met.mean() < 0.9
    rotation = np.array(pose.rotation).reshape(3, 3)

    def local(points: np.ndarray) -> np.ndarray:
        return (points - pose.position) @ rotation

    ends = origins[met] + hits.distances[met, None] * directions[met]
    assert np.abs(outside(kind, local(ends))).max() < 10 * EXACT
    assert (np.einsum("ij,ij->i", hits.normals[met], directions[met]) <= 0.0).all()
    assert np.abs(np.linalg.norm(hits.normals[met], axis=1) - 1.0).max() < EXACT
    # A little along the normal is outside, a little against it inside.
    assert (outside(kind, local(ends + 1e-7 * hits.normals[met])) > 0.0).all()
    for part in np.linspace(0.0, 1.0, 400, endpoint=False):
        reach = np.where(met, hits.distances, 12.0)[:, None]
        assert (outside(kind, local(origins + part * reach * directions)) > -1e-9).all()


@pytest.mark.parametrize("name", ["Box", "Sphere", "Cylinder", "Capsule"])
def test_rays_agree_with_those_of_ode_from_outside_and_from_inside(name: str) -> None:
    geometries = {
        "Box": ode.GeomBox(None, (0.6, 1.0, 1.4)),
        "Sphere": ode.GeomSphere(None, 0.7),
        "Cylinder": ode.GeomCylinder(None, 0.5, 1.2),
        "Capsule": ode.GeomCapsule(None, 0.4, 0.9),
    }
    rng = np.random.default_rng(3)
    origins = np.concatenate([rng.uniform(-0.2, 0.2, (200, 3)), rng.uniform(-2.0, 2.0, (600, 3))])
    directions = rng.normal(size=(800, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = cast(ray_scene(solid(GEOMETRIES[name][0])), origins, directions)
    assert np.isfinite(hits.distances[:200]).all()
    for origin, direction, distance, normal in zip(
        origins.tolist(), directions.tolist(), hits.distances, hits.normals, strict=True
    ):
        ray = ode.GeomRay(None, 1e5)  # short rays out of a capsule's end are missed by ODE
        ray.set(origin, direction)
        contacts = ode.collide(ray, geometries[name])
        if contacts:
            _, theirs, depth, *_ = contacts[0].getContactGeomParams()
            assert distance == pytest.approx(depth, abs=1e-9)
            assert abs(np.dot(normal, theirs)) == pytest.approx(1.0, abs=1e-6)
        else:
            assert distance == math.inf


def test_closed_formulas() -> None:
    box = ray_scene(solid("Box { size 2 2 2 }", "rotation 0 0 1 0.7853981633974483"))
    distance, normal, _ = one(box, (-5, 0, 0), (1, 0, 0))
    assert distance == pytest.approx(5 - math.sqrt(2), abs=EXACT)
    sphere = ray_scene(solid("Sphere { radius 0.5 }"))
    distance, normal, _ = one(sphere, (-5, 0.3, 0), (1, 0, 0))
    assert distance == pytest.approx(5 - 0.4, abs=EXACT)
    assert normal == pytest.approx([-0.8, 0.6, 0.0], abs=EXACT)
    plane = ray_scene(solid("Plane { size 1 1 }"))
    distance, normal, _ = one(plane, (100, 0, 2), (3, 0, -4))
    assert distance == pytest.approx(2.5, abs=EXACT)
    assert normal == pytest.approx([0, 0, 1], abs=EXACT)
    cylinder = ray_scene(solid("Cylinder { radius 1 height 2 }"))
    assert one(cylinder, (0.3, 0, 5), (0, 0, -1))[:2] == (pytest.approx(4), pytest.approx([0, 0, 1]))
    assert one(cylinder, (-3, 0.6, 0), (1, 0, 0))[0] == pytest.approx(3 - 0.8, abs=EXACT)
    capsule = ray_scene(solid("Capsule { radius 0.5 height 2 }"))
    assert one(capsule, (0.3, 0, 5), (0, 0, -1))[0] == pytest.approx(5 - 1.4, abs=EXACT)
    cone = ray_scene(shape("Cone { bottomRadius 1 height 2 }"))
    assert one(cone, (-5, 0, 0), (1, 0, 0), visible=True)[0] == pytest.approx(4.5, abs=EXACT)
    assert one(cone, (0.3, 0, -3), (0, 0, 1), visible=True)[0] == pytest.approx(2.0, abs=EXACT)
    assert one(cone, (0, 0, 4), (0, 0, -1), visible=True)[0] == pytest.approx(3.0, abs=EXACT)
    # Parallel to the side x = (1 - z) / 2, half a metre outside and inside of it.
    assert one(cone, (2.5, 0, -3), (-1, 0, 2), visible=True)[0] == math.inf
    assert one(cone, (1.5, 0, -3), (-1, 0, 2), visible=True)[0] == pytest.approx(math.sqrt(5), abs=EXACT)


def test_a_ray_ends_at_its_range() -> None:
    scene = ray_scene(solid("Sphere { radius 1 }"))
    assert one(scene, (-3, 0, 0), (1, 0, 0), max_range=2.0)[0] == 2.0
    assert one(scene, (-3, 0, 0), (1, 0, 0), max_range=1.999999)[0] == math.inf
    assert one(scene, (-3, 0, 0), (1, 0, 0), max_range=1.999999)[1:] == ([0.0, 0.0, 0.0], -1)
    assert one(scene, (-3, 0, 0), (-1, 0, 0))[0] == math.inf


def test_from_inside_a_bounding_object_is_met_on_the_way_out_a_visible_shape_not_at_all() -> None:
    for geometry, exit_at in (
        ("Box { size 2 2 2 }", 1.0),
        ("Sphere { radius 1.5 }", 1.5),
        ("Cylinder { radius 1.5 height 1 }", 1.5),
    ):
        distance, normal, _ = one(ray_scene(solid(geometry)), (0, 0, 0), (1, 0, 0))
        assert distance == pytest.approx(exit_at, abs=EXACT)
        assert normal == pytest.approx([-1, 0, 0], abs=EXACT)
        assert one(ray_scene(shape(geometry)), (0, 0, 0), (1, 0, 0), visible=True)[0] == math.inf
    behind = solid("Box { size 2 2 2 }") + solid("Box { size 1 1 1 }", 'name "b" translation 3 0 0')
    assert one(ray_scene(behind), (0, 0, 0), (1, 0, 0))[0] == pytest.approx(1.0, abs=EXACT)


def test_a_plane_is_a_half_space_for_collision_and_a_one_sided_rectangle_to_the_eye() -> None:
    bounding = ray_scene(solid("Plane { size 2 2 }"))
    visible = ray_scene(shape("Plane { size 2 2 }"))
    assert one(bounding, (50, 0, 1), (0, 0, -1))[0] == 1.0
    assert one(bounding, (0, 0, -1), (0, 0, 1))[0] == 1.0
    assert one(bounding, (0, 0, -1), (0, 0, -1))[0] == math.inf
    assert one(bounding, (0, 0, -1), (1, 0, 0))[0] == math.inf
    assert one(visible, (0.9, 0.9, 1), (0, 0, -1), visible=True)[0] == 1.0
    assert one(visible, (1.1, 0.9, 1), (0, 0, -1), visible=True)[0] == math.inf
    assert one(visible, (0, 0, -1), (0, 0, 1), visible=True)[0] == math.inf


def test_the_nearest_of_many_is_met_and_named() -> None:
    text = "".join(
        solid("Sphere { radius 0.2 }", f'name "s{i}" translation {position} 0 0')
        for i, position in enumerate((5, 2, 7, 3))
    )
    scene = ray_scene(text)
    distance, _, index = one(scene, (0, 0, 0), (1, 0, 0))
    assert distance == pytest.approx(1.8, abs=EXACT)
    record = scene.table(RayFilter(visible=False)).records[index]
    assert record.solid is not None and scene.world.model.solid(record.solid).name == "s1"


def test_uneven_scale_is_met_exactly() -> None:
    fields = "translation 0 0 1 rotation 0 0 1 1.5707963267948966 scale 3 1 0.5"
    text = f"Transform {{ {fields} children [ Shape {{ geometry Sphere {{ radius 1 }} }} ] }}"
    scene = ray_scene(text)
    assert one(scene, (0, -9, 1), (0, 1, 0), visible=True)[0] == pytest.approx(6.0, abs=EXACT)
    assert one(scene, (-9, 0, 1), (1, 0, 0), visible=True)[0] == pytest.approx(8.0, abs=EXACT)
    distance, normal, _ = one(scene, (0, 1.8, 9), (0, 0, -1), visible=True)
    assert distance == pytest.approx(8 - 0.5 * 0.8, abs=EXACT)
    gradient = np.array([0.0, 1.8 / 9.0, 0.4 / 0.25])
    assert normal == pytest.approx((gradient / np.linalg.norm(gradient)).tolist(), abs=EXACT)


def test_face_sets_and_elevation_grids_are_met() -> None:
    points = "-1 -1 0.5, 1 -1 0.5, 1 1 0.5, -1 1 0.5"
    face = f"IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ 0 1 2 3 -1 ] }}"
    grid = "ElevationGrid { xDimension 3 yDimension 2 xSpacing 1 ySpacing 2 height [ 0 1 2 0 1 2 ] }"
    for visible, wrap in ((False, solid), (True, shape)):
        scene = ray_scene(wrap(face))
        assert one(scene, (0.9, -0.7, 3), (0, 0, -1), visible)[:2] == (2.5, [0.0, 0.0, 1.0])
        assert one(scene, (1.1, -0.7, 3), (0, 0, -1), visible)[0] == math.inf
        assert one(scene, (0, 0, -3), (0, 0, 1), visible)[0] == (math.inf if visible else 3.5)
        slope = ray_scene(wrap(grid))
        distance, normal, _ = one(slope, (1.25, 0.5, 9), (0, 0, -1), visible)
        assert distance == pytest.approx(9 - 1.25, abs=EXACT)
        assert normal == pytest.approx([-math.sqrt(0.5), 0, math.sqrt(0.5)], abs=EXACT)


ROBOTS = """
Robot { name "a" boundingObject Sphere { radius 0.3 } children [
  Solid { name "part" translation 1 0 0 boundingObject Box { size 0.2 1 1 }
    children [ Shape { geometry Box { size 0.2 1 1 } } ] } ] }
Robot { name "b" translation 3 0 0 boundingObject Sphere { radius 0.3 } }
"""


def test_a_robot_does_not_meet_its_own_bounding_objects_but_its_visible_shapes() -> None:
    scene = parse_scene(HEADER + ROBOTS)
    rays = RayScene(StillWorld(scene))
    a, b = (node for node in scene.walk() if node.is_a("Robot"))
    part = a["children"][0]
    origins, directions = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])
    assert cast(rays, origins, directions).distances[0] == pytest.approx(0.3)
    assert cast(rays, origins, directions, robot=a.id).distances[0] == pytest.approx(2.7)
    assert cast(rays, origins, directions, robot=b.id).distances[0] == pytest.approx(0.3)
    assert cast(rays, origins, directions, robot=a.id, visible=True).distances[0] == pytest.approx(0.9)
    batch = rays.batch()
    for carrier in (None, part.id):
        batch.add_rays(Rays(SceneFrame(part), origins - (0.5, 0, 0), directions, 9.0, a.id, True, carrier))
    batch.cast()
    assert batch.distances.tolist() == pytest.approx([0.4, math.inf])


def test_a_batch_gives_each_sensor_its_own_answers() -> None:
    scene = parse_scene(HEADER + ROBOTS)
    rays = RayScene(StillWorld(scene))
    a, b = (node for node in scene.walk() if node.is_a("Robot"))
    forward, back = np.array([[1.0, 0.0, 0.0]]), np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for _ in range(2):  # the second time the layout is known
        batch = rays.batch()
        first = batch.add_rays(Rays(SceneFrame(a), np.zeros((1, 3)), forward, 9.0, a.id))
        seen = batch.add_rays(Rays(SceneFrame(a), np.zeros((1, 3)), forward, 9.0, a.id, visible=True))
        second = batch.add_rays(Rays(SceneFrame(b), np.zeros((2, 3)), back, 9.0, b.id))
        batch.cast()
        assert batch.distances[first].tolist() == pytest.approx([2.7])
        assert batch.distances[seen].tolist() == pytest.approx([0.9])
        assert batch.distances[second].tolist() == pytest.approx([1.9, math.inf])
        record = batch.record(seen.start)
        assert record is not None and record.solid == a["children"][0].id
        assert batch.record(second.start + 1) is None


def test_moving_shapes_are_met_where_they_are_and_still_ones_after_refresh() -> None:
    scene = parse_scene(
        HEADER
        + solid("Sphere { radius 0.5 }", 'name "s" translation 4 0 0 physics Physics { }')
        + solid("Sphere { radius 0.5 }", 'name "w" translation 0 4 0')
    )
    rays = RayScene(StillWorld(scene))
    moving, still = scene.nodes
    origins = np.zeros((2, 3))
    directions = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert cast(rays, origins, directions).distances.tolist() == pytest.approx([3.5, 3.5])
    moving["translation"] = (6.0, 0.0, 0.0)
    still["translation"] = (0.0, 6.0, 0.0)
    assert cast(rays, origins, directions).distances.tolist() == pytest.approx([5.5, 3.5])
    rays.read_model()
    assert cast(rays, origins, directions).distances.tolist() == pytest.approx([5.5, 5.5])


def test_rays_of_a_carrier_move_with_it() -> None:
    scene = parse_scene(
        HEADER
        + """Robot { translation 1 0 0 rotation 0 0 1 1.5707963267948966 children [
          Pose { translation 0 0 0.5 children [
            DistanceSensor { translation 0.25 0 0 rotation 0 0 1 1.5707963267948966 } ] } ] }"""
        + solid("Sphere { radius 0.5 }", "translation -4 0.25 0.5")
    )
    robot = scene.nodes[0]
    sensor = next(node for node in scene.walk() if node.type_name == "DistanceSensor")
    rays = RayScene(StillWorld(scene))
    origins, directions = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])
    for x in (1.0, 3.0):
        robot["translation"] = (x, 0.0, 0.0)
        batch = rays.batch()
        for carrier in (None, sensor.id):
            batch.add_rays(Rays(SceneFrame(sensor), origins, directions, 9.0, robot.id, carrier=carrier))
        batch.cast()
        assert batch.distances.tolist() == pytest.approx([x + 3.5, x + 3.5], abs=EXACT)


def test_nothing_is_computed_without_rays() -> None:
    def frame_of(node: Node) -> SceneFrame:
        raise AssertionError("no frame is needed")

    scene = parse_scene(HEADER + ROBOTS)
    batch = RayScene(StillWorld(scene, frame_of)).batch()
    batch.cast()
    assert len(batch.distances) == 0


def test_reflectance_follows_the_formula() -> None:
    looks = (
        ("", 1.0),
        ("appearance Appearance { material Material { diffuseColor 0.5 1 1 } }", 0.2 + 0.8 * 0.5),
        ("appearance Appearance { material Material { transparency 0.25 } }", 0.2 + 0.8 * 0.8 * 0.75),
        ("appearance PBRAppearance { baseColor 0.5 0 0 roughness 0.4 }", 0.2 + 0.8 * 0.5 * 0.8),
    )
    for look, factor in looks:
        rays = ray_scene(f"Shape {{ {look} geometry Sphere {{ }} }}")
        batch = rays.batch()
        directions = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
        origins = np.full((2, 3), (-3.0, 0.0, 0.0))
        batch.add_rays(Rays(SceneFrame(Node.create("Pose")), origins, directions, 9.0, None, True))
        batch.cast()
        record = batch.record(0)
        assert record is not None and infrared_factor(record.appearance) == pytest.approx(factor)
        assert batch.record(1) is None


def test_fully_transparent_shapes_are_passed() -> None:
    text = (
        "Shape { appearance Appearance { material Material { transparency 1 } } geometry Sphere { } }"
        "Pose { translation 5 0 0 children [ Shape { geometry Sphere { } } ] }"
    )
    assert one(ray_scene(text), (-3, 0, 0), (1, 0, 0), visible=True)[0] == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("start", "bounding", "visible"),
    [
        (0.0, 1.0, 1.0),  # box from 1 to 2, sphere from 4 to 6
        (1.5, 2.0, 4.0),  # within the box: a bounding object is met on the way out
        (3.0, 4.0, 4.0),
        (5.0, 6.0, math.inf),
        (6.5, math.inf, math.inf),
    ],
)
def test_rays_may_start_later_than_at_their_origins(start: float, bounding: float, visible: float) -> None:
    box, ball = ("Box { size 1 1 1 }", "translation 1.5 0 0"), ("Sphere { radius 1 }", "translation 5 0 0")
    direction = np.array([[1.0, 0.0, 0.0]])
    for make, seen, expected in ((solid, False, bounding), (shape, True, visible)):
        batch = ray_scene(make(*box) + make(*ball)).new_batch()
        for origins in (np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.0]])):
            batch.clear()
            directions = np.repeat(direction, len(origins), axis=0)
            batch.add_rays(Rays(None, origins, directions, 9.0, None, seen, None, start))
            batch.cast()
            assert batch.distances[0] == pytest.approx(expected, abs=EXACT)


def test_many_rays_from_one_point_are_what_each_is_alone() -> None:
    """Rays of one origin share computations; the eye is inside one shape and behind others."""
    rng = np.random.default_rng(8)
    text = shape("Sphere { radius 0.4 }")
    for index, (geometry, _) in enumerate(list(GEOMETRIES.values()) * 6):
        x, y, z = rng.uniform(-3.0, 3.0, 3)
        text += shape(geometry, f"translation {x} {y} {z} rotation 1 2 3 {index}")
    scene = ray_scene(text)
    directions = rng.normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    together = cast(scene, np.full((500, 3), 0.05), directions, 8.0, None, True)
    apart = [cast(scene, np.full((1, 3), 0.05), each[None], 8.0, None, True) for each in directions]
    assert np.isfinite(together.distances).any()
    assert together.distances.tolist() == [hits.distances[0] for hits in apart]
    assert together.normals.tolist() == [hits.normals[0].tolist() for hits in apart]
    spread = np.full((500, 3), 0.05)
    spread[0, 0] += 0.5  # one ray from elsewhere: nothing is shared
    loose = cast(scene, spread, directions, 8.0, None, True)
    assert np.allclose(loose.distances[1:], together.distances[1:], atol=1e-12)
