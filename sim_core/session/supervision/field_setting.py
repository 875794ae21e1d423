"""Sets fields while a world is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.turns import inverse, turned
from sim_core.engines.capabilities import Editing
from sim_core.model.changes import Aspect, Edit, Edits, aspect_of
from sim_core.model.field_routes import JOINT_POSITIONS, POSE_FIELDS, FieldRoute, route_of
from sim_core.model.frames import position_in, rotation_in
from sim_core.model.kinematics import VELOCITIES, joint_above, moves_by_itself, moves_from_start
from sim_core.model.robots import instances_around
from sim_core.scene import Node
from sim_core.scene.axes import as_fields
from sim_core.scene.proto.expansion import instance_around, is_shown, template_users
from sim_core.scene.proto.hidden_fields import hidden_place
from sim_core.scene.values import checked
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.stated_poses import StatedPose
from sim_core.session.supervision import parameters, regeneration
from sim_core.session.supervision.allowed_types import changed_to
from sim_core.session.supervision.changes import (
    BodyChange,
    Change,
    FieldChange,
    HiddenChange,
    ParameterChange,
)
from sim_core.session.supervision.history import History
from sim_core.session.supervision.imports import give_names
from sim_core.session.supervision.present_state import (
    joint_position,
    local_pose,
    moved_fields,
    own_velocity,
    owner_of,
    present_value,
    stated_value,
)

MakeEdit = Callable[[], None]
"""Applies an edit; only between two steps, or in phase 1 of a step."""

ONLY_AT_START = {
    "WorldInfo": (
        "basicTimeStep",
        "physics",
        "randomSeed",
        "fast2d",
        "gpsCoordinateSystem",
        "optimalThreadCount",
    ),
    "Robot": (
        "controller",
        "synchronization",
        "battery",
        "cpuConsumption",
        "selfCollision",
    ),
    "Charger": ("battery", "radius", "emissiveColor", "gradual"),
}
"""Fields that are only read when the world is loaded."""
OWN_NOTES = ("customData", "window", "showWindow", "remoteControl")
"""Fields of a robot without effect on other objects, which may change inside a PROTO too."""
AT_START = "when the world is loaded: save the world with the new value, and load it"


class FieldSetter:
    """Sets fields: state in the engine or device, all else in the scene, whose observers are then updated."""

    def __init__(self, world: SimulatedWorld, history: History, notify: Callable[[], None]) -> None:
        """Create a setter; `notify` is called after a visible change other than motion."""
        self._world, self._history, self._notify = world, history, notify

    def edit(self, node: Node, field: str, value: Any) -> MakeEdit:
        """Return a function that sets a field, after all checks that can be made before.

        Raises:
            SceneError: there is no such field, the value is not of its type, or the field is only read when a
                world is loaded.
        """
        kind = parameters.kind_of(node, field)
        if kind is None:
            node[field]  # raises SceneError
            kind = node.node_type.fields[field]
        if kind.type.endswith("Node"):
            found = f"{node.path()}.{field} holds nodes"
            expected = "a field of numbers or text; nodes are imported and removed"
            raise SceneError(*node.source, found, expected)
        try:
            value = checked(kind, value)
        except ValueError as error:
            found = f"{node.path()}.{field} cannot be {value!r}"
            raise SceneError(*node.source, found, str(error)) from None
        parameter = parameters.parameter_of(node, field)
        goes = route_of(node, field)
        if goes is FieldRoute.SCENE:
            self._check_place(node, field, parameter)
        if parameter is None:
            if goes is FieldRoute.SCENE:
                self._check_time(node, field)
            return partial(self._set, node, field, value, goes)
        own = parameters.own_field(node, parameter)
        if own is not None and route_of(node, own) is FieldRoute.SCENE:
            self._check_time(node, own)
        if parameters.regenerates(node, parameter) or not self._can_follow(node, parameter):
            editing_of(self._world, node)
            regeneration.check(self._world.scene, node, parameter)
            return partial(self._regenerate, node, parameter, value)
        return partial(self._set_parameter, node, parameter, value)

    def _check_place(self, node: Node, field: str, parameter: str | None) -> None:
        """Refuse changes that a file could not contain: inside the body of a PROTO only state can be set."""
        maker = instance_around(node) or (node if parameter is None else None)
        if maker is None or maker.proto is None:
            return
        if aspect_of(node, field) is not Aspect.NOTE or node.type_name != "Robot" or field not in OWN_NOTES:
            name = maker.proto.node_type.name
            found = f"a change of {node.path()}.{field}, a part of a {name}"
            raise SceneError(*node.source, found, f"a field that the {name} is given")

    def _check_time(self, node: Node, field: str) -> None:
        """Refuse fields that are only read when a world is loaded."""
        found = f"a change of {node.path()}.{field}"
        if field == "name" and (node.is_a("Robot") or node.is_a("Device")):
            expected = "another field: its topics and commands go by that name"
        elif any(node.is_a(kind) and field in fields for kind, fields in ONLY_AT_START.items()):
            expected = f"the field counts {AT_START}"
        elif aspect_of(node, field) is Aspect.DEVICE and not self._can_read(node, field):
            expected = f"a device is made from its fields {AT_START}"
        else:
            return
        raise SceneError(*node.source, found, expected)

    def _can_read(self, node: Node, field: str) -> bool:
        """Return whether the devices that use this field, if any, can read it while they run."""
        return all(
            device.can_read(each.id, field)
            for each in node.linked_nodes()
            for robot in self._world.robots_of(instances_around(each))
            for device in robot.devices.values()
            if device.has_part(each.id)
        )

    def _can_follow(self, node: Node, parameter: str) -> bool:
        """Return whether all fields that are bound to a parameter can change while the world runs."""
        return all(
            is_parameter or aspect_of(each, field) is not Aspect.DEVICE or self._can_read(each, field)
            for each, field, is_parameter in parameters.targets(node, parameter)
        )

    def change_type(self, node: Node, type_name: str) -> MakeEdit:
        """Return a function that changes the type of a node and its copies by USE, after all checks.

        Raises:
            SceneError: the type does not fit.
        """
        editing_of(self._world, node)
        regeneration.check(self._world.scene, node, "its type")
        changed_to(node, type_name)
        return partial(self._change_type, node, type_name)

    def _change_type(self, node: Node, type_name: str) -> None:
        nodes = node.linked_nodes()
        made = [changed_to(each, type_name) for each in nodes]
        for was, now in zip(nodes, made, strict=True):
            if was.is_a("Solid") and now.is_a("Pose") and self._world.scene.holds(was):
                for field in POSE_FIELDS:
                    now[field] = present_value(self._world.physics, was, field)
        self._replace_contents(nodes, dict(zip(nodes, made, strict=True)).__getitem__, "its type")

    def _regenerate(self, node: Node, parameter: str, value: Any) -> None:
        """Regenerate the bodies of an instance and its copies by USE with another parameter."""
        nodes = [each for each in node.linked_nodes() if each.proto is not None]
        made = {each: regeneration.regenerated(self._world.scene, each, parameter, value) for each in nodes}
        first = [BodyChange(each, partial(made.__getitem__, each)) for each in nodes]
        if not self._regenerate_readers(node, first):
            self._replace_contents(nodes, made.__getitem__, parameter)

    def apply_changes(self, node: Node | None, field: str, changes: list[Change]) -> None:
        """Make changes in a field of a node, and regenerate instances whose templates read it.

        An empty field means the node as a whole; node None means the root."""
        own = None if node is None or not field else parameters.parameter_of(node, field)
        if node is not None and own is not None and parameters.regenerates(node, own):
            given = [each for each in changes if isinstance(each, ParameterChange) and each.node is node]
            self._regenerate_all([each for each in node.linked_nodes() if each.proto is not None], own, given)
        elif node is None or not self._regenerate_readers(node, changes):
            self._history.make(changes)

    def _regenerate_readers(self, node: Node, changes: Sequence[Change]) -> bool:
        """Make changes and regenerate instances whose templates read them; False: there are none, nothing is
        done."""
        outermost = next(iter(reversed(list(template_users(node)))), None)
        if outermost is None:
            return False
        instance, parameter = outermost
        self._regenerate_all(
            [each for each in instance.linked_nodes() if each.proto is not None], parameter, changes
        )
        return True

    def _regenerate_all(self, nodes: list[Node], parameter: str, first: Sequence[Change]) -> None:
        """Regenerate the bodies of instances after changes of their parameters."""

        def make(each: Node) -> Node:
            return regeneration.regenerated(self._world.scene, each)

        self._replace_contents(nodes, make, parameter, first)

    def _replace_contents(
        self, nodes: list[Node], make: Callable[[Node], Node], what: str, first: Sequence[Change] = ()
    ) -> None:
        """Replace the contents of nodes, after other changes; poses, motion and joint positions are kept."""
        world, editing = self._world, editing_of(self._world, nodes[0])
        present = [each for each in nodes if world.scene.holds(each) and is_shown(each)]
        for each in present:
            regeneration.check(world.scene, each, what)
        removed = {below for each in nodes for below in each.walk()}
        taken = [name for name, robot in world.robots.items() if robot.node not in removed]

        def named(each: Node) -> Node:
            made = make(each)
            give_names([made], taken)
            taken.extend(robot["name"] for robot in made.walk() if robot.is_a("Robot"))
            return made

        joints = [regeneration.joint_positions(world.physics, editing, each) for each in present]

        def restore() -> None:
            for each, positions in zip(present, joints, strict=True):
                if regeneration.restore_joints(world.physics, editing, each, positions):
                    self.write_start(each)
                    world.scene_edited(Edits([Edit(each, "", Aspect.POSE)]))

        self._history.make([*first, *(BodyChange(each, partial(named, each)) for each in nodes)], restore)

    def _set_parameter(self, node: Node, parameter: str, value: Any) -> None:
        """Set a parameter of an instance and of its copies by USE, and all fields bound to it."""
        own = parameters.own_field(node, parameter)
        if own is not None and (goes := route_of(node, own)) is not FieldRoute.SCENE:
            self._set(node, own, value, goes)
            return
        instances = [each for each in node.linked_nodes() if each.proto is not None]
        self._change(node, [change for each in instances for change in self._bound(each, parameter, value)])
        for bound, field, _ in (each for it in instances for each in parameters.targets(it, parameter)):
            if route_of(bound, field) is FieldRoute.JOINT:
                self._set(bound, field, value, FieldRoute.JOINT)

    def _bound(self, instance: Node, parameter: str, value: Any) -> Iterator[Change]:
        """Return the changes for a parameter of one instance."""
        yield ParameterChange(instance, parameter, value)
        done: set[tuple[Node, str]] = set()
        for bound, field, is_parameter in parameters.targets(instance, parameter):
            if is_parameter:
                yield ParameterChange(bound, field, value)
                continue
            if route_of(bound, field) is FieldRoute.JOINT:
                continue  # state, not part of the scene
            kind = bound.node_type.fields[field].type
            new = [value] if kind.startswith("MF") and not isinstance(value, list) else value
            for each in bound.linked_nodes():
                if (each, field) not in done:
                    done.add((each, field))
                    yield FieldChange(each, field, new)

    def _set(self, node: Node, field: str, value: Any, goes: FieldRoute) -> None:
        if goes is FieldRoute.DEVICE and (owner := owner_of(self._world, node)) is not None:
            owner.edit_field(field, value)
            self._notify()
            return
        if goes in (FieldRoute.DEVICE, FieldRoute.SCENE):
            value = stated_value(self._world.physics, node, field, value)
            self._change(node, [FieldChange(each, field, value) for each in node.linked_nodes()])
        elif not self._move(editing_of(self._world, node), node, field, value, goes):
            self._change(node, list(self._state(node, field, value)))
        elif self._world.physics.clock.elapsed_ns == 0:  # before the first step the scene states all poses
            self._history.note(list(self._state(node, field, value)))
            if goes is not FieldRoute.POSE:
                self.write_start(joint_position(node)[0] if goes is FieldRoute.JOINT else node)

    def write_start(self, node: Node) -> None:
        """Before the first step: write the present state of a node, and of all that moves with it, to the
        scene."""
        if self._world.physics.clock.elapsed_ns:
            return
        editing = editing_of(self._world, node)
        top = next((each for each in (node, *node.ancestors()) if editing.moves_freely(each.id)), node)
        self._history.note(
            [
                change
                for each in top.walk()
                for field, value in moved_fields(self._world.physics, editing, each)
                for change in self._state(each, field, value)
            ]
        )

    def _move(self, editing: Editing, node: Node, field: str, value: Any, goes: FieldRoute) -> bool:
        """Set state in the engine; False: the field has no state there that can be set alone."""
        match goes:
            case FieldRoute.VELOCITY:
                self.set_velocity(node, {field: turned(node.axes.world, value)})
            case FieldRoute.JOINT:
                joint, index = joint_position(node)
                editing.set_joint_position(joint.id, index, value)
            case _ if (above := joint_above(node)) is not None and self._world.physics.is_dynamic(node.id):
                self._attach(editing, above, node, field, value)
            case _ if editing.can_place(node.id):
                world = self._world
                editing.place(node.id, self._placed(node, field, value)[0])
                made = local_pose(world.physics, node)[POSE_FIELDS.index(field)]
                stated = StatedPose(value, world.physics.clock.elapsed_ns, made)
                world.stated_poses.note(node.id, field, stated)
                if not world.model.solid(node.id).moves:
                    # Observers do not read solids that stand still in each step.
                    world.scene_edited(Edits([Edit(node, field, Aspect.POSE)]))
                    self._notify()
            case _:
                return False
        return True

    def set_velocity(self, node: Node, given: Mapping[str, Vec3]) -> None:
        """Set the velocity fields given, in the axes of the model; other velocities are kept.

        A solid without Physics that stood still moves from then on according to its velocity fields.

        Raises:
            PhysicsError: see `Editing.set_velocity`.
        """
        if moves_by_itself(node) and any(map(any, given.values())) and not moves_from_start(node):
            for field, value in given.items():
                self._change(node, list(self._state(node, field, turned(inverse(node.axes.world), value))))
        now = {**dict(zip(VELOCITIES, own_velocity(self._world.physics, node), strict=True)), **given}
        editing_of(self._world, node).set_velocity(node.id, *(now[field] for field in VELOCITIES))

    def _state(self, node: Node, field: str, value: Any) -> Iterator[Change]:
        """Return the changes that write a state of a node to the scene and to what is saved of it."""
        yield FieldChange(node, field, value)
        if node.original is not None and not is_shown(node.original):
            yield FieldChange(node.original, field, value)
        parameter = parameters.parameter_of(node, field)
        if parameter is not None and instance_around(node) is None:
            yield ParameterChange(node, parameter, value)
        elif (place := hidden_place(node, field)) is not None:
            yield HiddenChange(node, *place, value if isinstance(value, tuple) else (value,))

    def _attach(self, editing: Editing, joint: Node, solid: Node, field: str, value: Any) -> None:
        """Move the end solid of a joint; the joint keeps its position and attaches the solid at the new
        pose."""
        physics, (pose, local) = self._world.physics, self._placed(solid, field, value)
        changes: list[Change] = []
        for name, number in zip(POSE_FIELDS, as_fields(solid, local), strict=True):
            changes += self._state(solid, name, number)
        for place, index in JOINT_POSITIONS.items():
            parameters = joint[place] if joint.has_field(place) else None
            if parameters is not None and editing.has_axis(joint.id, index):
                changes += self._state(parameters, "position", physics.axis(joint.id, index).position)
        self._history.make(changes, lambda: editing.place(solid.id, pose))

    def _placed(self, solid: Node, field: str, value: Any) -> tuple[Pose, Pose]:
        """Return the pose of a solid with another translation or rotation: in the world, and in its parent's
        frame."""
        physics = self._world.physics
        now = local_pose(physics, solid)
        if field == "translation":
            now = Pose(position_in(solid, value), now.rotation)
        else:
            now = Pose(now.position, rotation_in(solid, value))
        outer = physics.frame(solid.parent.id).pose() if solid.parent is not None else Pose()
        return outer * now, now

    def _change(self, node: Node, changes: list[Change]) -> None:
        if any(
            aspect_of(each, field) in (Aspect.STRUCTURE, Aspect.SIZE, Aspect.MASS, Aspect.DEVICE)
            for change in changes
            for each, field in change.changed
        ):
            editing_of(self._world, node)
        if not self._regenerate_readers(node, changes):
            self._history.make(changes)


def editing_of(world: SimulatedWorld, node: Node | None) -> Editing:
    """Return the engine's editing interface, for a change of a node (None: of the root).

    Raises:
        PhysicsError: robots are held as arrays in the fast 2D mode; such a world cannot be changed.
    """
    editing = world.physics.can.editing  # None: the engine keeps exactly what it was built with
    if editing is None:
        what = node.path() if node is not None else "the world"
        raise PhysicsError(
            f"{what} cannot be changed while robots are held as arrays, expected instanced: false"
        )
    return editing
