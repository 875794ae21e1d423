"""The supervisor: reads and changes the world while it is simulated.

Between two steps, changes are made at once and can be read back; changes requested during a step (by a task
of `Simulation.every`) are made in phase 1 of the next step. A reset undoes all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3, rotate, three_numbers
from sim_core.base.state import Stateful, all_of
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.kinematics import VELOCITIES
from sim_core.recording.label_pictures import Label
from sim_core.scene import Node, load_scene
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.supervision import parameters
from sim_core.session.supervision.changes import insertion, removal
from sim_core.session.supervision.field_setting import FieldSetter, MakeEdit, editing_of
from sim_core.session.supervision.history import History
from sim_core.session.supervision.imports import check_import, check_removal, give_names, read_nodes
from sim_core.session.supervision.labels import WorldLabels
from sim_core.session.supervision.node_names import NodeNumbers, by_fields, find_node, no_node
from sim_core.session.supervision.present_state import field_now, file_text
from sim_core.session.supervision.saved_states import SavedStates

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class Supervisor:
    """Supervisor functions; see `Simulation.supervisor`.

    Attributes:
        labels: texts shown over the world.
        saved_states: states of nodes saved by name.
        numbers: names of the form `#17`, for programs that need unambiguous names.
        history: the changes that have been made.
        changed: called after a visible change other than motion; an error that it raises refuses the change,
            which is then undone.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self.labels = WorldLabels()
        self.saved_states = SavedStates()
        self.numbers = NodeNumbers()
        self.changed: list[Callable[[], None]] = []
        self._set_world(sim.world)

    def _set_world(self, world: SimulatedWorld) -> None:
        """Set the world, of which no change has been made."""
        self.history = History(world, self._notify)
        self._fields = FieldSetter(world, self.history, self._notify)

    # ---- finding

    def find(self, name: str) -> Node | None:
        """Return a node by its DEF, its path (`Node.path()`), or as a robot or root solid by its name; None:
        none.

        `A.B`: the node with DEF B below the one with DEF A. `A.children[0].endPoint`: by fields; `root[2]`: a
        root node, counted from 0. `#17`: by its number (see `numbers`).
        """
        return find_node(self._sim.world, self.numbers, name)

    def lasting_name(self, name: str) -> str:
        """Return a name that is valid in other runs too: by fields for a number (`#17`); others unchanged."""
        return self.numbers.lasting(self._sim.scene, name)

    def lasting(self, node: Node) -> str:
        """Return a name by fields of a node of the scene, as `lasting_name`."""
        return by_fields(self._sim.scene, node)

    def node(self, name: Node | str) -> Node:
        """Return the node of a name, as `find`; a node is returned as it is.

        Raises:
            SceneError: there is no such node; the message names the closest.
            DeviceError: the robot of this name is held as a row of arrays.
        """
        if isinstance(name, Node):
            return name
        found = find_node(self._sim.world, self.numbers, name)
        if found is None:
            if self._sim.is_copy(name):
                self._sim.robot(name)  # raises DeviceError that says why it has no node
            raise no_node(self._sim.world, name)
        return found

    # ---- reading

    def get(self, node: Node | str, field: str) -> Any:
        """Return the present value of a field: poses, velocities and joint positions as they are now.

        An instance of a PROTO has its parameters and the other fields of the generated node.

        Raises:
            SceneError: there is no such node or field.
        """
        target = self.node(node)
        own = parameters.own_field(target, field)
        return parameters.given(target, field) if own is None else self.get_inside(target, own)

    def get_inside(self, node: Node | str, field: str) -> Any:
        """Return a field's present value as `get`; of a PROTO instance by fields of the generated node."""
        return field_now(self._sim.world, self.node(node), field)

    def pose(self, node: Node | str) -> Pose:
        """Return the pose of a solid, or of another node that has one, in the world."""
        return self._sim.physics.frame(self.node(node).id).pose()

    def velocity(self, node: Node | str) -> tuple[Vec3, Vec3]:
        """Return the linear (of its origin, m/s) and angular velocity (rad/s) of a solid, world axes."""
        frame = self._sim.physics.frame(self.node(node).id)
        return frame.linear_velocity(), frame.angular_velocity()

    # ---- changing fields

    def set(self, node: Node | str, field: str, value: Any) -> None:
        """Set a field, and all fields that share it by USE or are bound to it by a PROTO.

        A parameter that a template reads regenerates its instance.

        Raises:
            SceneError: there is no such node or field, the value is not of its type, or the field is only
                read when a world is loaded.
            OdesimError: the world cannot be simulated with this value; it is restored.
        """
        self._when_allowed(self._fields.edit(self.node(node), field, value))

    def change_type(self, node: Node | str, type_name: str) -> None:
        """Change the type of a node to one that fits its place; fields of the same name are kept, others
        dropped.

        Raises:
            SceneError: the type does not fit, or the node cannot be changed.
            OdesimError: the world cannot be simulated so; it is restored.
        """
        self._when_allowed(self._fields.change_type(self.node(node), type_name))

    def set_velocity(
        self, node: Node | str, linear: Sequence[float] | None = None, angular: Sequence[float] | None = None
    ) -> None:
        """Set the velocity of a solid's origin, m/s, and its angular velocity, rad/s, world axes (a solid
        without Physics inside another: axes of that one); None: unchanged.

        Raises:
            PhysicsError: a value is not finite, or the solid is fixed to another one without Physics, or has
                a Plane.
        """
        solid = self.node(node)

        def change() -> None:
            given = zip(VELOCITIES, (linear, angular), strict=True)
            self._fields.set_velocity(
                solid, {field: three_numbers(each) for field, each in given if each is not None}
            )
            self._fields.write_start(solid)

        self._when_allowed(change)

    def add_force(
        self,
        node: Node | str,
        force: Sequence[float],
        offset: Sequence[float] | None = None,
        relative: bool = False,
    ) -> None:
        """Apply a force to a solid during the next step.

        Args:
            node: the solid.
            force: N, world axes; in the solid's axes if `relative`.
            offset: point of application in the solid's frame, m; None: the centre of mass.
            relative: True: `force` is in the solid's axes.

        Raises:
            PhysicsError: a value is not finite, or the solid has no Physics.
        """
        solid = self.node(node)

        def change() -> None:
            at = None if offset is None else self.pose(solid).apply(three_numbers(offset))
            pushed = self._in_world(solid, force, relative)
            editing_of(self._sim.world, solid).add_wrench(solid.id, pushed, ZERO, at)

        self._when_allowed(change)

    def add_torque(self, node: Node | str, torque: Sequence[float], relative: bool = False) -> None:
        """Apply a torque to a solid during the next step: N·m, world axes; in the solid's axes if `relative`.

        Raises:
            PhysicsError: a value is not finite, or the solid has no Physics.
        """
        solid = self.node(node)

        def change() -> None:
            turned = self._in_world(solid, torque, relative)
            editing_of(self._sim.world, solid).add_wrench(solid.id, ZERO, turned)

        self._when_allowed(change)

    def reset_physics(self, node: Node | str) -> None:
        """Stop a solid and all solids below it.

        Raises:
            PhysicsError: the node is not a solid.
        """
        solid = self.node(node)

        def change() -> None:
            self._sim.physics.stop(solid.id)
            self._fields.write_start(solid)

        self._when_allowed(change)

    def node_moved(self, node: Node) -> None:
        """Update observers, and the start state, after a node has been moved with all below it."""
        self._fields.write_start(node)
        self._sim.world.scene_edited(Edits([Edit(node, "", Aspect.POSE)]))
        self._notify()

    # ---- nodes that come and go

    def import_text(
        self, text: str, into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Add nodes given as VRML text; it may use PROTO nodes that the world or the text declares. Nodes
        that are not allowed there are skipped; the scene's warnings give the reasons.

        Args:
            text: one or more nodes.
            into: the node to add them to; None: the root of the scene.
            field: field of that node.
            index: index in the field before which to insert; -1: at the end.

        Returns:
            The new nodes, in the scene from now on (during a step: from the next one on).

        Raises:
            SceneErrors, SceneError: the text is wrong, or none of the nodes is allowed there.
            OdesimError: the world cannot be simulated with them; it is restored.
        """
        return self.import_nodes(read_nodes(self._sim.scene, text), into, field, index)

    def import_file(
        self, path: str | Path, into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Add the nodes of a file (`.wbo`, or another with the header of a world); see `import_text`."""
        from sim_core.scene.files import read_text

        nodes = read_nodes(self._sim.scene, read_text(path, "a file of nodes (.wbo)"), str(path))
        return self.import_nodes(nodes, into, field, index)

    def import_nodes(
        self, nodes: list[Node], into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Add nodes that have been made; see `import_text`."""
        scene = self._sim.scene
        holder = None if into is None else self.node(into)
        editing_of(self._sim.world, holder)
        nodes = check_import(scene, nodes, holder, field)
        give_names(nodes, self._sim.robots)
        self._when_allowed(
            lambda: self._fields.apply_changes(holder, field, insertion(scene, nodes, holder, field, index))
        )
        return [scene.shown(node) for node in nodes]

    def remove(self, node: Node | str) -> None:
        """Remove a node from the world, with all below it.

        Raises:
            SceneError: it cannot be removed.
            OdesimError: the world cannot be simulated without it; it is restored.
        """
        target = self.node(node)
        editing_of(self._sim.world, target)
        check_removal(self._sim.scene, target)
        self._when_allowed(lambda: self._fields.apply_changes(target, "", removal(self._sim.scene, target)))

    def set_label(self, number: int, label: Label | None) -> None:
        """Show a label with a number; None or an empty text removes it.

        Raises:
            CommandError: a value is out of range.
        """
        self.labels.set_label(number, label)
        self._notify()

    # ---- pictures

    def set_visibility(self, node: Node | str, viewer: Node | str, is_visible: bool) -> None:
        """Show or hide a node, and all below it, in the pictures of a Camera, a RangeFinder or the Viewpoint,
        and for the rays of a Lidar. A reset shows all; snapshots and saved worlds do not include it.

        Raises:
            SceneError: there is no such node, or the viewer is none of these.
        """
        target, seer = self.node(node), self.node(viewer)
        if seer.type_name not in ("Camera", "RangeFinder", "Lidar", "Viewpoint"):
            found = f"{seer.path()} as what something is hidden from"
            raise SceneError(*seer.source, found, "a Camera, a RangeFinder, a Lidar or the Viewpoint")
        hidden = self._sim.world.media.appearance_changes.hidden
        key, ids = None if seer.type_name == "Viewpoint" else seer.id, {each.id for each in target.walk()}
        now = hidden.get(key, frozenset())
        hidden[key] = now - ids if is_visible else now | ids

    def export_image(self, file: str | Path, width: int = 0, height: int = 0, **how: Any) -> Path:
        """Write the view of the Viewpoint as .png or .jpg; see `sim_core.recording.images.export_image`."""
        from sim_core.recording.images import export_image

        return export_image(self._sim, file, width, height, **how)

    # ---- whole worlds

    def save(self, path: str | Path) -> Path:
        """Write the world with its present poses, velocities and joint positions; return the file.

        The ending gives the format: .wbt, or .x3d or .wrl, for which warnings name what these formats cannot
        hold.

        Raises:
            SceneError: it cannot be written.
        """
        text = file_text(self._sim.world, Path(path))
        try:
            with atomic_file(path) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SceneError(
                str(path), 0, 0, f"cannot be written: {error.strerror}", "a place for it"
            ) from None
        return Path(path)

    def load_world(self, path: str | Path) -> None:
        """Load another world in the same `Simulation`, from its start; not during a step.

        Raises:
            OdesimError: it cannot be read or simulated; the present world remains.
        """
        if self._sim.is_stepping:
            raise PhysicsError("another world cannot be loaded during a step")
        here = self._sim.scene
        self._sim.load(
            load_scene(
                path,
                skip_missing=here.skip_missing,
                lenient=here.is_lenient,
                instanced=self._sim.config.instanced,
            )
        )

    def world_loaded(self) -> None:
        """Forget all changes, states and labels after another world has been loaded."""
        self._set_world(self._sim.world)
        self.saved_states.remove_states()
        self.labels.remove_labels()
        self._notify()

    def undo_changes(self) -> bool:
        """Undo all changes and remove all labels, before a reset.

        Returns:
            True if a change was undone.
        """
        self.labels.remove_labels()
        return self.history.undo_all()

    def after_reset(self) -> None:
        """Notify observers after a reset."""
        self._notify()

    def stateful(self) -> list[tuple[str, Stateful]]:
        """Return its objects with a state, by name, in a fixed order."""
        return all_of(self.labels, "labels") + all_of(self.saved_states, "saved states")

    # ---- within

    def _in_world(self, solid: Node, vector: Sequence[float], relative: bool) -> Vec3:
        """Return a vector in world axes; if `relative`, it is given in the solid's axes."""
        numbers = three_numbers(vector)
        return rotate(self.pose(solid).rotation, numbers) if relative else numbers

    def _when_allowed(self, edit: MakeEdit) -> None:
        """Make an edit: at once between two steps, during a step at the start of the next one."""
        if self._sim.is_stepping:
            self._sim.before_next_step(edit)
        else:
            self._sim.apply_edits()
            edit()

    def _notify(self) -> None:
        for listener in self.changed:
            listener()
