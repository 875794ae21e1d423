"""Repeats the commands and changes of a recording in a session, without a node and without DDS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rclpy.serialization import deserialize_message

from ros_bridge import overlays
from ros_bridge.control.world_topics import EDITS
from ros_bridge.interface.interface import WorldTopics, build_topics
from ros_bridge.interface.session_topics import SessionTopics
from ros_bridge.parameters.parameter_file import values_from_overrides
from ros_bridge.parameters.parameters import (
    Parameters,
    PresentParameters,
    are_instanced,
    build_parameters,
)
from ros_bridge.recorder.changes import COMMAND, NOTE, OUTCOME, command_of, number_of
from ros_bridge.topics.conversions import type_name as name_of_type
from ros_bridge.topics.names import (
    CLOCK,
    DIAGNOSTICS,
    MARKERS,
    POSES,
    RESTARTS,
    SCENE,
    SCENE_CLOCK,
    STATUS,
    SURROUNDINGS,
)
from ros_bridge.topics.records import Subscription
from sim_core.base.errors import RecordingError, in_one_line
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene, load_scene
from sim_core.scene.robot_files import add_robot_files
from sim_core.session.pipeline import Command
from sim_core.session.run_commands import RESET_PART, ResetPart
from sim_core.session.session import RESET_KEEPING_CLOCK, Session
from sim_core.session.simulation import Simulation

ABOUT_THE_RUN = frozenset(
    (CLOCK, RESTARTS, STATUS, DIAGNOSTICS, MARKERS, SCENE, SURROUNDINGS, POSES, SCENE_CLOCK)
)


def is_reading(topic: str) -> bool:
    """Return whether a topic contains readings; others depend on wall time or on subscribers."""
    return topic not in ABOUT_THE_RUN and not topic.startswith(overlays.PREFIX)


class ReplayedWorld:
    """A world with its topics, in which recorded commands and changes are repeated.

    Attributes:
        session: session of the world.
        inputs: topics that command the world, by name.
    """

    def __init__(
        self,
        scene: Scene,
        parameters: Parameters,
        make_port: Callable[..., Any],
        urdf: Sequence[str] = (),
        plugins: bool = True,
    ) -> None:
        """Build the world without making a step.

        Args:
            scene: the world.
            parameters: parameters of the simulation and its topics.
            make_port: makes the ports that receive the messages, as `publishing.Port`.
            urdf: robots that were added to the world, as `add_robot_files` takes them.
            plugins: whether the physics plug-in runs.
        """
        sim = Simulation(scene, replace(parameters.simulation, plugins=plugins))
        self._present = PresentParameters(parameters)

        def make_topics() -> WorldTopics:
            return build_topics(sim, self._present.now.bridge)

        self.session = Session(sim)
        self._session_topics = SessionTopics(self.session, make_topics(), make_topics, make_port)
        self.session.set_followers(self._session_topics)
        self._urdf = urdf

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self.session.sim

    @property
    def inputs(self) -> Mapping[str, Subscription]:
        """Topics that command the world, by name."""
        return self._session_topics.inputs

    def takes(self, topic: str) -> bool:
        """Return whether a topic commands the simulation or changes its world."""
        return topic in self.inputs or topic in EDITS

    def command(self, topic: str, data: bytes, type_name: str = "") -> None:
        """Carry out a message of an input topic, or of one that edits the world; refusals change nothing.

        `type_name` selects one of the types of a topic that accepts several; the default is the first.

        Raises:
            RecordingError: the bytes are not a message of this type.
        """
        item = self.inputs.get(topic) or EDITS[topic]
        own = {name_of_type(each): each for each in item.types}
        kind = own.get(type_name, item.message_type)
        try:
            message = deserialize_message(data, kind)
        except Exception as error:  # damaged bytes may cause any exception
            found = f"{topic}: found bytes that are no {name_of_type(kind)}: {in_one_line(error)}"
            raise RecordingError(found) from None
        command = item.command(message)
        if isinstance(command, Command):
            self.session.pipeline.replay(command)

    def apply_change(self, what: str, details: Mapping[str, Any]) -> None:
        """Carry out a change that was not made through a topic; refusals change nothing.

        Raises:
            RecordingError: this version of odesim does not know the change.
        """
        if what == COMMAND:
            self.session.pipeline.replay(command_of(details))
        elif what == RESET_PART:
            self.session.pipeline.replay(Command(what, (ResetPart(number_of(details, "scope")),)))
        elif what == "reset":
            self.session.seed = number_of(details, "seed")
            self.session.reset()
        elif what == RESET_KEEPING_CLOCK:
            self.session.reset_and_keep_clock()
        elif what == "load_world":
            given = details.get("parameters")
            self._load(str(details.get("world")), details.get("plugins", True), given)
        elif what not in (OUTCOME, NOTE):
            raise RecordingError(f'found "{what}" among the recorded changes, expected {COMMAND}')

    def close(self) -> None:
        """Close the session."""
        self.sim.close()

    def _load(self, world: str, plugins: bool, given: Mapping[str, Any] | None) -> None:
        """Load a world; `given` has its parameters by name, None: those of before stay."""
        same = world == self.sim.scene.file
        values = None if given is None else values_from_overrides(given, world)
        is_instanced = self.sim.config.instanced if values is None else are_instanced(values)
        scene = load_scene(
            world,
            skip_missing=self.sim.scene.skip_missing,
            lenient=True,
            instanced=is_instanced,
        )
        if same:
            add_robot_files(scene, self._urdf)
        config = None
        if values is not None:
            copies = [each.name for each in scene.folded]
            self._present.now = build_parameters(values, device_names(scene), copies)
            config = self._present.now.simulation
        self.session.load(scene, world, plugins, config)
