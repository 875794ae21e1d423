"""PROTO instances whose bodies are made anew with another parameter, as Webots regenerates them.

The instance stays the same node, and goes on where it is and as it moves; the nodes of its body are others.
Where it has the same joints and is no robot, their positions are kept. A robot begins anew: its devices and
its controller, as when it is imported.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sim_core.base.errors import PhysicsError, SceneError, SceneErrors
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.scene import Node, Scene
from sim_core.scene.loader import expanded
from sim_core.scene.older.legacy import renew_old
from sim_core.scene.proto.hidden_fields import joints_of
from sim_core.scene.resets import reset_values
from sim_core.scene.wbt.writer import as_written, value_text
from sim_core.session.supervision.imports import check_removal

LONGEST = 60
"""Characters of a value in a message."""
JointKey = tuple[int, int, str, int]
"""Number of the solid and of the joint on it, as in hidden fields; type of the joint, and which axis."""


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
    assert node.proto is not None
    fields = {**node.proto.fields, **as_written(node)[1]}
    try:
        made = expanded(scene, node, {**fields, field: value} if field else fields)
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


def joint_positions(world: World, editing: Editing, node: Node) -> dict[JointKey, float]:
    """Those of all joints of an instance that go on where it is made anew: a robot has none."""
    is_robot = any(each.is_a("Robot") for each in node.walk())
    axes = [] if is_robot else _axes(editing, node)
    return {key: world.axis(joint.id, key[3]).position for key, joint in axes}


def put_joints(world: World, editing: Editing, node: Node, positions: dict[JointKey, float]) -> bool:
    """Let the joints of an instance that has been made anew be where they were, if they are the same;
    whether one was moved for that."""
    axes, was_moved = dict(_axes(editing, node)), False
    if axes.keys() == positions.keys():
        for key, position in positions.items():
            if position != world.axis(axes[key].id, key[3]).position:
                with suppress(PhysicsError):  # beyond its new stops, or an axis that cannot be set
                    editing.set_joint_position(axes[key].id, key[3], position)
                    was_moved = True
    return was_moved


def _axes(editing: Editing, node: Node) -> list[tuple[JointKey, Node]]:
    """The axes of all joints of an instance."""
    return [
        ((index, number, joint.type_name, axis), joint)
        for index, solid in enumerate(each for each in node.walk() if each.is_a("Solid"))
        for number, joint in enumerate(joints_of(solid))
        for axis in range(3)
        if editing.has_axis(joint.id, axis)
    ]
