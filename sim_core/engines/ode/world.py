"""Physics of a scene: bodies, joints and contacts, stepped by ODE."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sim_core.base.clock import SimClock
from sim_core.base.errors import PhysicsError, SceneError, StateNotFiniteError
from sim_core.base.geometry import ZERO, Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.base.state import State
from sim_core.base.trust import Permission
from sim_core.engines.capabilities import Capabilities
from sim_core.engines.engine import ContactPoint, Mass
from sim_core.engines.ode.bonds import OdeBond, can_join
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.contacts.kernels import BAD, GOOD, LEFT, advance, copy_state, step_world
from sim_core.engines.ode.editing import WorldEditing
from sim_core.engines.ode.frames import OdeFrame
from sim_core.engines.ode.joints.axis_handle import AxisHandle
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.ode_binding import FARTHEST, quick_step
from sim_core.engines.ode.plugins import load_plugin
from sim_core.engines.ode.pose_reader import OdePoseReader
from sim_core.engines.ode.snapshots import PhysicsState, restore_world, state_of
from sim_core.engines.world_view import Frame, PluginPort, PoseReader
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.difference import difference
from sim_core.model.world_model import WorldModel


class PhysicsWorld:
    """Bodies, joints and contacts of a scene; implements `Engine`.

    After each step the state of all bodies is copied out of ODE at once and checked. If it is no longer
    finite (or farther away or faster than 10¹² m, m/s, rad/s: the next step might end the process), the
    bodies are restored to the state at the end of the previous step, to the last bit; time does not advance,
    and the world can be read, reset or given other commands.

    Attributes:
        clock: sim time.
        model: the model that is built.
        before_step_hooks: called with this world in phase 2, before collision detection.
        plugin: the physics plug-in, and its packets to and from radio devices; None: there is none.
        built: the built objects, and their ODE objects.
        frame, watch_contacts, find_bond: see `World`.
        editing: edits for a supervisor.
        can: capabilities: forces and editing.
    """

    def __init__(
        self, model: WorldModel, seed: int = 0, permission: Permission | None = None, contacts: str = "webots"
    ) -> None:
        """Build the physics of a model.

        Args:
            model: what to build.
            seed: of the iterative solver's random generator.
            permission: permission to run its plug-in; None: it is only compiled.
            contacts: one of CONTACTS, see `SimulationConfig.contacts`.

        Raises:
            SceneError, SceneErrors, PhysicsError: the scene is impossible to simulate.
        """
        self.model = model
        record = model.dynamics().world
        self.clock = SimClock(record.step_ns)
        self.before_step_hooks: list[Callable[[PhysicsWorld], None]] = []
        self._mistakes: list[SceneError] = []
        mistakes = self._mistakes if model.is_lenient else None
        self._plugin = load_plugin(record, model.file, permission, mistakes)
        self.plugin: PluginPort | None = None
        if self._plugin is not None:
            self.before_step_hooks.append(self._plugin.call_step)
            self.plugin = self._plugin.port
        self.built = BuiltWorld(model, seed, contacts == "stiff")
        self.frame, self.watch_contacts = self.built.frame, self.built.watch_contacts
        self.find_bond = self.built.bonds.find_bond
        self.editing = WorldEditing(self.built)
        self.can = Capabilities(forces=True, editing=self.editing)
        self._start: PhysicsState | None = None
        self._start_build = 0

    @property
    def warnings(self) -> list[SceneError]:
        """Settings without effect; see `Engine.warnings`."""
        return [*self._mistakes, *self.built.dynamics.warnings]

    def reset(self) -> frozenset[NodeId]:
        """Reset to the initial state; a run from here equals a run in a new process, to the last bit.

        Frames and axes in use stay valid. Motors are off. The first time, and after an edit of the scene, all
        ODE objects are built again; later their state after that is restored.
        """
        try:
            if self._plugin is not None:
                self._plugin.reload()
        finally:
            built, dynamics = self.built, self.model.dynamics()
            moved = built.mover.loosened_solids()
            is_other = difference(built.dynamics, dynamics).affects_engine
            if self._start is not None and self._start_build == built.builds and not is_other:
                restore_world(self, self._start, anew=False)
                built.touch.remove_contacts()
                built.contacts.record = [] if built.records else None
            else:
                self.clock.set(0, 0)
                if is_other:
                    built.rebuild(dynamics)
                else:
                    built.rebuild_all()
                built.bonds.remove_bonds()
                self._start = state_of(built)
            self._start_build = built.builds
        return moved

    def step(self) -> None:
        """Make a step; see `Engine.step`."""
        built = self.built
        if built.has_prelude or self.before_step_hooks or built.mover.coasting:
            self._before_contacts()
        mover = built.mover
        if mover.is_busy:
            mover.set_contact_velocities()
        contacts = built.contacts
        # Not in a property: the call would cost a hundredth of a step of one robot.
        is_compiled = contacts.record is None and not (contacts.touch.watches or contacts.self_colliding)
        outcome = advance(contacts.search.address) if is_compiled else LEFT
        if outcome == LEFT:
            outcome = self._collide_and_step(is_compiled)
        if built.bonds.fresh:
            built.bonds.after_first_step()
        if outcome == BAD:
            self._restore_last_state(built.states.other)
        self.clock.time_ns += self.clock.step_ns
        if mover.is_busy:
            mover.after_step()
        if built.tracked:
            built.watch.steps_left -= 1
            if built.watch.steps_left <= 0:
                self._track()

    def stop(self, solid: NodeId | None = None) -> None:
        """Stop a solid, or all; see `Engine.stop`."""
        built = self.built
        links: Iterable[Link] = built.reading.links
        if solid is not None:
            top = built.body_of(solid) or built.reading.owners.get(solid)
            if top is None:
                raise PhysicsError(f"{built.label(solid)} cannot be stopped, expected a solid")
            links = top.subtree()
        for link in links:
            if link.moves_by_itself:
                built.mover.set_velocity(link, ZERO, ZERO)
            elif link.kind is BodyKind.DYNAMIC:
                for set_to in ("setLinearVel", "setAngularVel", "setForce", "setTorque"):
                    getattr(link.body, set_to)((0.0, 0.0, 0.0))
        built.copy_state()

    def masses(self, solids: Iterable[NodeId] | None = None) -> list[Mass]:
        """Return the masses of bodies; see `Engine.masses`."""
        if solids is not None:
            return [
                _mass(link) for link in dict.fromkeys(map(self.built.body_of, solids)) if link is not None
            ]
        links = self.built.reading.links
        return [_mass(link) for link in links if link.kind is BodyKind.DYNAMIC and link.mass > 0.0]

    def close(self) -> None:
        """Close the engine; see `Engine.close`."""
        if self._plugin is not None:
            self._plugin.end()

    def pose_reader(self, frames: Mapping[int, Frame]) -> PoseReader:
        """Return a reader of frames; see `World.pose_reader`."""
        own = {row: frame for row, frame in frames.items() if isinstance(frame, OdeFrame)}
        return OdePoseReader(self.built, own).read

    def axis(self, joint: NodeId, index: int = 0) -> AxisHandle:
        """Return an axis; see `World.axis`."""
        found = self.built.handle((joint, index))
        if found is None:
            raise PhysicsError(f"{self.built.label(joint)} has no axis {index}")
        return found

    def is_blocked(self, solid: NodeId, pose: Pose) -> bool:
        """Return whether a solid would be blocked; see `World.is_blocked`."""
        return self.built.mover.is_blocked(self._movable(solid), pose)

    def move(
        self, solid: NodeId, pose: Pose, linear: Vec3 = (0.0, 0.0, 0.0), angular: Vec3 = (0.0, 0.0, 0.0)
    ) -> None:
        """Move a solid; see `World.move`."""
        self.built.mover.move(self._movable(solid), pose, linear, angular)

    def is_dynamic(self, node: NodeId) -> bool:
        """Return whether a solid is dynamic; see `World.is_dynamic`."""
        return self.built.body_of(node) is not None

    def can_bond(self, first: NodeId, second: NodeId) -> bool:
        """Return whether two solids can be bonded; see `World.can_bond`."""
        one, other = self.built.reading.owners.get(first), self.built.reading.owners.get(second)
        return one is not None and other is not None and can_join(one, other)

    def bond(self, first: NodeId, second: NodeId, relative: Pose | None = None) -> OdeBond:
        """Connect two solids; see `World.bond`."""
        if not self.can_bond(first, second):
            one, other = self.built.label(first).path, self.built.label(second).path
            raise PhysicsError(
                f"{one} and {other} cannot be bonded, expected two solids of which one has Physics"
            )
        return self.built.bonds.join(self.frame(first), self.frame(second), (first, second), relative)

    @property
    def record_contacts(self) -> bool:
        """True if `contacts` is recorded."""
        return self.built.records

    @record_contacts.setter
    def record_contacts(self, wanted: bool) -> None:
        self.built.records = wanted
        self.built.contacts.record = [] if wanted else None
        if wanted:
            self.built.contacts.record_now()

    @property
    def contacts(self) -> list[ContactPoint]:
        """Contacts of the last step; see `Engine.contacts`."""
        return list(self.built.contacts.record or ())

    @property
    def builds(self) -> int:
        """Number of builds; see `Engine.builds`."""
        return self.built.builds

    def get_state(self) -> PhysicsState:
        """Return the present state; see `Engine.get_state`."""
        state = state_of(self.built, self.clock.time_ns, self.clock.epoch_ns)
        state.plugin = None if self._plugin is None else self._plugin.get_state()
        return state

    def set_state(self, state: State, anew: bool = False) -> frozenset[NodeId]:
        """Restore a state; see `Engine.set_state`."""
        if not isinstance(state, PhysicsState):
            raise PhysicsError(f"found a {type(state).__name__}, expected the state of an ODE world")
        if self._plugin is not None and state.plugin is not None:
            self._plugin.set_state(state.plugin, self)
        moved = self.built.mover.loosened_solids()
        restore_world(self, state, anew)
        return moved | self.built.mover.loosened_solids()

    def _collide_and_step(self, is_searched: bool) -> int:
        """Make all contacts, see `Contacts.collide`, and step; return BAD or GOOD."""
        built = self.built
        contacts = built.contacts
        contacts.collide(is_searched)
        if contacts.pairs and built.islands.is_large(contacts.pairs):
            built.solver_seed = quick_step(built.ode, built.seconds, built.solver_seed)
            is_good = copy_state(built.states_address)
        else:
            is_good = step_world(built.pointer, built.seconds, built.states_address)
        if built.touch.open:
            built.touch.read_forces()
        contacts.joints.empty()
        return GOOD if is_good else BAD

    def _before_contacts(self) -> None:
        """Do the work before collision detection, in worlds that have some."""
        for hook in self.before_step_hooks:
            hook(self)
        built = self.built
        seconds = built.seconds
        for update in built.builder.updates:
            update()
        for axis, passive in built.builder.springs:
            passive.update_spring(axis.position)
        for propeller in built.reading.propellers:
            propeller.apply_thrust(seconds)
        for belt in built.reading.belts.values():
            belt.advance(seconds)
        if built.fluids:
            built.fluids.apply_forces(seconds)
        for flow in built.reading.flows:
            flow.apply_force(seconds, built.gravity, self.clock.time_ns * 1e-9)
        for joint in built.reading.kinematic:
            if joint.advance(seconds) and joint.child is not None:
                built.mover.mark_moved(joint.child)
        built.mover.move_links(seconds)

    def _track(self) -> None:
        """Let joints count turns past ±π, and determine when they must be checked again."""
        seconds = self.built.seconds
        self.built.watch.steps_left = int(min([axis.track(seconds) for axis in self.built.tracked]) / seconds)

    def _movable(self, solid: NodeId) -> Link:
        link = self.built.link_of(solid)
        if link is None or link.kind is not BodyKind.FIXED:
            raise PhysicsError(f"{self.built.label(solid)} cannot be moved, expected a solid without Physics")
        return link

    def _restore_last_state(self, state: NDArray[np.float64]) -> None:
        """Restore the last good state and raise an error with the solid whose state is not finite."""
        with np.errstate(all="ignore"):
            sizes = np.einsum("ij,ij->i", state, state)
        bad = int(np.argmax(~(sizes < FARTHEST**2)))
        self.built.restore_bodies(self.built.states.good.tobytes())
        raise StateNotFiniteError(self.built.label(self.built.bodies[bad].solid).path, self.clock.time_ns)


def _mass(link: Link) -> Mass:
    return Mass(link.solid, link.top, link.mass, link.world_pose().apply(link.centre))
