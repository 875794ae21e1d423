"""Present state of the world: values of fields now, and the world as text that starts from this state."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import AxisAngle, Pose, Vec3, cross, rotate_back, subtract
from sim_core.base.shipped import WRITTEN_ENDINGS
from sim_core.base.turns import inverse, turned
from sim_core.engines.capabilities import Editing
from sim_core.engines.world_view import World
from sim_core.model.field_routes import COMMANDED, JOINT_POSITIONS, POSE_FIELDS, FieldRoute, route_of
from sim_core.model.frames import pose_of, turned_view, view_of
from sim_core.model.kinematics import VELOCITIES, is_own_joint, moves_by_itself
from sim_core.model.robots import instances_around
from sim_core.recording.follow import viewpoint_field_pose, viewpoint_pose
from sim_core.scene import Node, write_scene
from sim_core.scene.axes import as_fields
from sim_core.scene.loader import scene_from_text
from sim_core.scene.older.axes_conversion import to_current_axes
from sim_core.scene.proto.hidden_fields import HIDDEN_FIELDS, joints_of
from sim_core.scene.wbt.header import X3D
from sim_core.scene.world_text import text_for
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.stated_poses import StatedPose

if TYPE_CHECKING:
    from sim_core.devices import Device
    from sim_core.session.robot import Robot

_log = logging.getLogger(__name__)
SAME = 1e-12
"""m, m/s, rad/s, and elements of rotation matrices: smaller differences from the scene are ignored."""
VIEW_FIELDS = ("position", "orientation")
"""Pose fields of a Viewpoint, which change when it follows a solid."""


class _Saving(NamedTuple):
    """Data for writing a world.

    Attributes:
        world: the world.
        editing: gives velocities and joint positions; None: they cannot be set, and none are written.
        originals: nodes with their original fields and PROTO instance, restored afterwards.
    """

    world: SimulatedWorld
    editing: Editing | None
    originals: list[tuple[Node, dict[str, Any], Any]]


def present_value(physics: World, node: Node, field: str) -> Any:
    """Return the present value of a field, in the axes of its file.

    Raises:
        SceneError: there is no such field.
    """
    value = node[field]
    goes = route_of(node, field)
    if goes is FieldRoute.POSE:
        pose = local_pose(physics, node)
        if is_same(pose, node):
            return value
        translation, rotation = as_fields(node, pose)
        return translation if field == "translation" else rotation
    if goes is FieldRoute.VELOCITY:
        return turned(inverse(node.axes.world), own_velocity(physics, node)[VELOCITIES.index(field)])
    if goes is FieldRoute.JOINT:
        joint, index = joint_position(node)
        return physics.axis(joint.id, index).position
    if node.type_name == "Viewpoint" and field in VIEW_FIELDS:
        return fields_of_view(node, viewpoint_pose(physics)).get(field, value)
    return value


def stated_value(physics: World, node: Node, field: str, value: Any) -> Any:
    """Return the value to write to the scene so that `present_value` gives `value`; it differs for a
    Viewpoint that has followed a solid."""
    if node.type_name != "Viewpoint" or field not in VIEW_FIELDS:
        return value
    given = [value if each == field else present_value(physics, node, each) for each in VIEW_FIELDS]
    seen = turned_view(node, Pose.from_axis_angle(*given))
    stated = viewpoint_field_pose(physics, physics.model.surroundings.viewpoint, seen)
    index = VIEW_FIELDS.index(field)
    return value if stated[index] == seen[index] else as_fields(node, stated)[index]


def fields_of_view(viewpoint: Node, pose: Pose) -> dict[str, Any]:
    """Return the fields of a Viewpoint to change, with values, so that its pose is X_WV."""
    fields = zip(VIEW_FIELDS, as_fields(viewpoint, pose), view_of(viewpoint), pose, strict=True)
    return {field: value for field, value, before, now in fields if before != now}


def owner_of(world: SimulatedWorld, node: Node) -> Robot | Device | None:
    """Return the robot or the device of a node; None: it is not simulated."""
    for robot in world.robots_of(instances_around(node)):
        if robot.node is node:
            return robot
        for device in robot.devices.values():
            if device.spec.id == node.id:
                return device
    return None


def field_now(world: SimulatedWorld, node: Node, field: str) -> Any:
    """Return the present value, also of fields that commands change; a pose as it was written when set."""
    owner = owner_of(world, node) if route_of(node, field) is FieldRoute.DEVICE else None
    stated = world.stated_poses.find_pose(node.id, field)
    if stated is not None and _is_still_set(world.physics, node, field, stated):
        return stated.value
    return present_value(world.physics, node, field) if owner is None else owner.field_now(field)


def _is_still_set(physics: World, solid: Node, field: str, stated: StatedPose) -> bool:
    """Return whether a solid is still as it was set; a pose of a dynamic solid is computed again after each
    step, as in Webots."""
    if physics.is_dynamic(solid.id) and physics.clock.elapsed_ns != stated.elapsed_ns:
        return False
    return _is_near(local_pose(physics, solid)[POSE_FIELDS.index(field)], stated.made)


def local_pose(physics: World, solid: Node) -> Pose:
    """Return the pose of a solid in its parent's frame, in the axes of the model."""
    pose: Pose = physics.frame(solid.id).pose()
    if solid.parent is None:
        return pose
    above: Pose = physics.frame(solid.parent.id).pose()
    return above.inverse() * pose


def own_velocity(physics: World, solid: Node) -> tuple[Vec3, Vec3]:
    """Return the linear and angular velocity that the fields of a solid mean, in the axes of the model: in
    the world, or, for a solid that moves by itself within another, in its parent's frame."""
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
    """Return `translation` and `rotation` of a solid at a pose in the world."""
    above: Pose = physics.frame(solid.parent.id).pose() if solid.parent is not None else Pose()
    return as_fields(solid, above.inverse() * pose)


def is_same(pose: Pose, solid: Node) -> bool:
    """Return whether a solid's fields state this pose."""
    stated = pose_of(solid)
    return _is_near((*pose.position, *pose.rotation), (*stated.position, *stated.rotation))


def _is_near(now: Sequence[float], then: Sequence[float]) -> bool:
    """Return whether numbers differ by rounding errors only."""
    return all(abs(a - b) <= SAME * max(1.0, abs(b)) for a, b in zip(now, then, strict=True))


def joint_position(parameters: Node) -> tuple[Node, int]:
    """Return the joint of these parameters and the index of its axis; a Servo is its own joint.

    Raises:
        SceneError: they belong to no joint.
    """
    if is_own_joint(parameters):
        return parameters, 0
    joint = parameters.parent
    if joint is None or parameters.parent_field not in JOINT_POSITIONS:
        raise SceneError(*parameters.source, f"{parameters.path()}.position", "the parameters of a joint")
    return joint, JOINT_POSITIONS[parameters.parent_field]


def file_text(world: SimulatedWorld, goal: Path) -> str:
    """Return the world as text in the format of the file's ending; warn of what the format cannot hold.

    Raises:
        SceneError: no world format has this ending.
    """
    ending, here = goal.suffix.lower(), world.scene
    if ending not in WRITTEN_ENDINGS:
        raise SceneError(str(goal), 0, 0, f'the ending "{ending}"', " or ".join(WRITTEN_ENDINGS))
    folder = goal.resolve().parent
    is_beside = folder == Path(here.file).resolve().parent
    text = save_text(world, None if is_beside else lambda file: os.path.relpath(file, folder))
    if ending == ".wbt":
        return text
    scene = scene_from_text(text, here.file, skip_missing=here.skip_missing, lenient=here.is_lenient)
    if scene.header.version != X3D:
        to_current_axes(scene)
    text, left_out = text_for(scene, goal)
    for line in left_out:
        _log.warning("%s: %s", goal, line)
    return text


def text_for_anywhere(world: SimulatedWorld) -> str:
    """Return the world as `save_text` does, for any folder of this machine: with absolute paths of files."""
    return save_text(world, str)


def save_text(world: SimulatedWorld, place: Callable[[Path], str] | None = None) -> str:
    """Return the world as text, with the present poses, velocities and joint positions.

    State inside PROTO instances is written as `hidden` fields. The scene is restored afterwards.

    Args:
        world: the world.
        place: how the text names a file that the world names relative to its own file; None: as the world.
    """
    world.start_from_edits()
    declared = world.scene.extern_protos
    saving = _Saving(world, world.physics.can.editing, [])  # None without editable dynamics
    try:
        for root in world.scene.nodes:
            _state_in(saving, root)
            if root.type_name == "Viewpoint" and (
                view := fields_of_view(root, viewpoint_pose(world.physics))
            ):
                _set(root, view, saving)
        if place is not None:
            _name_files(saving, Path(world.scene.file).resolve().parent, place)
        return write_scene(world.scene, is_short=True)
    finally:
        world.scene.extern_protos = declared
        for node, fields, proto in reversed(saving.originals):
            node.fields, node.proto = fields, proto


def _name_files(saving: _Saving, folder: Path, place: Callable[[Path], str]) -> None:
    """Name the files of PROTO nodes and of the fields `url`, and those that end in `Url`, as `place` does."""

    def named(url: Any) -> Any:
        is_relative = isinstance(url, str) and url and "://" not in url and not Path(url).is_absolute()
        file = folder / url if is_relative else None
        return url if file is None or not file.is_file() else Path(place(file.resolve())).as_posix()

    scene = saving.world.scene
    scene.extern_protos = [replace(each, url=named(each.url)) for each in scene.extern_protos]
    pending = list(scene.nodes)
    while pending:
        node = pending.pop()
        if node.proto is not None:
            continue
        files = {
            name: [named(each) for each in value] if isinstance(value, list) else named(value)
            for name, value in node.fields.items()
            if name == "url" or name.endswith("Url")
        }
        if files:
            _set(node, files, saving)
        pending += node.child_nodes()


def _state_in(saving: _Saving, node: Node) -> None:
    """Write the state of a tree to its fields."""
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
    """Write the state of a PROTO instance: to its own fields where they are bound, else to hidden fields."""
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
    saving.originals.append((node, node.fields, node.proto))
    node.fields = {**node.fields, **values}


def _changed(saving: _Saving, solid: Node) -> Iterator[tuple[str, Any]]:
    """Iterate over fields whose value differs from the scene: state, and fields changed by commands."""
    yield from moved_fields(saving.world.physics, saving.editing, solid)
    for field in (each for kind, fields in COMMANDED.items() if solid.is_a(kind) for each in fields):
        now = field_now(saving.world, solid, field)
        if now != solid[field]:
            yield field, now


def moved_fields(world: World, editing: Editing | None, node: Node) -> Iterator[tuple[str, Any]]:
    """Iterate over pose and velocity fields of a solid, or the position field of joint parameters, where they
    differ from the present state."""
    if node.has_field("position") and route_of(node, "position") is FieldRoute.JOINT:
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
    """Return the present position of a joint; None: it has none, or is at the position of the scene."""
    if editing is None or not editing.has_axis(joint.id, index):
        return None
    axis = world.axis(joint.id, index)
    return axis.position if abs(axis.position - axis.spec.position) > SAME else None
