"""Regeneration of PROTO instances with another parameter, as in Webots.

The instance stays the same node and keeps its pose and motion; the nodes of its body are replaced. If it has
the same joints and is no robot, their positions are kept. A robot restarts: its devices and its controller,
as when it is imported.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sim_core.base.errors import PhysicsError, SceneError, SceneErrors
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.scene import Node, Scene
from sim_core.scene.loader import expanded
from sim_core.scene.older.legacy import convert_nodes
from sim_core.scene.proto.hidden_fields import joints_of
from sim_core.scene.resets import reset_values
from sim_core.scene.wbt.writer import as_written, value_text
from sim_core.session.supervision.imports import check_removal

LONGEST = 60
"""Maximum number of characters of a value in a message."""
JointKey = tuple[int, int, str, int]
"""Number of the solid and of the joint on it, as in hidden fields; type of the joint; index of the axis."""


def check(scene: Scene, node: Node, what: str) -> None:
    """Check that a node can be regenerated for a change of `what`.

    Raises:
        SceneError: it cannot; gives the reason.
    """
    try:
        check_removal(scene, node)
    except SceneError as error:
        found = (
            f"a change of {what} of {node.path()}, which requires the regeneration of the node: {error.found}"
        )
        raise SceneError(*node.source, found, error.expected) from None


def regenerated(scene: Scene, node: Node, field: str = "", value: Any = None) -> Node:
    """Return a detached copy of an instance, with one parameter changed if one is named.

    Raises:
        SceneError: the PROTO cannot be instantiated with this value.
    """
    assert node.proto is not None
    fields = {**node.proto.fields, **as_written(node)[1]}
    try:
        made = expanded(scene, node, {**fields, field: value} if field else fields)
        convert_nodes(scene, list(made.walk()))
        if scene.is_lenient:
            _reset_as_before(scene, made)
    except SceneErrors as errors:
        first = errors.problems[0]
        what = f"{node.path()}.{field} cannot be {value_text(value)[:LONGEST]}" if field else node.path()
        found = f"{what}: {first.found}"
        raise SceneError(*node.source, found, first.expected) from None
    return made


def _reset_as_before(scene: Scene, made: Node) -> None:
    """Reset impossible values if the world had the same ones before.

    Raises:
        SceneErrors: new impossible values.
    """
    mistakes: list[SceneError] = []
    reset_values(made.walk(), mistakes)
    known = set(map(str, scene.warnings))
    if new := [each for each in mistakes if str(each) not in known]:
        raise SceneErrors(new)


def joint_positions(world: World, editing: Editing, node: Node) -> dict[JointKey, float]:
    """Return the positions of all joints of an instance that are kept; those of a robot are not."""
    is_robot = any(each.is_a("Robot") for each in node.walk())
    axes = [] if is_robot else _axes(editing, node)
    return {key: world.axis(joint.id, key[3]).position for key, joint in axes}


def restore_joints(world: World, editing: Editing, node: Node, positions: dict[JointKey, float]) -> bool:
    """Restore the joint positions of a regenerated instance if it has the same joints; return whether one was
    moved."""
    axes, was_moved = dict(_axes(editing, node)), False
    if axes.keys() == positions.keys():
        for key, position in positions.items():
            if position != world.axis(axes[key].id, key[3]).position:
                with suppress(PhysicsError):  # past its new stops, or an axis that cannot be set
                    editing.set_joint_position(axes[key].id, key[3], position)
                    was_moved = True
    return was_moved


def _axes(editing: Editing, node: Node) -> list[tuple[JointKey, Node]]:
    """Return the axes of all joints of an instance."""
    return [
        ((index, number, joint.type_name, axis), joint)
        for index, solid in enumerate(each for each in node.walk() if each.is_a("Solid"))
        for number, joint in enumerate(joints_of(solid))
        for axis in range(3)
        if editing.has_axis(joint.id, axis)
    ]
