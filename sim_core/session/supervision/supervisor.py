"""The supervisor: reads and changes the world while it is simulated.

Changes take effect in phase 1 of the next step. Between two steps that is the same as at once, so there they
are made at once and can be read back; asked for during a step (by a task of `Simulation.every`), they wait.
A reset takes back all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3, rotate, three_numbers
from sim_core.base.state import Stateful, all_of
from sim_core.base.whole_file import whole_file
from sim_core.model.changes import Aspect, Edit, Edits
from sim_core.model.kinematics import VELOCITIES
from sim_core.recording.label_pictures import Label
from sim_core.scene import Node, load_scene
from sim_core.session.simulated_world import SimulatedWorld
from sim_core.session.supervision import parameters
from sim_core.session.supervision.changes import insertion, removal
from sim_core.session.supervision.field_setting import FieldSetter, MakeEdit, editing_of
from sim_core.session.supervision.finding import NodeNumbers, by_fields, find_node, no_node
from sim_core.session.supervision.history import History
from sim_core.session.supervision.imports import check_import, check_removal, give_names, read_nodes
from sim_core.session.supervision.labels import WorldLabels
from sim_core.session.supervision.present import field_now, file_text
from sim_core.session.supervision.saved_states import SavedStates

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation


class Supervisor:
    """What a supervisor may do; had by `Simulation.supervisor`.

    Attributes:
        labels: texts that are shown over the world.
        saved_states: what was kept of nodes by name.
        numbers: names of the form `#17`, for programs that must not mistake a node for another.
        history: the changes that have been made.
        changed: called after something that is seen has changed, other than by moving; what it raises
            refuses the change, which is then taken back.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self.labels = WorldLabels()
        self.saved_states = SavedStates()
        self.numbers = NodeNumbers()
        self.changed: list[Callable[[], None]] = []
        self._take(sim.world)

    def _take(self, world: SimulatedWorld) -> None:
        """This world is simulated from now on; no change of it has been made."""
        self.history = History(world, self._tell)
        self._fields = FieldSetter(world, self.history, self._tell)

    # ---- finding

    def find(self, name: str) -> Node | None:
        """A node by its DEF, its path (`Node.path()`), or as a robot or root solid by its name; None: none.

        `A.B`: the node with DEF B below the one with DEF A. `A.children[0].endPoint`: by fields; `root[2]`: a
        root node, counted from 0. `#17`: by its number (see `numbers`).
        """
        return find_node(self._sim.world, self.numbers, name)

    def lasting_name(self, name: str) -> str:
        """A name that counts in other runs too: for a number (`#17`) that by fields; others as they are."""
        return self.numbers.lasting(self._sim.scene, name)

    def lasting(self, node: Node) -> str:
        """As `lasting_name`, of a node of the scene."""
        return by_fields(self._sim.scene, node)

    def node(self, name: Node | str) -> Node:
        """As `find`; a node is itself.

        Raises:
            SceneError: there is no such node; names the closest.
            DeviceError: the robot of this name is held as an array.
        """
        if isinstance(name, Node):
            return name
        found = find_node(self._sim.world, self.numbers, name)
        if found is None:
            if self._sim.is_copy(name):
                self._sim.robot(name)  # which says why it has no node
            raise no_node(self._sim.world, name)
        return found

    # ---- reading

    def get(self, node: Node | str, field: str) -> Any:
        """The present value of a field: poses, velocities and joint positions as they are now.

        Of an instance of a PROTO its parameters, and what else the node has that the PROTO makes.

        Raises:
            SceneError: there is no such node or field.
        """
        target = self.node(node)
        own = parameters.own_field(target, field)
        return parameters.given(target, field) if own is None else self.get_inside(target, own)

    def get_inside(self, node: Node | str, field: str) -> Any:
        """As `get`, of an instance of a PROTO by the fields of the node that the PROTO makes."""
        return field_now(self._sim.world, self.node(node), field)

    def pose(self, node: Node | str) -> Pose:
        """Pose of a solid, or of another node that has one, in the world."""
        return self._sim.physics.frame(self.node(node).id).pose()

    def velocity(self, node: Node | str) -> tuple[Vec3, Vec3]:
        """Linear (of its origin, m/s) and angular velocity (rad/s) of a solid, world axes."""
        frame = self._sim.physics.frame(self.node(node).id)
        return frame.linear_velocity(), frame.angular_velocity()

    # ---- changing fields

    def set(self, node: Node | str, field: str, value: Any) -> None:
        """Change a field, and all that is one with it by USE or bound to it by a PROTO, for all who read it.

        A parameter that a template reads makes the body of its instance anew.

        Raises:
            SceneError: no such node or field, a value that is not of its type, or that counts only when a
                world is loaded.
            OdesimError: the world cannot be simulated with this value; it is as before.
        """
        self._when_allowed(self._fields.edit(self.node(node), field, value))

    def change_type(self, node: Node | str, type_name: str) -> None:
        """Give a node another type that fits its place; the fields of the same name stay, the others go.

        Raises:
            SceneError: the type does not fit, or the node must be as it is.
            OdesimError: the world cannot be simulated so; it is as before.
        """
        self._when_allowed(self._fields.change_type(self.node(node), type_name))

    def set_velocity(
        self, node: Node | str, linear: Sequence[float] | None = None, angular: Sequence[float] | None = None
    ) -> None:
        """Let a solid move: velocity of its origin, m/s, and angular, rad/s, world axes (without Physics, in
        another one: axes of that); None: as it is.

        Raises:
            PhysicsError: not finite, or the solid is fixed to another one without Physics, or has a Plane.
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
        """Push a solid during the next step.

        Args:
            node: the solid.
            force: N, world axes; in the solid's axes if `relative`.
            offset: where, in the solid's frame, m; None: the centre of mass.
            relative: see above.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        solid = self.node(node)

        def change() -> None:
            at = None if offset is None else self.pose(solid).apply(three_numbers(offset))
            pushed = self._in_world(solid, force, relative)
            editing_of(self._sim.world, solid).add_wrench(solid.id, pushed, ZERO, at)

        self._when_allowed(change)

    def add_torque(self, node: Node | str, torque: Sequence[float], relative: bool = False) -> None:
        """Turn a solid during the next step: N·m, world axes; in the solid's axes if `relative`.

        Raises:
            PhysicsError: not finite, or the solid has no Physics.
        """
        solid = self.node(node)

        def change() -> None:
            turned = self._in_world(solid, torque, relative)
            editing_of(self._sim.world, solid).add_wrench(solid.id, ZERO, turned)

        self._when_allowed(change)

    def reset_physics(self, node: Node | str) -> None:
        """Stop a solid and all solids below it.

        Raises:
            PhysicsError: it is no solid.
        """
        solid = self.node(node)

        def change() -> None:
            editing_of(self._sim.world, solid).stop(solid.id)
            self._fields.write_start(solid)

        self._when_allowed(change)

    def note_placed(self, node: Node) -> None:
        """A node was put elsewhere, with all below it: let all see that, and the start say so."""
        self._fields.write_start(node)
        self._sim.world.look_again(Edits([Edit(node, "", Aspect.POSE)]))
        self._tell()

    # ---- nodes that come and go

    def import_text(
        self, text: str, into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Bring in nodes given as VRML text; PROTO nodes as the world declares them, or the text itself.
        Of several nodes those that cannot stand there are passed over: the scene's warnings say why.

        Args:
            text: one or more nodes.
            into: the node that shall hold them; None: the root of the scene.
            field: which field of it.
            index: before which node of the list; -1: behind the last.

        Returns:
            The new nodes, in the scene from now on (during a step: from the next one on).

        Raises:
            SceneErrors, SceneError: the text is wrong, or none of the nodes can stand there.
            OdesimError: the world cannot be simulated with them; it is as before.
        """
        return self.import_nodes(read_nodes(self._sim.scene, text), into, field, index)

    def import_file(
        self, path: str | Path, into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Bring in the nodes of a file (`.wbo`, or another with the header of a world); see `import_text`."""
        from sim_core.scene.files import read_text

        nodes = read_nodes(self._sim.scene, read_text(path, "a file of nodes (.wbo)"), str(path))
        return self.import_nodes(nodes, into, field, index)

    def import_nodes(
        self, nodes: list[Node], into: Node | str | None = None, field: str = "children", index: int = -1
    ) -> list[Node]:
        """Bring in nodes that have been made; see `import_text`."""
        scene = self._sim.scene
        holder = None if into is None else self.node(into)
        editing_of(self._sim.world, holder)
        nodes = check_import(scene, nodes, holder, field)
        give_names(nodes, self._sim.robots)
        self._when_allowed(
            lambda: self._fields.change(holder, field, insertion(scene, nodes, holder, field, index))
        )
        return [scene.shown(node) for node in nodes]

    def remove(self, node: Node | str) -> None:
        """Take a node out of the world, with all below it.

        Raises:
            SceneError: it cannot be taken out.
            OdesimError: the world cannot be simulated without it; it is as before.
        """
        target = self.node(node)
        editing_of(self._sim.world, target)
        check_removal(self._sim.scene, target)
        self._when_allowed(lambda: self._fields.change(target, "", removal(self._sim.scene, target)))

    def set_label(self, number: int, label: Label | None) -> None:
        """Show a text over the world under a number; None or an empty text: none.

        Raises:
            CommandError: a value is out of its range.
        """
        self.labels.set(number, label)
        self._tell()

    # ---- pictures

    def set_visibility(self, node: Node | str, viewer: Node | str, is_visible: bool) -> None:
        """Draw a node, and all below it, or do not, in the pictures of a Camera, a RangeFinder or the
        Viewpoint; the rays of a Lidar meet it or pass it. A reset shows all; snapshots and saved worlds say
        nothing of it.

        Raises:
            SceneError: there is no such node, or the viewer is none of these.
        """
        target, seer = self.node(node), self.node(viewer)
        if seer.type_name not in ("Camera", "RangeFinder", "Lidar", "Viewpoint"):
            found = f"{seer.path()} as what something is hidden from"
            raise SceneError(*seer.source, found, "a Camera, a RangeFinder, a Lidar or the Viewpoint")
        hidden = self._sim.world.media.looks.hidden
        key, ids = None if seer.type_name == "Viewpoint" else seer.id, {each.id for each in target.walk()}
        now = hidden.get(key, frozenset())
        hidden[key] = now - ids if is_visible else now | ids

    def export_image(self, file: str | Path, width: int = 0, height: int = 0, **how: Any) -> Path:
        """Write what the Viewpoint sees as .png or .jpg; see `sim_core.recording.images.export_image`."""
        from sim_core.recording.images import export_image

        return export_image(self._sim, file, width, height, **how)

    # ---- whole worlds

    def save(self, path: str | Path) -> Path:
        """Write the world with its present poses, velocities and joint positions; returns the file.

        The ending says in which format: .wbt, or .x3d or .wrl, for which a warning says what these have no
        words for.

        Raises:
            SceneError: it cannot be written.
        """
        text = file_text(self._sim.world, Path(path))
        try:
            with whole_file(path) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SceneError(
                str(path), 0, 0, f"cannot be written: {error.strerror}", "a place for it"
            ) from None
        return Path(path)

    def load_world(self, path: str | Path) -> None:
        """Go on with another world from its start, in the same `Simulation`; not during a step.

        Raises:
            OdesimError: it cannot be read or simulated; the world goes on as it is.
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

    def start_anew(self) -> None:
        """Another world has been loaded."""
        self._take(self._sim.world)
        self.saved_states.clear()
        self.labels.clear()
        self._tell()

    def take_back(self) -> bool:
        """The world goes back to its start: no change has been made, no label is shown.

        Returns:
            Whether a change was taken back, so that anything may be another.
        """
        self.labels.clear()
        return self.history.take_back_all()

    def after_reset(self) -> None:
        """The world is back at its start: tell all who see it."""
        self._tell()

    def stateful(self) -> list[tuple[str, Stateful]]:
        """What it has that has a state, by name; always in one order."""
        return all_of(self.labels, "labels") + all_of(self.saved_states, "saved states")

    # ---- within

    def _in_world(self, solid: Node, vector: Sequence[float], relative: bool) -> Vec3:
        """A vector in world axes that may be given in those of a solid."""
        numbers = three_numbers(vector)
        return rotate(self.pose(solid).rotation, numbers) if relative else numbers

    def _when_allowed(self, edit: MakeEdit) -> None:
        """Between two steps at once, during one at the start of the next."""
        if self._sim.is_stepping:
            self._sim.before_next_step(edit)
        else:
            self._sim.apply_edits()
            edit()

    def _tell(self) -> None:
        for listener in self.changed:
            listener()
