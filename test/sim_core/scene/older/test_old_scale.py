"""The scale of solids before R2023b: a scaled world is the world whose sizes are written larger."""

from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import SceneError
from sim_core.engines.ode import PhysicsWorld
from sim_core.model.geometry import Cone
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, Scene, load_scene, write_scene
from sim_core.scene.older.old_scale import uniform

HEADER = "#VRML_SIM R2022b utf8\n"
INFO = "WorldInfo { basicTimeStep 4 }\n"


def scene_of(folder: Path, body: str) -> Scene:
    file = folder / "w.wbt"
    head, mark, rest = body.rpartition('proto"\n')
    file.write_text(HEADER + head + mark + INFO + rest)
    return load_scene(file)


def solid(scene: Scene, name: str) -> Node:
    return next(node for node in scene.walk() if node.is_a("Solid") and node["name"] == name)


def mass_of(world: PhysicsWorld, node: Node) -> float:
    link = world.built.reading.owners.get(node.id)
    assert link is not None
    return link.mass


@pytest.mark.parametrize(
    ("given", "factor"),
    [
        ((2.0, 2.0, 2.0), 2.0),
        ((2.0, 3.0, 2.0), 3.0),
        ((2.0, 3.0, 4.0), 2.0),
        ((2.0, 2.0, 5.0), 5.0),
        ((-2.0, 2.0, 2.0), 2.0),
        ((0.0, 1.0, 1.0), 1.0),
    ],
)
def test_one_factor_of_three(given: tuple, factor: float) -> None:
    assert uniform(given) == factor


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ("Box { size 1 2 3 }", 6.0),
        ("Sphere { radius 0.5 }", np.pi / 6),
        ("Cylinder { height 2 radius 0.5 }", np.pi / 2),
        ("Capsule { height 2 radius 0.5 }", np.pi / 2 + np.pi / 6),
        ("Box { }", 8.0),
        ("Pose { translation 1 0 0 children Box { size 1 1 1 } }", 1.0),
        (
            "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] } "
            "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }",
            1 / 6,
        ),
    ],
)
def test_mass_by_density_grows_by_the_cube(tmp_path: Path, shape: str, volume: float) -> None:
    scene = scene_of(
        tmp_path, f'Solid {{ name "s" scale 2 2 2 boundingObject {shape} physics Physics {{ density 10 }} }}'
    )
    assert mass_of(PhysicsWorld(WorldModel(scene)), solid(scene, "s")) == pytest.approx(8 * 10 * volume)
    (warning,) = (str(each) for each in scene.warnings if "worked into" in str(each))
    assert 'Solid "s": scale 2 2 2: worked into all sizes' in warning


def test_a_stated_mass_and_inertia_and_centre(tmp_path: Path) -> None:
    """m s³, I s⁵, c s: as `WbSolid` of R2022 sets them."""
    scene = scene_of(
        tmp_path,
        """Solid { name "s" scale 2 2 2 boundingObject Sphere { radius 1 } physics Physics { density -1
          mass 3 centerOfMass [ 0.1 0 0 ] inertiaMatrix [ 1 2 3, 0 0 0.5 ] } }""",
    )
    physics = solid(scene, "s")["physics"]
    assert physics["mass"] == 24.0
    assert physics["centerOfMass"] == [(0.2, 0.0, 0.0)]
    assert physics["inertiaMatrix"] == [(32.0, 64.0, 96.0), (0.0, 0.0, 16.0)]


def test_a_scaled_ball_falls_and_rests_as_a_larger_one(tmp_path: Path) -> None:
    heights = []
    for sizes in ("scale 3 3 3 boundingObject Sphere { radius 0.1 }", "boundingObject Sphere { radius 0.3 }"):
        scene = scene_of(
            tmp_path,
            f"""Solid {{ name "floor" boundingObject Plane {{ }} }}
            Solid {{ name "ball" translation 0 0 1 {sizes} physics Physics {{ }} }}""",
        )
        world = PhysicsWorld(WorldModel(scene))
        for _ in range(1000):
            world.step()
        heights.append(world.frame(solid(scene, "ball").id).pose().position[2])
    assert heights[0] == pytest.approx(heights[1], abs=1e-12)
    weight = 1000.0 * 4.0 / 3.0 * np.pi * 0.3**3 * 9.81
    depth = 0.001 * weight * 0.004 / 0.2  # CFM·F·h/ERP (ODE manual, "How to use ERP and CFM")
    assert heights[0] == pytest.approx(0.3 - depth, abs=1e-4)


def test_scales_multiply_and_move_what_is_below(tmp_path: Path) -> None:
    """A pendulum in a scaled solid in a scaled group: T = 2π √(l/g) of the length that comes out."""
    scene = scene_of(
        tmp_path,
        """Transform { scale 2 2 2 children Solid {
          name "top" translation 1 0 3 scale 1.5 1.5 1.5 children HingeJoint {
          jointParameters HingeJointParameters { axis 0 1 0 anchor 0.5 0 0 }
          endPoint Solid { name "bob" translation 0.6 0 -0.2 boundingObject Sphere { radius 0.001 }
            physics Physics { density -1 mass 1 } } } } }""",
    )
    world = PhysicsWorld(WorldModel(scene))
    frame = world.frame(solid(scene, "bob").id)
    assert frame.pose().position == pytest.approx((2 + 3 * 0.6, 0, 6 - 3 * 0.2))
    length = 3 * np.hypot(0.1, 0.2)
    x = []
    while world.clock.time_ns < 5e9:
        x.append(frame.pose().position[0] - (2 + 3 * 0.5))
        world.step()
    falls = np.flatnonzero((np.array(x[:-1]) > 0) & (np.array(x[1:]) <= 0)) * 0.004
    swing = np.arctan2(0.1, 0.2)
    period = 2 * np.pi * np.sqrt(length / 9.81) * (1 + swing**2 / 16)
    assert falls[1] - falls[0] == pytest.approx(period, rel=0.02)


def test_motors_grow_with_what_they_move(tmp_path: Path) -> None:
    """Torques by s⁵, forces by s⁴, distances by s."""
    scene = scene_of(
        tmp_path,
        """Robot { scale 2 2 2 children [
          HingeJoint { device RotationalMotor { maxTorque 3 maxVelocity 4 } endPoint Solid { name "a" } }
          SliderJoint { jointParameters JointParameters { position 0.5 dampingConstant 2 }
            device LinearMotor { maxForce 3 maxVelocity 4 minPosition -1 maxPosition 1 }
            endPoint Solid { name "b" } } ] }""",
    )
    motors = {node.type_name: node for node in scene.walk() if node.is_a("Motor")}
    turning, sliding = motors["RotationalMotor"], motors["LinearMotor"]
    assert (turning["maxTorque"], turning["maxVelocity"]) == (96.0, 4.0)
    assert (sliding["maxForce"], sliding["maxVelocity"], sliding["maxPosition"]) == (48.0, 8.0, 2.0)
    assert sliding["acceleration"] == -1.0
    parameters = next(node for node in scene.walk() if node.type_name == "JointParameters")
    assert (parameters["position"], parameters["dampingConstant"]) == (1.0, 16.0)


def test_a_suspension_grows_with_its_end_point_and_a_spring_with_what_holds_the_joint(tmp_path: Path) -> None:
    """Springs by s³ of what is above the joint, suspensions by s² of the end point with all above it."""
    scene = scene_of(
        tmp_path,
        """Robot { scale 2 2 2 children [ HingeJoint {
          jointParameters HingeJointParameters { anchor 0 1 0 springConstant 3 dampingConstant 1
            suspensionSpringConstant 7 suspensionDampingConstant 5 }
          endPoint Solid { name "a" scale 3 3 3 } } ] }""",
    )
    parameters = next(node for node in scene.walk() if node.type_name == "HingeJointParameters")
    assert (parameters["springConstant"], parameters["dampingConstant"]) == (24.0, 8.0)
    suspension = parameters["suspensionSpringConstant"], parameters["suspensionDampingConstant"]
    assert suspension == (7.0 * 36.0, 5.0 * 36.0)
    assert parameters["anchor"] == (0.0, 2.0, 0.0)


def test_shapes_and_meshes_are_seen_larger(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    scene = scene_of(
        tmp_path,
        """Solid { scale 2 2 2 children [ Shape { geometry Mesh { url "m.obj" } appearance PBRAppearance {
          textureTransform TextureTransform { scale 3 4 } } }
          Shape { geometry Cone { bottomRadius 1 height 3 } } ]
          boundingObject Mesh { url "m.obj" } }""",
    )
    mesh, cone = WorldModel(scene).visible.records
    (texture,) = (node for node in scene.walk() if node.type_name == "TextureTransform")
    assert texture["scale"] == (3.0, 4.0)
    assert (mesh.type_name, mesh.scale) == ("Mesh", (2.0, 2.0, 2.0))
    assert (cone.geometry, cone.scale) == (Cone(2.0, 6.0), (1.0, 1.0, 1.0))
    holder = scene.nodes[-1]["boundingObject"]
    assert (holder.type_name, holder["scale"]) == ("Transform", (2.0, 2.0, 2.0))


def test_a_scaled_instance_is_written_with_its_sizes(tmp_path: Path) -> None:
    (tmp_path / "B.proto").write_text(
        "#VRML_SIM R2022b utf8\nPROTO B [ field SFVec3f scale 1 1 1 ] { Solid { scale IS scale "
        'name "b" children Shape { geometry Box { size 1 1 1 } } } }\n'
    )
    scene = scene_of(tmp_path, 'EXTERNPROTO "B.proto"\nB { scale 2 2 2 }')
    text = write_scene(scene)
    assert "size 2 2 2" in text
    assert "scale 2" not in text


def test_a_transform_above_a_solid_that_shears_is_refused(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, 'Transform { scale 1 2 3 children Solid { name "s" } }')
    with pytest.raises(SceneError, match=r"Transform\.scale 1 2 3 at or above a Solid, expected scale 1 1 1"):
        PhysicsWorld(WorldModel(scene))


def test_the_scale_of_a_texture_is_none_of_a_solid(tmp_path: Path) -> None:
    look = "Appearance { textureTransform TextureTransform { scale 3 2 } }"
    text = f"Solid {{ children Shape {{ appearance {look} }} }}"
    scene = scene_of(tmp_path, text)
    assert not scene.warnings
    transform = next(node for node in scene.walk() if node.type_name == "TextureTransform")
    assert transform["scale"] == (3.0, 2.0)
