"""Meshes and terrain collide, weigh and roll like the shapes that they approximate."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
import trimesh

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.geometry import rotation_from_axis_angle, yaw_of
from sim_core.engines.ode.world import PhysicsWorld
from sim_core.model import mass
from sim_core.model.world_model import WorldModel
from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets

G = 9.81


def face_set(mesh: trimesh.Trimesh, more: str = "") -> str:
    points = ", ".join(" ".join(map(repr, point)) for point in mesh.vertices.tolist())
    faces = " ".join(f"{a} {b} {c} -1" for a, b, c in mesh.faces.tolist())
    return f"IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ {faces} ] {more} }}"


def box_mesh(x: float, y: float, z: float) -> str:
    return face_set(trimesh.creation.box((x, y, z)))


def solid(name: str, place: str, shape: str, more: str = "", physics: str = "Physics { }") -> str:
    return f'Solid {{ name "{name}" translation {place} {more} boundingObject {shape} physics {physics} }}\n'


def still(shape: str, more: str = "") -> str:
    return f'Solid {{ name "ground" {more} boundingObject {shape} }}\n'


def grid(columns: int, rows: int, spacing: float, height: object, more: str = "") -> str:
    """Return an ElevationGrid of a function of x and y with the origin in its corner."""
    heights = " ".join(
        repr(float(height(i * spacing, j * spacing)))  # type: ignore[operator]
        for j in range(rows)
        for i in range(columns)
    )
    return (
        f"ElevationGrid {{ xDimension {columns} yDimension {rows} xSpacing {spacing} ySpacing {spacing} "
        f"height [ {heights} ] {more} }}"
    )


# --- mass of meshes ---------------------------------------------------------------------------------------


def test_a_box_as_a_mesh_weighs_what_the_box_weighs(lab) -> None:
    size = (0.3, 0.4, 0.5)
    triangles = trimesh.creation.box(size).triangles + np.array([1.0, -2.0, 3.0])
    own, box = mass.of_mesh(700.0, triangles), mass.of_box(700.0, size)
    assert own.mass == pytest.approx(box.mass)
    assert own.centre == pytest.approx((1.0, -2.0, 3.0))
    assert own.inertia == pytest.approx(box.inertia, abs=1e-9)
    inside_out = mass.of_mesh(700.0, triangles[:, ::-1])
    assert inside_out.mass == pytest.approx(box.mass)
    assert inside_out.inertia == pytest.approx(box.inertia, abs=1e-9)


def test_a_sphere_as_a_mesh_weighs_nearly_what_the_sphere_weighs() -> None:
    sphere = mass.of_sphere(1000.0, 0.2)
    # an icosphere lies inside the sphere: its volume is too small by a term of the square of its edges,
    # which are halved with each subdivision
    misses = []
    for subdivisions in (3, 4):
        own = mass.of_mesh(1000.0, trimesh.creation.icosphere(subdivisions, 0.2).triangles)
        misses.append(1.0 - own.mass / sphere.mass)
        assert own.centre == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
        assert own.inertia[0] == pytest.approx(own.inertia[4], rel=1e-9)
        # equal shapes: inertia goes with the mass to the power of 5/3
        assert own.inertia[8] / sphere.inertia[8] == pytest.approx(
            (own.mass / sphere.mass) ** (5 / 3), rel=1e-3
        )
    assert 0.0 < misses[1] < 0.003
    assert misses[0] / misses[1] == pytest.approx(4.0, rel=0.05)


def test_products_of_inertia_of_a_wedge() -> None:
    """Half of a box, cut along a diagonal plane: ∫ x z dV over 0 ≤ z ≤ c·x/a is b·a²·c²/8."""
    a, b, c = 0.6, 0.4, 0.3
    p = np.array([[0, 0, 0], [a, 0, 0], [a, 0, c], [0, b, 0], [a, b, 0], [a, b, c]])
    faces = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (0, 2, 5), (0, 5, 3)]
    own = mass.of_mesh(1.0, p[np.array(faces)])
    volume = a * b * c / 2
    assert own.mass == pytest.approx(volume)
    assert own.centre == pytest.approx((2 * a / 3, b / 2, c / 3))
    about_origin = -own.inertia[2] + own.mass * own.centre[0] * own.centre[2]
    assert about_origin == pytest.approx(a * a * b * c * c / 8)


def test_an_open_mesh_weighs_as_much_as_its_bounding_box_with_a_warning(lab) -> None:
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    box.update_faces(np.arange(10))
    world, _ = lab.make(solid("open", "0 0 1", face_set(box)))
    (body,) = world.masses()
    assert body.mass == pytest.approx(8.0)
    assert any("not closed" in str(warning) for warning in world.warnings)


# --- at rest ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1.0, 5.0, 16.0])
@pytest.mark.parametrize("ground", ["Plane { }", "Box { size 5 5 0.2 }", "mesh", "grid"])
def test_a_mesh_of_a_box_falls_and_rests_like_the_box(lab, ground: str, step: float) -> None:
    top = 0.0 if ground in ("Plane { }", "grid") else 0.1
    name, more = ground, f"translation 0 0 {-top}"
    if ground == "mesh":
        name = box_mesh(5, 5, 0.2)
    elif ground == "grid":
        name, more = grid(11, 11, 0.3, lambda x, y: 0.0), "translation -1.5 -1.5 0"
    ends = []
    for shape in (box_mesh(0.2, 0.2, 0.2), "Box { size 0.2 0.2 0.2 }"):
        world, scene = lab.make(
            still(name, more) + solid("box", "0.03 0.05 0.15", shape), step, contacts="stiff"
        )
        frame = world.frame(lab.solid(scene, "box").id)
        lab.run(world, 1.0)
        before = frame.pose()
        lab.run(world, 5.0)
        pose = frame.pose()
        if "Coordinate" in shape:
            assert math.dist(before.position, pose.position) < 1e-4
            assert pose.position[:2] == pytest.approx((0.03, 0.05), abs=2e-3)
            assert pose.rotation[8] > 1.0 - 1e-6
        ends.append(pose.position[2])
    assert ends[0] == pytest.approx(0.1, abs=1e-3)
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)


@pytest.mark.parametrize("place", ["0.02 0.01", "0 0", "0.08 -0.03"])
@pytest.mark.parametrize("upper", [(0.2, 0.2, 0.2), (0.6, 0.06, 0.2)])
def test_two_meshes_stand_on_each_other(lab, place: str, upper: tuple[float, float, float]) -> None:
    """Also with a plank lying across, none of whose corners is above the lower box."""
    shape = box_mesh(0.2, 0.2, 0.2)
    text = lab.floor + solid("low", "0 0 0.1", shape) + solid("high", f"{place} 0.3", box_mesh(*upper))
    world, scene = lab.make(text, 5.0, contacts="stiff")
    frames = [world.frame(lab.solid(scene, name).id) for name in ("low", "high")]
    lab.run(world, 1.0)
    before = [frame.pose().position for frame in frames]
    lab.run(world, 5.0)
    for frame, old, z in zip(frames, before, (0.1, 0.3), strict=True):
        assert math.dist(frame.pose().position, old) < 2e-4
        assert frame.pose().position[2] == pytest.approx(z, abs=2e-3)
        assert frame.pose().rotation[8] > 1.0 - 1e-4  # the side that carries more penetrates deeper


@pytest.mark.parametrize(
    ("shape", "rest"),
    [
        # one or two contacts carry them: they penetrate the most
        ("Sphere { radius 0.1 }", 0.0995),
        ("Capsule { radius 0.05 height 0.1 }", 0.0995),
        ("Cylinder { radius 0.1 height 0.1 }", 0.05),
        ("Box { size 0.2 0.1 0.1 }", 0.05),
    ],
)
@pytest.mark.parametrize("ground", ["mesh", "grid"])
def test_primitives_rest_on_meshes(lab, shape: str, rest: float, ground: str) -> None:
    """Also across the edges between coplanar triangles, which have no effect."""
    if ground == "mesh":
        floor = still(box_mesh(4, 4, 0.2), "translation 0 0 -0.1")
    else:
        floor = still(grid(41, 41, 0.1, lambda x, y: 0.0), "translation -2 -2 0")
    world, scene = lab.make(floor + solid("thing", f"0.03 0.05 {rest + 0.03}", shape), 5.0)
    frame = world.frame(lab.solid(scene, "thing").id)
    lab.run(world, 1.0)
    before = frame.pose().position
    assert before == pytest.approx((0.03, 0.05, rest), abs=1e-3)
    lab.run(world, 5.0)
    assert math.dist(before, frame.pose().position) < 1e-3


def test_a_mesh_of_many_triangles_rests_level(lab) -> None:
    """Thousands of its points touch the floor at once."""
    plate = trimesh.creation.box((0.4, 0.4, 0.05)).subdivide().subdivide().subdivide().subdivide()
    assert len(plate.faces) == 3072
    world, scene = lab.make(lab.floor + solid("plate", "0 0 0.05", face_set(plate)), 5.0)
    frame = world.frame(lab.solid(scene, "plate").id)
    lab.run(world, 3.0)
    assert frame.pose().position == pytest.approx((0.0, 0.0, 0.025), abs=1e-3)
    assert frame.pose().rotation[8] > 1.0 - 1e-6


# --- rolling and driving ------------------------------------------------------------------------------------


def ramp(slope: float) -> str:
    """Return a level block of 10 m × 4 m, tilted about y by the solid that contains it."""
    return still(box_mesh(10, 4, 0.2), f"rotation 0 1 0 {slope}")


@pytest.mark.parametrize("step", [1.0, 5.0, 16.0])
@pytest.mark.parametrize("ground", ["mesh", "grid"])
def test_a_ball_rolls_down_a_ramp_with_five_sevenths_of_g_sine(lab, ground: str, step: float) -> None:
    slope, radius = 0.2, 0.1
    if ground == "mesh":
        base = ramp(slope)
        start = np.array(rotation_from_axis_angle((0, 1, 0, slope))).reshape(3, 3) @ (-3.0, 0.013, 0.2)
    else:
        tan = math.tan(slope)
        base = still(grid(61, 21, 0.1, lambda x, y: -tan * x), "translation -3 -1 0")
        start = np.array([-2.5, 0.013, -0.5 * tan + radius / math.cos(slope)])
    text = base + solid("ball", " ".join(map(str, start)), f"Sphere {{ radius {radius} }}")
    world, scene = lab.make(text, step)
    frame = world.frame(lab.solid(scene, "ball").id)
    duration = 1.5
    lab.run(world, duration)
    run = math.dist(frame.pose().position, start)
    expected = 5 / 7 * G * math.sin(slope) * duration**2 / 2
    # a step's worth of motion more or less, and the first instant in which the contact is not loaded yet
    assert run == pytest.approx(expected, rel=0.01 + 2.5 * step / 1000 / duration)
    assert abs(frame.pose().position[1] - start[1]) < 1e-3
    spin = math.hypot(*frame.angular_velocity())
    assert spin * radius == pytest.approx(math.hypot(*frame.linear_velocity()), rel=0.01)


def test_a_ball_comes_to_rest_at_the_lowest_point_of_a_bowl(lab) -> None:
    bowl = grid(41, 41, 0.05, lambda x, y: 0.3 * ((x - 1.0) ** 2 + (y - 1.0) ** 2))
    damping = "Physics { damping Damping { linear 0.7 angular 0.7 } }"
    text = still(bowl) + solid("ball", "1.4 0.8 0.25", "Sphere { radius 0.1 }", physics=damping)
    world, scene = lab.make(text, 5.0)
    frame = world.frame(lab.solid(scene, "ball").id)
    lab.run(world, 12.0)
    x, y, z = frame.pose().position
    # the grid's points are 5 cm apart: the lowest one is the corner of four flat faces
    assert (x, y) == pytest.approx((1.0, 1.0), abs=0.01)
    assert z == pytest.approx(0.1, abs=2e-3)


@pytest.mark.parametrize("ground", ["level", "slope"])
def test_a_robot_drives_over_a_grid_at_the_kinematic_speed(lab, ground: str) -> None:
    """Straight up a slope of 10 degrees, across hundreds of edges, at omega·r."""
    slope = math.radians(10.0) if ground == "slope" else 0.0
    radius = 0.1
    terrain = still(grid(121, 61, 0.1, lambda x, y: math.tan(slope) * (x - 6.0)), "translation -6 -3 0")
    wheel = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }}
      endPoint Solid {{ name "wheel {y}" translation 0 {y} 0 rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder {{ height 0.04 radius 0.1 }} physics Physics {{ }} }} }}"""
    robot = f"""Robot {{ name "robot" translation {-math.sin(slope) * radius} 0 {math.cos(slope) * radius}
      rotation 0 1 0 {-slope} children [ {wheel.format(y=0.2)} {wheel.format(y=-0.2)}
        Solid {{ name "front" translation 0.25 0 -0.05 contactMaterial "smooth"
          boundingObject Sphere {{ radius 0.05 }} physics Physics {{ }} }}
        Solid {{ name "rear" translation -0.25 0 -0.05 contactMaterial "smooth"
          boundingObject Sphere {{ radius 0.05 }} physics Physics {{ }} }} ]
      boundingObject Pose {{ translation 0 0 0.05 children Box {{ size 0.5 0.3 0.05 }} }}
      physics Physics {{ }} }}"""
    world, scene = lab.make(terrain + robot, 5.0, lab.smooth)
    speed = 0.5
    for index in range(2):
        world.axis(lab.joint(scene, index=index).id).drive(speed / radius, 1e3)
    frame = world.frame(lab.solid(scene, "robot").id)
    lab.run(world, 1.0)
    before = frame.pose()
    lab.run(world, 4.0)
    after = frame.pose()
    assert math.dist(before.position, after.position) == pytest.approx(4.0 * speed, rel=0.005)
    assert abs(yaw_of(after.rotation)) < 2e-3
    assert math.asin(after.rotation[6]) == pytest.approx(slope, abs=2e-3)


def test_a_wheel_rests_on_a_ridge_that_crosses_its_way(lab) -> None:
    """No corner of the terrain is below its lowest point, and none of its faces is touched inside."""
    ridge = grid(21, 21, 0.1, lambda x, y: 0.3 - 0.5 * abs(x - 1.0))
    wheel = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
      endPoint Solid { name "wheel" rotation 1 0 0 1.5707963267948966
        boundingObject Cylinder { height 0.04 radius 0.1 } physics Physics { } } }"""
    text = (
        still(ridge)
        + f"""SliderJoint {{ jointParameters JointParameters {{ axis 0 0 1 }}
      endPoint Solid {{ name "slide" translation 1 1.03 0.45 children [ {wheel} ]
      boundingObject Pose {{ translation 0 0 1 children Box {{ size 0.1 0.1 0.1 }} }}
      physics Physics {{ }} }} }}"""
    )
    world, scene = lab.make(text, 5.0)
    frame = world.frame(lab.solid(scene, "wheel").id)
    lab.run(world, 2.0)
    assert frame.pose().position == pytest.approx((1.0, 1.03, 0.4), abs=2e-3)


# --- limits, files and reset --------------------------------------------------------------------------------


def test_a_body_below_a_terrain_comes_out_again(lab) -> None:
    text = still(grid(21, 21, 0.1, lambda x, y: 0.0), "translation -1 -1 0")
    text += solid("ball", "0.02 0.03 -0.05", "Sphere { radius 0.1 }")
    world, scene = lab.make(text, 5.0)
    frame = world.frame(lab.solid(scene, "ball").id)
    lab.run(world, 10.0)
    assert frame.pose().position[2] == pytest.approx(0.1, abs=2e-3)


def test_a_mesh_can_be_scaled_and_mirrored(lab) -> None:
    for scale in ("2 2 2", "-2 2 2"):
        shape = f"Transform {{ scale {scale} children Shape {{ geometry {box_mesh(0.1, 0.1, 0.1)} }} }}"
        world, scene = lab.make(lab.floor + solid("box", "0 0 0.12", shape), 5.0)
        lab.run(world, 2.0)
        assert world.frame(lab.solid(scene, "box").id).pose().position[2] == pytest.approx(0.1, abs=1e-3)
        assert [body.mass for body in world.masses()] == [pytest.approx(8.0)]


def test_a_mesh_file_collides_and_a_missing_one_is_an_error(lab, tmp_path) -> None:
    (tmp_path / "box.stl").write_bytes(trimesh.creation.box((0.2, 0.2, 0.2)).export(file_type="stl"))
    text = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 5 }\n" + lab.floor
    good = text + solid("box", "0 0 0.12", 'Mesh { url "box.stl" }')
    scene = parse_scene(good, str(tmp_path / "w.wbt"), Assets(cache=tmp_path))
    world = PhysicsWorld(WorldModel(scene))
    lab.run(world, 2.0)
    assert world.frame(lab.solid(scene, "box").id).pose().position[2] == pytest.approx(0.1, abs=1e-3)
    bad = good.replace("box.stl", "sphere.stl")
    with pytest.raises(SceneError, match=r'Mesh.url "sphere.stl": no such file; looked for at .*sphere\.stl'):
        PhysicsWorld(WorldModel(parse_scene(bad, str(tmp_path / "w.wbt"), Assets(cache=tmp_path))))
    skipped = parse_scene(bad, str(tmp_path / "w.wbt"), Assets(cache=tmp_path), skip_missing=True)
    told = [*skipped.warnings, *PhysicsWorld(WorldModel(skipped)).warnings]
    assert sum("sphere.stl" in str(warning) for warning in told) == 1


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (grid(2, 2, 0.1, lambda x, y: 0.0, "thickness -1"), "ElevationGrid.thickness -1"),
        (box_mesh(3e9, 1, 1), "coordinates beyond 1e"),
        (f"Transform {{ scale 0 1 1 children {box_mesh(1, 1, 1)} }}", "below a scale of 0"),
    ],
)
def test_invalid_values_are_refused(lab, shape: str, text: str) -> None:
    with pytest.raises((SceneError, SceneErrors), match=text):
        lab.make(still(shape))


def test_a_mesh_without_triangles_is_left_out_with_a_warning(lab) -> None:
    world, _ = lab.make(still("IndexedFaceSet { }"))
    assert [warning.found for warning in world.warnings] == [
        "IndexedFaceSet in a boundingObject has no triangles, it is left out"
    ]


def test_a_run_after_reset_equals_the_first_one_to_the_last_bit(lab) -> None:
    tumbling = "rotation 1 2 3 0.7 linearVelocity 0.5 0.2 0 angularVelocity 1 2 3"
    hills = grid(41, 41, 0.1, lambda x, y: 0.1 * math.sin(3 * x) * math.cos(2 * y))
    text = still(hills, "translation -2 -2 0")
    text += solid("mesh", "0 0 0.5", face_set(trimesh.creation.icosphere(2, 0.15)), tumbling)
    text += solid("box", "0.5 0 0.6", box_mesh(0.3, 0.2, 0.1), tumbling)
    text += solid("ball", "-0.5 0 0.6", "Sphere { radius 0.1 }", tumbling)
    text += solid("cylinder", "-0.5 0.6 0.6", "Cylinder { radius 0.1 height 0.1 }", tumbling)
    world, _ = lab.make(text, 5.0)
    states = []
    for _ in range(2):
        lab.run(world, 3.0)
        states.append(world.get_state().bodies.tobytes())
        world.reset()
    assert states[0] == states[1]
    assert lab.make(text, 5.0)[0].get_state().bodies.tobytes() == world.get_state().bodies.tobytes()


def test_meshes_collide_in_another_thread(lab) -> None:
    world, scene = lab.make(lab.floor + solid("box", "0 0 0.15", box_mesh(0.2, 0.2, 0.2)), 5.0)
    thread = threading.Thread(target=lab.run, args=(world, 2.0))
    thread.start()
    thread.join()
    assert world.frame(lab.solid(scene, "box").id).pose().position[2] == pytest.approx(0.1, abs=1e-3)


def test_worlds_with_meshes_can_be_created_and_destroyed(lab) -> None:
    """Their geoms are destroyed before the data that they refer to."""
    text = lab.floor + solid("box", "0 0 0.1", face_set(trimesh.creation.icosphere(1, 0.1)))
    for _ in range(30):
        world, _ = lab.make(text, 5.0)
        lab.run(world, 0.05)
        world.reset()
        lab.run(world, 0.05)
