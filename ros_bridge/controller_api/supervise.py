"""Requests of supervisors."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.field_requests import FieldRequests
from ros_bridge.controller_api.file_axes import from_file_axes, pose_in_file
from sim_core.base.errors import CommandError, SceneError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.outcome import Outcome, Refused
from sim_core.base.turns import inverse, turned
from sim_core.engines.engine import Engine
from sim_core.scene import Node
from sim_core.session.pipeline import Action, Command
from sim_core.session.run_commands import LoadWorld, Quit, Reset, RestartController, SetMode
from sim_core.session.supervision.balance import centre_of_mass, is_balanced
from sim_core.session.supervision.move_viewpoint import place_to_see
from sim_core.session.world_commands import (
    AddForce,
    AddTorque,
    LoadState,
    NoteContacts,
    SaveState,
    SetField,
    SetJoint,
    SetVelocity,
    SetVisibility,
    ShowLabel,
    StopAll,
    StopSolid,
    physics_of,
)

if TYPE_CHECKING:
    from ros_bridge.control.runner import Runner

MODES = ("paused", "realtime", "fast")
"""In order of Webots' numbers."""


class SupervisorRequests(FieldRequests):
    """Executes them between two steps; each method named `ask_…` implements one."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.session)
        self._runner = runner
        self._has_movie_failed = False

    # ---- poses and motion

    def ask_node_pose(self, client: Client, number: int, other: int | None) -> list[float]:
        """Return the pose as 4 × 4 matrix, row by row, in the world or in another node's frame."""
        node = self.numbers.node(number)
        pose = self._pose(node)
        if other is not None:
            pose = self._pose(self.numbers.node(other)).inverse() * pose
        (x, y, z), r = pose
        return [*r[0:3], x, *r[3:6], y, *r[6:9], z, 0.0, 0.0, 0.0, 1.0]

    def _pose(self, node: Node | None) -> Pose:
        if node is None or not node.is_a("Pose"):
            raise CommandError(
                f"{node.path() if node else 'the root'} has no pose, expected a Pose or a Solid"
            )
        return pose_in_file(node, self._supervisor.pose(node))

    def _in_file_axes(self, vector: Vec3) -> Vec3:
        """Convert a vector from ENU to the axes of the world's file."""
        return turned(inverse(self._sim.scene.axes.world), vector)

    def ask_node_velocity(self, client: Client, number: int) -> list[float]:
        """Return linear and angular velocity, world axes."""
        linear, angular = self._supervisor.velocity(self._node(number))
        return [*self._in_file_axes(linear), *self._in_file_axes(angular)]

    def ask_node_set_velocity(self, client: Client, number: int, velocity: list[float]) -> Outcome:
        """Set linear and angular velocity, world axes."""
        world = self._sim.scene.axes.world
        linear, angular = from_file_axes(velocity[:3], world), from_file_axes(velocity[3:], world)
        return client.submit(SetVelocity(self._name(number), linear, angular))

    def ask_node_add_force(
        self,
        client: Client,
        number: int,
        force: list[float],
        offset: list[float] | None,
        relative: bool,
    ) -> Outcome:
        """Apply a force in the next step."""
        node = self._node(number)
        at = None if offset is None else from_file_axes(offset, node.axes.own)
        turn = node.axes.own if relative else node.axes.world
        return client.submit(AddForce(self._name(number), from_file_axes(force, turn), at, relative))

    def ask_node_add_torque(
        self, client: Client, number: int, torque: list[float], relative: bool
    ) -> Outcome:
        """Apply a torque in the next step."""
        node = self._node(number)
        turn = node.axes.own if relative else node.axes.world
        return client.submit(AddTorque(self._name(number), from_file_axes(torque, turn), relative))

    def ask_node_reset_physics(self, client: Client, number: int) -> Outcome:
        """Stop a solid and all below it."""
        return client.submit(StopSolid(self._name(number)))

    def ask_node_set_joint_position(
        self, client: Client, number: int, position: float, index: int
    ) -> Outcome:
        """Set a joint's position; axes count from 1."""
        return client.submit(SetJoint(self._name(number), index, position))

    def ask_node_centre_of_mass(self, client: Client, number: int) -> list[float] | None:
        """Return the centre of mass of a solid and all below it, world axes."""
        centre = centre_of_mass(physics_of(self._sim), self._node(number))
        return None if centre is None else [*self._in_file_axes(centre)]

    def ask_node_contacts(self, client: Client, number: int, descendants: bool) -> list[list[float]]:
        """Return x, y, z and the number of the solid below this one that touches; in file order of solids."""
        physics, node = self._touching(client), self._node(number)
        order = {each.id: place for place, each in enumerate(node.walk() if descendants else (node,))}
        touching = [
            (min(order[each] for each in (contact.first, contact.second) if each in order), contact.position)
            for contact in physics.contacts
            if contact.first in order or contact.second in order
        ]
        solids = list(node.walk())
        touching.sort(key=lambda found: found[0])
        return [
            [*self._in_file_axes(position), self.numbers.number_of(solids[place])]
            for place, position in touching
        ]

    def ask_node_static_balance(self, client: Client, number: int) -> bool:
        """Return whether the centre of mass is above the support area of the solid and all below it."""
        physics, node = self._touching(client), self._node(number)
        own = {each.id for each in node.walk()}
        contacts = [each.position for each in physics.contacts if (each.first in own) != (each.second in own)]
        centre = centre_of_mass(physics, node)
        return centre is not None and is_balanced(centre, contacts, physics.model.gravity)

    def ask_node_move_viewpoint(self, client: Client, number: int) -> Outcome:
        """Move the Viewpoint so that a whole solid is seen from near."""
        node, scene = self._node(number), self._sim.scene
        viewpoint = next((each for each in scene.nodes if each.type_name == "Viewpoint"), None)
        if viewpoint is None or not node.is_a("Solid"):
            found = "a world without Viewpoint" if viewpoint is None else f"{node.path()}, a {node.type_name}"
            raise SceneError(*node.source, found, "a Viewpoint" if viewpoint is None else "a Solid")
        place = self._in_file_axes(place_to_see(scene, self._sim.physics, node))
        return client.submit(SetField(self._supervisor.lasting(viewpoint), "position", place))

    def ask_node_set_visibility(self, client: Client, number: int, viewer: int, is_visible: bool) -> Outcome:
        """Hide a node and all below it from a camera or the Viewpoint, or show it."""
        return client.submit(SetVisibility(self._name(number), self._name(viewer), is_visible))

    def ask_node_save_state(self, client: Client, number: int, name: str) -> Outcome:
        """Save poses, velocities and joint positions of a node and all below it."""
        return client.submit(SaveState(self._name(number), name))

    def ask_node_load_state(self, client: Client, number: int, name: str) -> Outcome:
        """Restore a saved state; `__init__`: that of the start."""
        return client.submit(LoadState(self._name(number), name))

    def _touching(self, client: Client) -> Engine:
        """Return the physics, which records contacts from now on."""
        physics = physics_of(self._sim)
        if not physics.record_contacts:  # setting it again would delete the records
            client.submit(NoteContacts())
        return physics

    # ---- the run

    def ask_label(
        self,
        client: Client,
        number: int,
        text: str,
        x: float,
        y: float,
        size: float,
        color: int,
        transparency: float,
        font: str,
    ) -> Outcome:
        """Show a text over the world; colour as 0xRRGGBB."""
        colour = ((color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0)
        return client.submit(ShowLabel(number, text, x, y, min(size, 1.0), colour, transparency, font))

    def ask_node_restart_controller(self, client: Client, number: int) -> None:
        """Restart a robot's controller."""
        robot = self._node(number)
        if not robot.is_a("Robot"):
            raise SceneError(*robot.source, f"{robot.path()}, a {robot.type_name}", "a Robot")
        self._later(client, RestartController(robot["name"]))

    def ask_quit(self, client: Client, status: int) -> Outcome:
        """End the run with an exit code."""
        return client.submit(Quit(status, lingers=False))

    def ask_set_mode(self, client: Client, mode: int) -> Outcome:
        """Set the mode by Webots' number."""
        if not 0 <= mode < len(MODES):
            raise CommandError(f"simulationSetMode: found {mode}, expected 0 to {len(MODES) - 1}")
        return client.submit(SetMode(MODES[mode]))

    def ask_get_mode(self, client: Client) -> int:
        """Return the mode as Webots' number."""
        return MODES.index(self._runner.mode)

    def ask_reset(self, client: Client) -> Outcome:
        """Reset the world to its start; controllers keep running."""
        return client.submit(Reset(restarts=False))

    def ask_reset_physics(self, client: Client) -> Outcome:
        """Stop all motion."""
        return client.submit(StopAll())

    def ask_world_load(self, client: Client, file: str | None) -> None:
        """Load another world, or with None the same one from its file; all controllers end."""
        self._later(client, LoadWorld(None if file is None else str(client.folder / file)))

    def ask_world_save(self, client: Client, file: str | None) -> bool:
        """Save the world as it is now."""
        self._supervisor.save(self._sim.scene.file if file is None else client.folder / file)
        return True

    def ask_export_image(self, client: Client, file: str, quality: int) -> None:
        """Save the Viewpoint's view."""
        self._supervisor.export_image(client.folder / file, quality=max(1, min(100, quality)))

    def ask_movie_start(
        self, client: Client, file: str, size: list[int], quality: int, acceleration: float
    ) -> None:
        """Start a movie of the Viewpoint's view, faster than real time by a factor."""
        width, height = size
        self._has_movie_failed = True
        self._sim.recordings.start_recording(
            "movie",
            client.folder / file,
            width=width, height=height, quality=max(1, min(100, quality)), speed=acceleration,
        )  # fmt: skip
        self._has_movie_failed = False

    def ask_movie_stop(self, client: Client) -> None:
        """End the movie."""
        self._has_movie_failed = True
        self._sim.recordings.stop_recording("movie")
        self._has_movie_failed = False

    def ask_movie_is_ready(self, client: Client) -> bool:
        """Return whether no movie is being made."""
        return "movie" not in self._sim.recordings.running

    def ask_movie_failed(self, client: Client) -> bool:
        """Return whether the last movie failed."""
        return self._has_movie_failed

    def ask_animation_start(self, client: Client, file: str) -> bool:
        """Start an animation."""
        self._sim.recordings.start_recording("animation", client.folder / file)
        return True

    def ask_animation_stop(self, client: Client) -> bool:
        """End the animation."""
        self._sim.recordings.stop_recording("animation")
        return True

    def _later(self, client: Client, action: Action) -> None:
        """Submit an action after the answer, because it may end the controller that requested it."""

        def say(later: Future[Outcome]) -> None:
            if isinstance(outcome := later.result(), Refused):
                self._runner.warn(f"{client.name}: refused: {outcome.text}")

        self._runner.session.pipeline.post(Command(client.name, (action,))).add_done_callback(say)
