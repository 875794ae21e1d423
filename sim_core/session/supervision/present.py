"""The world as it is now: present values of fields, and a scene that starts where this one stands."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import AxisAngle, Pose, Vec3, cross, rotate_back, subtract
from sim_core.base.shipped import WRITTEN_ENDINGS
from sim_core.base.turns import back, turned
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.model.frames import pose_of, turned_view, view_of
from sim_core.model.kinematics import VELOCITIES, is_own_joint, moves_by_itself
from sim_core.model.robots import instances_around
from sim_core.model.routes import COMMANDED, JOINT_POSITIONS, Route, route
from sim_core.recording.follow import viewpoint_field_pose, viewpoint_pose
from sim_core.scene import Node, write_scene
from sim_core.scene.axes import as_fields
from sim_core.scene.loader import scene_from_text
from sim_core.scene.older.restate import to_todays_axes
from sim_core.scene.proto.hidden_fields import HIDDEN_FIELDS, joints_of
from sim_core.scene.wbt.header import X3D
from sim_core.scene.world_text import text_for
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.stated_poses import Stated

if TYPE_CHECKING:
    from sim_core.devices import Device
    from sim_core.session.robot import Robot

_log = logging.getLogger(__name__)
SAME = 1e-12
"""m, m/s, rad/s, and rows of rotation matrices: what is so near to what the scene says is as it says."""
VIEW_FIELDS = ("position", "orientation")
"""Of a Viewpoint, which a solid that it follows takes along."""


class _Saving(NamedTuple):
    """The writing of a world.

    Attributes:
        world: what is written.
        editing: tells velocities and joint positions that can be set; None: none can be, and none is written.
        put_aside: nodes with the fields, and what they have of their PROTO, that they get back.
    """

    world: SimulatedWorld
    editing: Editing | None
    put_aside: list[tuple[Node, dict[str, Any], Any]]


def present_value(physics: World, node: Node, field: str) -> Any:
    """The value of a field now, in the axes of its file.

    Raises:
        SceneError: there is no such field.
    """
    value = node[field]
    goes = route(node, field)
    if goes is Route.POSE:
        pose = local_pose(physics, node)
        if is_same(pose, node):
            return value
        translation, rotation = as_fields(node, pose)
        return translation if field == "translation" else rotation
    if goes is Route.VELOCITY:
        return turned(back(node.axes.world), own_velocity(physics, node)[VELOCITIES.index(field)])
    if goes is Route.JOINT:
        joint, index = joint_position(node)
        return physics.axis(joint.id, index).position
    if node.type_name == "Viewpoint" and field in VIEW_FIELDS:
        return fields_of_view(node, viewpoint_pose(physics)).get(field, value)
    return value


def stated_value(physics: World, node: Node, field: str, value: Any) -> Any:
    """What the scene has to say for `present_value` to be this: another value of a Viewpoint that a solid has
    taken along."""
    if node.type_name != "Viewpoint" or field not in VIEW_FIELDS:
        return value
    given = [value if each == field else present_value(physics, node, each) for each in VIEW_FIELDS]
    seen = turned_view(node, Pose.from_axis_angle(*given))
    stated = viewpoint_field_pose(physics, physics.model.surroundings.viewpoint, seen)
    index = VIEW_FIELDS.index(field)
    return value if stated[index] == seen[index] else as_fields(node, stated)[index]


def fields_of_view(viewpoint: Node, pose: Pose) -> dict[str, Any]:
    """The fields of a Viewpoint that have to say something else for it to be at X_WV."""
    fields = zip(VIEW_FIELDS, as_fields(viewpoint, pose), view_of(viewpoint), pose, strict=True)
    return {field: value for field, value, before, now in fields if before != now}


def owner_of(world: SimulatedWorld, node: Node) -> Robot | Device | None:
    """The robot, or the device, that a node is; None: it is not simulated."""
    for robot in world.robots_of(instances_around(node)):
        if robot.node is node:
            return robot
        for device in robot.devices.values():
            if device.spec.id == node.id:
                return device
    return None


def field_now(world: SimulatedWorld, node: Node, field: str) -> Any:
    """As `present_value`, of fields that commands change too; a pose in the words in which it was set."""
    owner = owner_of(world, node) if route(node, field) is Route.DEVICE else None
    stated = world.stated_poses.find(node.id, field)
    if stated is not None and _holds(world.physics, node, field, stated):
        return stated.value
    return present_value(world.physics, node, field) if owner is None else owner.field_now(field)


def note_pose(world: SimulatedWorld, solid: Node, field: str, value: tuple[float, ...]) -> None:
    """Remember how the present pose of a solid was set."""
    made = _part(world.physics, solid, field)
    world.stated_poses.note(solid.id, field, Stated(value, world.physics.elapsed_ns, made))


def _holds(physics: World, solid: Node, field: str, stated: Stated) -> bool:
    """Whether a solid is still as it was set; what forces move is told anew after each step, as in Webots."""
    if physics.is_dynamic(solid.id) and physics.elapsed_ns != stated.elapsed_ns:
        return False
    return _is_near(_part(physics, solid, field), stated.made)


def _part(physics: World, solid: Node, field: str) -> tuple[float, ...]:
    """What of the pose of a solid a field is about."""
    pose = local_pose(physics, solid)
    return pose.position if field == "translation" else pose.rotation


def local_pose(physics: World, solid: Node) -> Pose:
    """Pose of a solid in the frame of the node above it, in the axes of the model."""
    pose: Pose = physics.frame(solid.id).pose()
    if solid.parent is None:
        return pose
    above: Pose = physics.frame(solid.parent.id).pose()
    return above.inverse() * pose


def own_velocity(physics: World, solid: Node) -> tuple[Vec3, Vec3]:
    """Linear and angular velocity that the fields of a solid are of, in the axes of the model: in the world,
    or, of what moves by itself in something, in the frame that it stands in."""
    frame = physics.frame(solid.id)
    linear, angular = frame.linear_velocity(), frame.angular_velocity()
    if solid.parent is None or not moves_by_itself(solid):
        return linear, angular
    above = physics.frame(solid.parent.id)
    pose, spin = above.pose(), above.angular_velocity()
    arm = subtract(frame.pose().position, pose.position)
    relative = subtract(subtract(linear, above.linear_velocity()), cross(spin, arm))
    return rotate_back(pose.rotation, relative), rotate_back(pose.rotation, subtract(angular, spin))


def fields_at(physics: Any, solid: Node, pose: Pose) -> tuple[Vec3, AxisAngle]:
    """What `translation` and `rotation` of a solid say if it is at a pose in the world."""
    above: Pose = physics.frame(solid.parent.id).pose() if solid.parent is not None else Pose()
    return as_fields(solid, above.inverse() * pose)


def is_same(pose: Pose, solid: Node) -> bool:
    """Whether a solid's fields state this pose."""
    stated = pose_of(solid)
    return _is_near((*pose.position, *pose.rotation), (*stated.position, *stated.rotation))


def _is_near(now: Sequence[float], then: Sequence[float]) -> bool:
    """Whether numbers differ by no more than rounding."""
    return all(abs(a - b) <= SAME * max(1.0, abs(b)) for a, b in zip(now, then, strict=True))


def joint_position(parameters: Node) -> tuple[Node, int]:
    """The joint whose parameters these are, and which of its axes; of a Servo it.

    Raises:
        SceneError: no joint has them.
    """
    if is_own_joint(parameters):
        return parameters, 0
    joint = parameters.parent
    if joint is None or parameters.parent_field not in JOINT_POSITIONS:
        raise SceneError(*parameters.source, f"{parameters.path()}.position", "the parameters of a joint")
    return joint, JOINT_POSITIONS[parameters.parent_field]


def file_text(world: SimulatedWorld, goal: Path) -> str:
    """The world as the text of a file, in the format that its ending says; what is not in it is told.

    Raises:
        SceneError: the ending is that of no world.
    """
    ending, here = goal.suffix.lower(), world.scene
    if ending not in WRITTEN_ENDINGS:
        raise SceneError(str(goal), 0, 0, f'the ending "{ending}"', " or ".join(WRITTEN_ENDINGS))
    text = save_text(world)
    if ending == ".wbt":
        return text
    scene = scene_from_text(text, here.file, skip_missing=here.skip_missing, lenient=here.is_lenient)
    if scene.header.version != X3D:
        to_todays_axes(scene)
    text, left_out = text_for(scene, goal)
    for line in left_out:
        _log.warning("%s: %s", goal, line)
    return text


def save_text(world: SimulatedWorld) -> str:
    """The world as text, with the poses, velocities and joint positions of now.

    State of the parts of PROTO instances is written as `hidden` fields. The scene is as before afterwards.
    """
    world.begin()
    saving = _Saving(world, world.physics.can.editing, [])  # it knows what moves freely
    try:
        for root in world.scene.nodes:
            _state_in(saving, root)
            if root.type_name == "Viewpoint" and (
                view := fields_of_view(root, viewpoint_pose(world.physics))
            ):
                _set(root, view, saving)
        return write_scene(world.scene, is_short=True)
    finally:
        for node, fields, proto in reversed(saving.put_aside):
            node.fields, node.proto = fields, proto


def _state_in(saving: _Saving, node: Node) -> None:
    """Write the state of a tree into its fields."""
    if node.proto is not None:
        _state_of_instance(saving, node)
        return
    if node.is_a("Solid") or node.is_a("Joint"):
        changes = dict(_changed(saving, node)) if node.is_a("Solid") else {}
        if changes:
            _set(node, changes, saving)
    if node.is_a("Joint"):
        for place, index in JOINT_POSITIONS.items():
            position = _position(saving.world.physics, saving.editing, node, index)
            if position is None:
                continue
            own = "position" if index == 0 else f"position{index + 1}"
            parameters = node[place] if node.has_field(place) else None
            if parameters is not None:
                _set(parameters, {"position": position}, saving)
            if node.has_field(own) and (parameters is None or node.is_set(own)):
                _set(node, {own: position}, saving)
    for child in node.child_nodes():
        _state_in(saving, child)


def _state_of_instance(saving: _Saving, node: Node) -> None:
    """The state of an instance of a PROTO: in its own fields where they lead to it, else as hidden fields."""
    assert node.proto is not None
    hidden = dict(node.proto.hidden)
    own: dict[str, Any] = {}
    for index, solid in enumerate(each for each in node.walk() if each.is_a("Solid")):
        for field, value in _changed(saving, solid):
            if solid is node and field in node.proto.connected:
                own[field] = value
            elif field in HIDDEN_FIELDS:
                hidden[f"{field}_{index}"] = value if isinstance(value, tuple) else (value,)
        for number, joint in enumerate(joints_of(solid)):
            for axis in range(3):
                position = _position(saving.world.physics, saving.editing, joint, axis)
                kind = "position" if axis == 0 else f"position{axis + 1}"
                if position is not None:
                    hidden[f"{kind}_{index}_{number}"] = (position,)
    if own or hidden:
        _set(node, own, saving)
        node.proto = replace(node.proto, hidden=hidden)


def _set(node: Node, values: dict[str, Any], saving: _Saving) -> None:
    saving.put_aside.append((node, node.fields, node.proto))
    node.fields = {**node.fields, **values}


def _changed(saving: _Saving, solid: Node) -> Iterator[tuple[str, Any]]:
    """State, and what commands changed, where the solid's fields say something else."""
    yield from moved_fields(saving.world.physics, saving.editing, solid)
    for field in (each for kind, fields in COMMANDED.items() if solid.is_a(kind) for each in fields):
        now = field_now(saving.world, solid, field)
        if now != solid[field]:
            yield field, now


def moved_fields(world: World, editing: Editing | None, node: Node) -> Iterator[tuple[str, Any]]:
    """Pose and velocity of a solid, or the position that the parameters of a joint are of, where its fields
    say something else."""
    if node.has_field("position") and route(node, "position") is Route.JOINT:
        position = _position(world, editing, *joint_position(node))
        if position is not None and abs(position - node["position"]) > SAME:
            yield "position", position
    if not node.is_a("Solid"):
        return
    pose = local_pose(world, node)
    if not is_same(pose, node):
        translation, rotation = as_fields(node, pose)
        yield "translation", translation
        yield "rotation", rotation
    moves = editing is not None and editing.moves_freely(node.id)
    for field in VELOCITIES:
        now = present_value(world, node, field) if moves else (0.0, 0.0, 0.0)
        if not _is_near(now, node[field]):
            yield field, now


def _position(world: World, editing: Editing | None, joint: Node, index: int) -> float | None:
    """The position of a joint now; None: it has none, or stands where the scene has it."""
    if editing is None or not editing.has_axis(joint.id, index):
        return None
    axis = world.axis(joint.id, index)
    return axis.position if abs(axis.position - axis.spec.position) > SAME else None
