"""The services of webots_ros2's Ros2Supervisor, with their names, in the layout `webots_ros2`.

They have types of the package webots_ros2_msgs. If that is not installed, services that take text are
replaced by topics of the same names with std_msgs/String, and the one that ends an animation by a
std_srvs/Trigger. (webots_ros2_driver/ros2_supervisor.py, https://github.com/cyberbotics/webots_ros2)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from ros_bridge.base.log import Log
from ros_bridge.topics.conversions import messages_of
from ros_bridge.topics.outcomes import OutcomeLog
from ros_bridge.topics.records import Topic
from sim_core.base.errors import CommandError
from sim_core.base.geometry import Pose
from sim_core.base.inbox import awaited
from sim_core.base.outcome import Done, Outcome, outcome_of
from sim_core.session.pipeline import Action, Command
from sim_core.session.run_commands import Spawn
from sim_core.session.session import Session
from sim_core.session.supervision.spawnables import from_urdf
from sim_core.session.world_commands import ImportText, Remove

LAYOUT = "webots_ros2"
NODE = "/Ros2Supervisor"
PACKAGE = "webots_ros2_msgs"
REMOVE = "remove_node"
SPAWN, START, STOP = "spawn_node_from_string", "animation_start_recording", "animation_stop_recording"
SPAWN_URDF = "spawn_urdf_robot"
TEXTS = (SPAWN, START)
"""Services that take text; they are topics if the package of their types is missing."""


def supervisor_topics(layout: str) -> list[Topic]:
    """Return the topics of a layout."""
    if layout != LAYOUT:
        return []
    names = (REMOVE, *TEXTS) if messages_of(PACKAGE) is None else (REMOVE,)
    return [Topic(f"{NODE}/{name}", String, "subscribe") for name in names]


def supervisor_services(layout: str) -> dict[str, Any]:
    """Return the types of the services of a layout, by their names below `NODE`."""
    if layout != LAYOUT:
        return {}
    if messages_of(PACKAGE) is None:
        return {STOP: Trigger}
    from webots_ros2_msgs.srv import GetBool, SetString, SpawnNodeFromString, SpawnUrdfRobot

    return {SPAWN: SpawnNodeFromString, START: SetString, STOP: GetBool, SPAWN_URDF: SpawnUrdfRobot}


class WebotsSupervisor:
    """The services and topics; requests are executed between two steps.

    Args:
        node: of the simulation; owns them.
        session: of the run.
    """

    def __init__(self, node: Any, session: Session) -> None:
        self._node, self._session = node, session
        self._log = OutcomeLog(Log(node.get_logger()).warning, period=0.0)
        self._subscribe(REMOVE, self._remove)
        if messages_of(PACKAGE) is None:
            for name, act in zip(TEXTS, (self._spawn, self._start_animation), strict=True):
                self._subscribe(name, act)
        acts: dict[str, Callable[[Any], Outcome]] = {
            SPAWN: lambda request: self._spawn(request.data),
            START: lambda request: self._start_animation(request.value),
            STOP: self._stop,
            SPAWN_URDF: lambda request: self._spawn_urdf(request.robot),
        }
        for name, kind in supervisor_services(LAYOUT).items():
            self._serve(kind, name, acts[name])

    # ---- requests, between two steps

    def _remove(self, name: str) -> Outcome:
        return self._carry_out(REMOVE, Remove(name))

    def _spawn(self, text: str) -> Outcome:
        return self._carry_out(SPAWN, ImportText(text, None, "children", -1))

    def _spawn_urdf(self, robot: Any) -> Outcome:
        scene = self._session.sim.scene
        text, file = robot.robot_description, "robot_description"
        if robot.urdf_path:
            try:
                text, file = Path(robot.urdf_path).read_text(encoding="utf-8"), robot.urdf_path
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f'"{robot.urdf_path}" cannot be read: {error}') from None
        source = from_urdf(scene, text, file)
        place: Any = _numbers("translation", robot.translation or "0 0 0", 3)
        turn: Any = _numbers("rotation", robot.rotation or "0 0 1 0", 4)
        pose = Pose.from_axis_angle(place, turn)
        name = robot.name or source.name
        settings = source.settings(scene, name)
        placed = source.placed(scene, name, pose)
        return self._carry_out(SPAWN_URDF, Spawn(placed, file, source.extras, *settings))

    def _start_animation(self, file: str) -> Outcome:
        self._session.sim.recordings.start_recording("animation", file)
        return Done(f"recording {Path(file).resolve()}")

    def _stop(self, _: Any) -> Outcome:
        return Done(self._session.sim.recordings.stop_recording("animation"))

    # ---- helpers

    def _carry_out(self, name: str, action: Action) -> Outcome:
        return self._session.pipeline.submit(Command(f"{NODE}/{name}", (action,)))

    def _subscribe(self, name: str, act: Callable[[str], Outcome]) -> None:
        def put(message: Any) -> None:
            self._session.inbox.put(partial(self._execute, name, act, message.data))

        self._node.create_subscription(String, f"{NODE}/{name}", put, 10)

    def _execute(self, name: str, act: Callable[[str], Outcome], text: str) -> None:
        self._log.log(f"{NODE}/{name}", outcome_of(act, text))

    def _serve(self, kind: Any, name: str, act: Callable[[Any], Outcome]) -> None:
        """Create a service; failures are also logged."""
        result = "success" if hasattr(kind.Response, "success") else "value"

        def answer(request: Any, response: Any) -> Any:
            outcome = awaited(self._session.inbox.post(partial(act, request)))
            setattr(response, result, isinstance(outcome, Done))
            if hasattr(response, "message"):
                response.message = (outcome.answer or "") if isinstance(outcome, Done) else outcome.text
            else:
                self._log.log(f"{NODE}/{name}", outcome)
            return response

        self._node.create_service(kind, f"{NODE}/{name}", answer)


def _numbers(what: str, text: str, count: int) -> tuple[float, ...]:
    """Parse `count` numbers.

    Raises:
        CommandError: the text contains something else.
    """
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        values = ()
    if len(values) != count:
        raise CommandError(f'found the {what} "{text}", expected {count} numbers')
    return values
