"""Edits of a running world reach all its readers; and the edited world is the one that is saved."""

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_edits import PLANAR, WORLDS, comparisons

from sim_core.base.errors import OdesimError
from sim_core.base.shipped import shipped_worlds
from sim_core.devices.vision.recognition import Recognizer
from sim_core.scene import load_scene, parse_scene
from sim_core.scene.loader import scene_from_text
from sim_core.sensing.appearance_changes import AppearanceChanges
from sim_core.sensing.rays import Rays
from sim_core.sensing.render.draw_list import SceneShapes
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.present_state import save_text

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
DEF TABLE Solid { name "table" translation 2 0 0.5 boundingObject DEF TOP Box { size 0.9 0.9 1 }
  recognitionColors 1 0 0 radarCrossSection 5
  children [
    DEF MARK Pose { translation 0 0 1 children DEF LOOK Shape {
      appearance PBRAppearance {
        roughness 0 baseColorMap DEF PICTURE ImageTexture { url "meshes/grass.png" } }
      geometry DEF SEEN Box { size 1 1 1 } } } ] }
DEF LAMP PointLight { location 0 0 3 }
Robot { name "r" translation 0 0 0.5 controller "<none>" children [
  DistanceSensor { name "ds" type "laser" lookupTable [ 0 0 0, 9 9 0 ] }
  LightSensor { name "light" rotation 0 1 0 -1.5707963267948966 occlusion TRUE
    lookupTable [ 0 0 0, 100 100 0 ] }
  DEF CAMERA Camera { name "camera" recognition Recognition { maxRange 9 }
    focus DEF FOCUS Focus { focalDistance 1 focalLength 2 maxFocalDistance 5 } }
  Radar { name "radar" maxRange 20 rangeNoise 0 }
  DistanceSensor { name "red" translation 0 0 1 type "infra-red" lookupTable [ 0 0 0, 9 9 0 ] } ] }
"""
SLOW = "ute"
"""Its panorama takes half a minute without a graphics card; `devices/camera` and `devices/lidar` render
too."""
WORLDS_FOLDER = Path(__file__).resolve().parents[4] / "worlds"


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, str(WORLDS_FOLDER / "edited.wbt")))


def value(sim: Simulation, name: str) -> object:
    sensor = sim.robot("r")[name]
    sim.sample([sensor])
    return sensor.value


def test_added_nodes_start_as_after_a_load() -> None:
    """A robot fixed in a wheel that is carried: to the last bit where the scene places it."""
    world = shipped_worlds()["devices/differential_wheels"]
    sim = Simulation(load_scene(world))
    wheel = next(node for node in sim.scene.walk() if node.is_set("name") and node["name"] == "left wheel")
    guest = 'Robot { name "guest" translation -0.5 0.5 0.3 controller "<none>" physics Physics { } }'
    sim.supervisor.import_text(guest, wheel, "children", 0)
    other = Simulation(scene_from_text(save_text(sim.world), world))
    sim.step()
    other.step()
    assert sim.robot("guest").frame.pose() == other.robot("guest").frame.pose()


def ahead(sim: Simulation) -> float:
    """Return the distance in m of the visible surface at the height of the mark."""
    value(sim, "red")
    return float(sim.robot("r")["red"].reading.rays[0])


def test_a_texture_reaches_rays_and_pictures(sim: Simulation) -> None:
    shapes = SceneShapes(sim.physics)
    shapes.read_shapes(AppearanceChanges())  # meshes are notified once
    before, drawn = value(sim, "red"), repr(shapes.read_shapes(AppearanceChanges()))
    assert repr(shapes.read_shapes(AppearanceChanges())) == drawn
    sim.supervisor.set("PICTURE", "url", ["../docs/viewer_pen.png"])
    assert value(sim, "red") != before
    assert repr(shapes.read_shapes(AppearanceChanges())) != drawn
    sim.reset()
    assert value(sim, "red") == before


def test_recognition_colours_reach_cameras(sim: Simulation) -> None:
    recognizer = sim.media.of(Recognizer)
    assert len(recognizer.objects) == 1
    sim.supervisor.set("TABLE", "recognitionColors", [])
    assert not recognizer.objects
    sim.reset()
    assert len(recognizer.objects) == 1


def test_recognized_objects_are_found_again(sim: Simulation) -> None:
    """A reading has no node ids, because it may be read in another process, from a snapshot."""
    camera, table = sim.robot("r")["camera"], sim.supervisor.node("TABLE")
    (seen,) = camera._measure_besides()[1]
    assert table.id not in vars(seen).values()
    assert camera.solid_of(seen) == table.id
    sim.supervisor.set("TABLE", "recognitionColors", [])
    assert camera.solid_of(seen) is None


def test_a_focus_reaches_the_camera(sim: Simulation) -> None:
    camera = sim.robot("r")["camera"]
    sim.supervisor.set("FOCUS", "focalDistance", 3.0)
    assert camera.focal_distance == 3.0 and camera.view.focus.distance == 3.0
    camera.set_focal_distance(4.0)
    sim.supervisor.set("FOCUS", "focalLength", 0.5)  # a controller's setting is kept
    assert camera.focal_distance == 4.0 and camera.view.focus.length == 0.5
    sim.reset()
    assert camera.focal_distance == 1.0 and camera.view.focus.length == 2.0


def test_recognition_fields_apply_at_once(sim: Simulation) -> None:
    camera, node = sim.robot("r")["camera"], sim.supervisor.node("CAMERA")["recognition"]
    assert len(camera._measure_besides()[1]) == 1
    sim.supervisor.set(node, "maxRange", 1.0)
    assert not camera._measure_besides()[1]
    assert not camera.has_segmentation
    sim.supervisor.set(node, "segmentation", True)
    assert camera.has_segmentation and "segmentation" in camera.view.layers


def test_radars_find_added_targets_and_lose_removed_ones(sim: Simulation) -> None:
    assert len(value(sim, "radar")) == 1
    sim.supervisor.set("TABLE", "radarCrossSection", 0.0)
    assert not value(sim, "radar")
    sim.supervisor.import_text(
        'Solid { name "other" translation 3 0 0.5 radarCrossSection 9 boundingObject Sphere { radius 0.1 } }'
    )
    assert len(value(sim, "radar")) == 1


def test_poses_below_a_solid_can_be_set(sim: Simulation) -> None:
    assert sim.supervisor.pose("MARK").position == pytest.approx((2.0, 0.0, 1.5))
    assert ahead(sim) == pytest.approx(1.5)
    sim.supervisor.set("MARK", "translation", (0.5, 0.0, 1.0))
    assert sim.supervisor.pose("MARK").position == pytest.approx((2.5, 0.0, 1.5))
    assert ahead(sim) == pytest.approx(2.0)


def test_devices_of_imported_robots_work_with_existing_ones(sim: Simulation) -> None:
    dark = value(sim, "light")
    sim.supervisor.import_text(
        'Robot { name "lamp" translation 0 0 2 controller "<none>" children LED { name "led" '
        "children PointLight { on FALSE intensity 3 } } }"
    )
    assert value(sim, "light") == pytest.approx(dark)
    sim.robot("lamp")["led"].set(1)
    sim.step()
    assert value(sim, "light") > dark
    sim.supervisor.remove("lamp")
    assert value(sim, "light") == pytest.approx(dark)


def test_a_display_of_a_removed_robot_is_not_visible(sim: Simulation) -> None:
    """Its pen does not draw any more either, wherever its rays would start."""
    screen = "Shape { appearance PBRAppearance { baseColorMap ImageTexture { } } geometry Box { } }"
    sim.supervisor.import_text(
        f'Robot {{ name "guest" controller "<none>" children [ Pen {{ write TRUE maxDistance 9 }} '
        f"Display {{ children {screen} }} ] }}"
    )
    pen = sim.robot("guest")["pen"]
    sim.supervisor.remove("guest")
    sim.step(3)
    assert pen.trace.count == 0
    looks = [
        batch.look
        for batch in SceneShapes(sim.physics).read_shapes(sim.media.appearance_changes).batches
        if batch.look
    ]
    assert not any(each.picture.startswith("screen") for look in looks for each in look.maps)


def test_a_lookup_table_applies_at_once(sim: Simulation) -> None:
    assert value(sim, "ds") == pytest.approx(1.55)
    sim.supervisor.set(sim.robot("r").nodes["ds"], "lookupTable", [(0.0, 0.0, 0.0), (9.0, 90.0, 0.0)])
    assert value(sim, "ds") == pytest.approx(15.5)
    with pytest.raises(OdesimError, match="increasing"):
        sim.supervisor.set(sim.robot("r").nodes["ds"], "lookupTable", [(1.0, 0.0, 0.0), (0.0, 90.0, 0.0)])
    assert value(sim, "ds") == pytest.approx(15.5)


def test_a_table_is_taken_back_together_with_what_builds_the_physics_anew(sim: Simulation) -> None:
    start, before = sim.snapshot(), value(sim, "ds")
    sim.step()
    sim.supervisor.set(sim.robot("r").nodes["ds"], "lookupTable", [(0.0, 0.0, 0.0), (9.0, 18.0, 0.0)])
    sim.supervisor.set(sim.scene.world_info, "gravity", 3.0)
    assert value(sim, "ds") != before
    sim.restore(start)
    assert value(sim, "ds") == before


def test_a_floor_is_back_at_its_start_after_a_reset() -> None:
    """A floor cannot be moved in the engine: its pose is changed in the scene, and a reset reads the
    scene."""
    shape = "children Shape { geometry Plane { } } boundingObject Plane { }"
    floor = f"DEF FLOOR Solid {{ translation 0 0 -1 {shape} }}"
    sim = Simulation(parse_scene(WORLD + floor, str(WORLDS_FOLDER / "edited.wbt")))
    down = np.array([[0.0, 0.0, -1.0]])

    def depth() -> float:
        rays = sim.world.new_rays()
        asked = rays.add_rays(Rays(None, np.array([[0.2, 0.2, 0.0]]), down, 9.0, None, visible=True))
        rays.cast()
        return float(rays.distances[asked][0])

    assert depth() == pytest.approx(1.0)
    sim.step()
    sim.supervisor.set("FLOOR", "translation", (0.0, 0.0, -2.0))
    assert depth() == pytest.approx(2.0)
    sim.reset()
    assert depth() == pytest.approx(1.0)


def test_a_size_counts_for_rays_without_a_build(sim: Simulation) -> None:
    assert (ahead(sim), value(sim, "ds")) == pytest.approx((1.5, 1.55))
    sim.step()
    builds = sim.physics.builds
    sim.supervisor.set("SEEN", "size", (0.5, 1.0, 1.0))
    sim.supervisor.set("TOP", "size", (0.4, 0.4, 1.0))
    assert sim.physics.builds == builds
    assert (ahead(sim), value(sim, "ds")) == pytest.approx((1.75, 1.8))


def test_nodes_are_added_and_removed_in_copies_too() -> None:
    sim = Simulation(
        parse_scene(
            "#VRML_SIM R2025a utf8\nDEF A Group { children DEF B Group { } } Pose { children USE A }", "w.wbt"
        )
    )
    copy = sim.scene.nodes[1]["children"][0]
    sim.supervisor.import_text("DEF C Group { }", "A")
    assert [len(each["children"]) for each in (sim.scene.nodes[0], copy)] == [2, 2]
    sim.supervisor.remove("B")
    assert [len(each["children"]) for each in (sim.scene.nodes[0], copy)] == [1, 1]
    sim.reset()
    assert copy["children"][0].original is sim.supervisor.node("B")


def test_a_robot_within_another_starts_where_it_was_put(sim: Simulation) -> None:
    sim.supervisor.import_text('DEF RIDER Robot { name "rider" controller "<none>" }', sim.robot("r").node)
    sim.supervisor.set("RIDER", "translation", (1.0, 0.0, 0.5))
    sim.step()
    assert sim.robot("rider").state.start.position == (1.0, 0.0, 1.0)


def test_a_solid_added_to_a_joint_is_placed_at_its_robot_and_moves_with_it() -> None:
    """At 1 m/s for 1 s, turning by 0.5 rad: p = p_R + R·d, v = v_R + ω × R·d."""
    text = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0 }
DEF CART Robot { name "cart" controller "<none>" linearVelocity 1 0 0 angularVelocity 0 0 0.5
  physics Physics { } boundingObject Box { size 0.2 0.2 0.2 } }"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    sim.run(1.0)
    sim.supervisor.import_text(
        """HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0.3 0 0 }
        endPoint DEF END Solid { translation 0.3 0 0 physics Physics { density -1 mass 0.1 } } }""",
        "CART",
    )
    x, y = 1.0 + 0.3 * math.cos(0.5), 0.3 * math.sin(0.5)
    assert sim.supervisor.pose("END").position == pytest.approx((x, y, 0.0), abs=1e-6)
    linear, angular = sim.supervisor.velocity("END")
    assert linear == pytest.approx((1.0 - 0.5 * y, 0.5 * (x - 1.0), 0.0), abs=1e-6)
    assert angular == pytest.approx((0.0, 0.0, 0.5))
    sim.run(1.0)
    here, there = (sim.supervisor.pose(name).position for name in ("CART", "END"))
    assert math.dist(here, there) == pytest.approx(0.3, abs=1e-3), "the hinge holds it"


@settings(
    max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(
    st.sampled_from(
        [(world, "ode") for world in WORLDS if world != SLOW] + [(world, "fast2d") for world in PLANAR]
    ),
    st.integers(0, 10_000),
    st.integers(1, 5),
)
def test_an_edited_world_can_be_saved_opened_and_reset(
    tmp_path: Path, run: tuple[str, str], seed: int, count: int
) -> None:
    file, (world, physics) = tmp_path / "edited.snapshot", run
    for each in comparisons(shipped_worlds()[world], Random(seed), count, file, physics):
        assert not each.difference


def test_a_mass_and_a_size_change_in_place_as_after_a_load() -> None:
    """p = m·v: a force changes the velocity by F·h/m, with the present mass."""
    text = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 basicTimeStep 4 }
DEF BALL Solid { boundingObject DEF S Sphere { radius 0.1 } physics DEF P Physics { density -1 mass 2 } }"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    sim.step()
    builds = sim.physics.builds
    sim.supervisor.set("P", "mass", 5.0)
    sim.supervisor.set("S", "radius", 0.2)
    assert sim.physics.builds == builds
    sim.supervisor.add_force("BALL", (10.0, 0.0, 0.0))
    sim.supervisor.add_torque("BALL", (0.0, 0.0, 1.0))
    sim.step()
    linear, angular = sim.supervisor.velocity("BALL")
    assert linear[0] == pytest.approx(10.0 / 5.0 * 0.004)
    assert angular[2] == pytest.approx(1.0 / (0.4 * 5.0 * 0.2**2) * 0.004)
    assert np.isfinite(linear).all()


CART = """Robot { name "cart" translation 5 0 0.1 controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0.2 0 }
    device [ RotationalMotor { name "left" maxVelocity 100 } ]
    endPoint DEF LEFT Solid { name "left wheel" translation 0 0.2 0 rotation 1 0 0 1.5707963267948966
      boundingObject DEF TYRE Cylinder { radius 0.1 height 0.02 } %s } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 -0.2 0 }
    device [ RotationalMotor { name "right" maxVelocity 100 } ]
    endPoint DEF RIGHT Solid { name "right wheel" translation 0 -0.2 0 rotation 1 0 0 1.5707963267948966
      boundingObject USE TYRE %s } } ]
  boundingObject Box { size 0.2 0.2 0.1 } %s }
"""


@pytest.mark.parametrize("physics", ["", "physics Physics { }"])
def test_a_drive_uses_the_present_wheels(tmp_path: Path, physics: str) -> None:
    """Before the first step and later: v = ω·r, and the wheels are 2·y apart."""
    cart = CART.replace("%s", physics)
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { gravity 0 }\n" + cart, "w.wbt"))
    robot, supervisor = sim.robot("cart"), sim.supervisor
    assert robot.drive is not None and (robot.motion is None) is bool(physics)
    for steps in (0,) if physics else (0, 5):  # later forces move the wheels, not fields
        sim.step(steps)
        supervisor.set("TYRE", "radius", 0.05)
        assert robot.drive.wheel_radius == 0.05
        robot.drive.set_twist(1.0, 0.0)
        assert robot["left"].target_velocity == pytest.approx(20.0)
        supervisor.set("LEFT", "translation", (0.3, 0.2, 0.0))  # not a pair any more
        assert robot.drive is None and robot.motion is None
        opened = Simulation.from_snapshot(sim.snapshot().save(tmp_path / "edited.snapshot"))
        assert opened.robot("cart").drive is None
        supervisor.set("RIGHT", "translation", (0.3, -0.2, 0.0))
        assert robot.drive is not None and robot.drive.centre == pytest.approx((0.3, 0.0, 0.0))
        sim.reset()
        assert robot.drive is not None and robot.drive.wheel_radius == 0.1
        assert robot.drive.centre == (0.0, 0.0, 0.0) and (robot.motion is None) is bool(physics)


def test_odometry_continues_when_a_wheel_is_replaced() -> None:
    """s = ω·r·t with each radius in turn; counted turns are kept."""
    cart = CART.replace("%s", "physics Physics { }")
    sim = Simulation(parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { gravity 0 }\n" + cart, "w.wbt"))
    robot = sim.robot("cart")
    assert robot.drive is not None and robot.odometry is not None
    for motor in robot.motors().values():
        motor.set_position(float("inf"))
        motor.set_velocity(10.0)
    sim.run(0.64)
    before = [motor.position for motor in robot.motors().values()]
    sim.supervisor.set("TYRE", "radius", 0.05)
    sim.run(0.64)
    rolled = [motor.position for motor in robot.motors().values()]
    ways = [0.1 * a + 0.05 * (b - a) for a, b in zip(before, rolled, strict=True)]
    robot.odometry.update_pose()
    assert robot.odometry.pose.x == pytest.approx(sum(ways) / 2.0)


ARM = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Robot { name "r" controller "<none>" children [
  HingeJoint { jointParameters DEF HINGE HingeJointParameters { axis 0 0 1 }
    device RotationalMotor { name "a::one" maxPosition 0.15 }
    endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } } }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 1 }
    device RotationalMotor { name "a::two" maxPosition 0.15 maxVelocity 5 }
    endPoint Solid { translation 0 0 1 boundingObject Sphere { radius 0.1 } physics Physics { } } } ] }
"""


def test_a_joint_that_starts_past_the_limit_of_its_motor_widens_it_until_a_reset() -> None:
    file = str(WORLDS_FOLDER / "edited.wbt")
    sim = Simulation(parse_scene(ARM, file))
    sim.robot("r")["a::two"].set_velocity(0.2)
    sim.supervisor.set("HINGE", "position", 0.3)
    sim.step()
    loaded = Simulation(scene_from_text(ARM.replace("axis 0 0 1 }", "axis 0 0 1 position 0.3 }", 1), file))
    for name in ("a::one", "a::two"):
        assert sim.robot("r")[name].limits == loaded.robot("r")[name].limits
    assert sim.robot("r")["a::one"].limits.max_position == pytest.approx(0.3)
    assert sim.robot("r")["a::two"].target_velocity == 0.2  # as commanded
    sim.reset()
    assert sim.robot("r")["a::one"].limits.max_position == 0.15
    assert sim.robot("r")["a::one"].target_position == 0.0
