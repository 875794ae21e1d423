"""Robots to URDF and back: the same masses, places and axes, the same motion."""

from collections.abc import Callable

import pytest

from sim_core.base.geometry import Pose
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.model.robot_model import robot_model
from sim_core.model.robot_parts import robot_parts
from sim_core.scene import Scene, load_scene, parse_scene
from sim_core.scene.robot_description import JointElement, RobotDescription
from sim_core.scene.urdf.reader import parse_urdf, read_urdf
from sim_core.scene.urdf.spawn import add_urdf
from sim_core.scene.urdf.to_scene import robot_node
from sim_core.scene.urdf.writer import write_urdf
from sim_core.session.simulation import Simulation

ROVER = share_dir() / "worlds" / "urdf" / "rover.urdf"
ARM = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 }
Robot {
  name "arm"
  translation 0 0 2
  children [
    DEF UPPER HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0.2 anchor 0.1 0 0 position 0.4 dampingConstant 0.02 }
      device [ RotationalMotor { name "shoulder" maxTorque 3 maxVelocity 2 } PositionSensor { name "s1" } ]
      endPoint Solid {
        name "upper" translation 0.3 0.1 -0.2 rotation 1 0.5 0 0.3
        children [
          Pose { translation 0 0 -0.1 children [
            SliderJoint {
              jointParameters JointParameters {
                axis 0 1 1 position 0.1 minStop -0.2 maxStop 0.4 staticFriction 0.5
              }
              device LinearMotor { name "slide" maxForce 20 maxVelocity 0.5 minPosition -0.1 maxPosition 0.3 }
              endPoint Solid {
                name "lower" translation 0 0.1 0.1
                children Shape {
                  appearance PBRAppearance { baseColor 1 0 0 transparency 0.25 }
                  geometry Capsule { radius 0.03 height 0.2 }
                }
                boundingObject Capsule { radius 0.03 height 0.2 }
                physics Physics { density 700 }
              }
            }
          ] }
        ]
        boundingObject Box { size 0.3 0.05 0.05 }
        physics Physics { density -1 mass 1.5 centerOfMass [ 0.05 0 0 ] }
      }
    }
  ]
}
"""  # fmt: skip


def world_poses(model: RobotDescription, positions: Callable[[JointElement], float]) -> dict[str, Pose]:
    """Pose of each link in the root's frame at these joint positions, as robot_state_publisher finds it."""
    poses = {model.root: Pose()}
    pending = list(model.joints.values())
    while pending:
        joint = next(each for each in pending if each.parent in poses)
        pending.remove(joint)
        q = positions(joint) if joint.kind in ("revolute", "continuous", "prismatic") else 0.0
        x, y, z = joint.axis
        moved = (
            Pose((x * q, y * q, z * q))
            if joint.kind == "prismatic"
            else Pose.from_axis_angle((0, 0, 0), (x, y, z, q))
        )
        poses[joint.child] = poses[joint.parent] * joint.origin * moved
    return poses


def close(a: Pose, b: Pose, tolerance: float = 1e-9) -> bool:
    return a.position == pytest.approx(b.position, abs=tolerance) and a.rotation == pytest.approx(
        b.rotation, abs=tolerance
    )


MOVED = (
    "rotational_motor",
    "linear_motor",
    "servo",
    "position_sensor",
    "lidar",
    "differential_wheels",
    "coupled_motors",
    "motion",
)


@pytest.mark.parametrize("world", MOVED)
def test_the_joints_lead_to_where_the_solids_are(world: str) -> None:
    """Forward kinematics of the URDF at the positions that the physics tells: at the start, and later, when
    the joints of ODE have given way by up to a millimetre or so."""
    sim = Simulation(load_scene(shipped_worlds()[f"devices/{world}"]))
    for seconds, tolerance in ((0.0, 1e-9), (0.3, 2e-3)):
        sim.run(seconds)
        for robot in sim.robots.values():
            parts = robot_parts(robot.node)
            model, _ = parse_urdf(write_urdf(robot_model(parts)))
            axes = {
                part.name if part.to_axle is None else part.axle: part
                for part in parts
                if part.axis is not None
            }

            def position(joint: JointElement, axes: dict = axes) -> float:
                return sim.physics.axis(axes[joint.child].joint.id).position if joint.child in axes else 0.0

            poses = world_poses(model, position)
            base = sim.physics.frame(robot.node.id).pose()
            for part in parts:
                if robot.node.type_name == "Robot" or part.parent is None:
                    pose = sim.physics.frame(part.solid.id).pose()
                    assert close(base * poses[part.name], pose, tolerance), part.name


def test_a_robot_comes_back_with_its_masses_axes_and_limits() -> None:
    first = robot_model(robot_parts(parse_scene(ARM).nodes[1]))
    again = robot_model(robot_parts(robot_node(*parse_urdf(write_urdf(first)))))
    kinds = {name: joint.kind for name, joint in first.joints.items()}
    assert kinds == {"shoulder": "continuous", "upper_joint": "fixed", "slide": "prismatic"}
    for name, joint in first.joints.items():
        other = again.joints[name]
        assert joint.axis == pytest.approx(other.axis)
        assert close(joint.origin, other.origin)
        assert (joint.limit, joint.damping, joint.friction) == (other.limit, other.damping, other.friction)
    slide = first.joints["slide"].limit
    assert slide is not None
    assert (slide.lower, slide.upper, slide.effort, slide.velocity) == (-0.1, 0.3, 20.0, 0.5)
    total = [
        sum(link.inertial.mass for link in model.links.values() if link.inertial) for model in (first, again)
    ]
    assert total[0] == pytest.approx(total[1])
    assert first.links["lower"].visuals[0].look.colour == (1.0, 0.0, 0.0, 0.75)


def test_a_robot_that_comes_back_moves_the_same() -> None:
    """An arm whose hinge does not go through its link's origin; the slider's motor works against gravity."""
    text = ARM.replace(" position 0.4", "").replace(" position 0.1", "")  # URDF starts at 0
    scene = parse_scene(text)
    second = robot_node(*parse_urdf(write_urdf(robot_model(robot_parts(scene.nodes[1])))))
    second["translation"] = scene.nodes[1]["translation"]
    other = parse_scene(text)
    other.nodes[1] = second
    sims = [Simulation(scene), Simulation(other)]
    ends = []
    for sim in sims:
        arm = sim.robot("arm")
        for name, value in (("shoulder", -0.5), ("slide", 0.05)):
            arm[name].set_position(value)
        sim.run(0.6)
        arm["shoulder"].set_effort(0.0)
        sim.run(0.6)
        ends.append((arm["shoulder"].position, arm["shoulder"].velocity, arm["slide"].position))
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_a_urdf_comes_back_with_the_same_structure() -> None:
    model, warnings = read_urdf(ROVER)
    written = robot_model(robot_parts(robot_node(model, warnings)))
    root = {model.name: model.root}  # the robot's body is named as the robot
    assert {root.get(name, name) for name in written.links} == set(model.links)
    joints = {root.get(joint.child, joint.child): joint for joint in written.joints.values()}
    for joint in model.joints.values():
        other = joints[joint.child]
        assert (other.kind, root.get(other.parent, other.parent)) == (joint.kind, joint.parent)
        assert other.limit == joint.limit
        assert close(other.origin, joint.origin)
        assert other.axis == joint.axis
    for link in model.links.values():
        other_link = written.links[model.name if link.name == model.root else link.name]
        for mine, others in ((link.visuals, other_link.visuals), (link.collisions, other_link.collisions)):
            assert [shape.geometry for shape in mine] == [shape.geometry for shape in others]
            assert [shape.look.colour for shape in mine] == [shape.look.colour for shape in others]
            assert all(close(a.origin, b.origin) for a, b in zip(mine, others, strict=True))
        assert (link.inertial is None) == (other_link.inertial is None)
        if link.inertial and other_link.inertial:
            assert link.inertial.in_link().inertia == pytest.approx(other_link.inertial.inertia)
    text = write_urdf(written)
    assert write_urdf(robot_model(robot_parts(robot_node(*parse_urdf(text))))) == text


@pytest.mark.parametrize("world", sorted(shipped_worlds()))
def test_every_shipped_robot_has_a_description_that_can_be_read(world: str) -> None:
    scene = load_scene(shipped_worlds()[world])
    for node in scene.walk():
        if node.is_a("Robot"):
            text = write_urdf(robot_model(robot_parts(node)))
            if 'type="floating"' not in text:
                parse_urdf(text)


def test_a_description_leaves_the_robot_as_it_is() -> None:
    scene = Scene()
    node = add_urdf(scene, ROVER)
    before = node.copy()
    robot_model(robot_parts(node))
    assert node.equals(before)
