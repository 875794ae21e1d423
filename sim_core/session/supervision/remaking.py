"""PROTO instances whose bodies are made anew with another parameter, as Webots regenerates them.

The instance stays the same node, and the nodes of its body are others. What is kept is where the whole stands
and how it moves, and, where it has the same joints and is no robot, their positions. A robot begins anew: its
devices and its controller, as when it is imported.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from sim_core.base.errors import PhysicsError, SceneError, SceneErrors
from sim_core.base.geometry import Pose, Vec3, add, cross, subtract
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.scene import Node, Scene
from sim_core.scene.loader import expanded
from sim_core.scene.older.legacy import renew_old
from sim_core.scene.proto.hidden_fields import joints_of
from sim_core.scene.resets import reset_values
from sim_core.scene.wbt.writer import as_written, value_text
from sim_core.session.supervision.imports import check_removal
from sim_core.session.supervision.present import is_same, local_pose

LONGEST = 60
"""Characters of a value in a message."""
JointKey = tuple[int, int, str, int]
"""Number of the solid and of the joint on it, as in hidden fields; type of the joint, and which axis."""


class State(NamedTuple):
    """How an instance was.

    Attributes:
        pose: in the world; None: it is no Solid, or stands where its fields say.
        velocity: linear of its origin, and angular, world axes; None: no forces move it.
        joints: positions.
    """

    pose: Pose | None
    velocity: tuple[Vec3, Vec3] | None
    joints: dict[JointKey, float]


def check(scene: Scene, node: Node, what: str) -> None:
    """Refuse what cannot be made anew for a change of a field, or of something else of a node.

    Raises:
        SceneError: says why.
    """
    try:
        check_removal(scene, node)
    except SceneError as error:
        found = f"a change of {what} of {node.path()}, for which the node is made anew: {error.found}"
        raise SceneError(*node.source, found, error.expected) from None


def remade(scene: Scene, node: Node, field: str = "", value: Any = None) -> Node:
    """An instance like another, with one parameter changed, if one is named; it stands nowhere yet.

    Raises:
        SceneError: the PROTO makes nothing of this value.
    """
    _, fields = as_written(node)
    try:
        made = expanded(scene, node, {**fields, field: value} if field else dict(fields))
        renew_old(scene, list(made.walk()))
        if scene.is_lenient:
            _reset_as_before(scene, made)
    except SceneErrors as errors:
        first = errors.problems[0]
        what = f"{node.path()}.{field} cannot be {value_text(value)[:LONGEST]}" if field else node.path()
        found = f"{what}: {first.found}"
        raise SceneError(*node.source, found, first.expected) from None
    return made


def _reset_as_before(scene: Scene, made: Node) -> None:
    """Reset the values that cannot be, if the world has had them before.

    Raises:
        SceneErrors: those that it has not had.
    """
    mistakes: list[SceneError] = []
    reset_values(made.walk(), mistakes)
    told = set(map(str, scene.warnings))
    if new := [each for each in mistakes if str(each) not in told]:
        raise SceneErrors(new)


def state_of(world: World, editing: Editing, node: Node) -> State:
    """How an instance is now."""
    pose = velocity = None
    if node.is_a("Solid"):
        frame = world.frame(node.id)
        pose = None if is_same(local_pose(world, node), node) else frame.pose()
        if editing.moves_freely(node.id):
            velocity = (frame.linear_velocity(), frame.angular_velocity())
    is_robot = any(each.is_a("Robot") for each in node.walk())
    axes = [] if is_robot else _axes(editing, node)
    return State(pose, velocity, {key: world.axis(joint.id, key[3]).position for key, joint in axes})


def give_back(world: World, editing: Editing, node: Node, was: State) -> bool:
    """Let an instance that has been made anew go on as the one before; True: what stands still was moved."""
    was_moved = (
        was.pose is not None
        and node.is_a("Solid")
        and not is_same_pose(world.frame(node.id).pose(), was.pose)
    )
    is_placed = was_moved and editing.can_place(node.id)
    if is_placed and was.pose is not None:
        editing.place(node.id, was.pose)
    axes = dict(_axes(editing, node))
    if axes.keys() == was.joints.keys():
        for key, position in was.joints.items():
            if position != world.axis(axes[key].id, key[3]).position:
                with suppress(PhysicsError):  # beyond its new stops, or an axis that cannot be set
                    editing.set_joint_position(axes[key].id, key[3], position)
    if was.velocity is not None and node.is_a("Solid") and editing.moves_freely(node.id):
        linear, angular = was.velocity
        origin = world.frame(node.id).pose().position
        for solid in (each for each in node.walk() if each.is_a("Solid") and editing.moves_freely(each.id)):
            arm = subtract(world.frame(solid.id).pose().position, origin)
            editing.set_velocity(solid.id, add(linear, cross(angular, arm)), angular)
    return is_placed and not world.is_dynamic(node.id)


def is_same_pose(first: Pose, second: Pose) -> bool:
    """Whether two poses are one, but for rounding."""
    pairs = zip((*first.position, *first.rotation), (*second.position, *second.rotation), strict=True)
    return all(abs(a - b) < 1e-12 * max(1.0, abs(a)) for a, b in pairs)


def _axes(editing: Editing, node: Node) -> list[tuple[JointKey, Node]]:
    """The axes of all joints of an instance."""
    return [
        ((index, number, joint.type_name, axis), joint)
        for index, solid in enumerate(each for each in node.walk() if each.is_a("Solid"))
        for number, joint in enumerate(joints_of(solid))
        for axis in range(3)
        if editing.has_axis(joint.id, axis)
    ]
