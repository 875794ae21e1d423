"""`~/spawn`: adds a robot or another solid to the running world; the result is published on `~/spawned`.

Both are std_msgs/String with JSON, so that no message package is needed. Requests are executed like those of
the service SpawnEntity.
"""

from __future__ import annotations

import json
import math
from functools import partial
from types import SimpleNamespace
from typing import Any

from geometry_msgs.msg import PoseStamped
from std_msgs.msg import String

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.entities import Entities
from ros_bridge.control.simulation_interfaces.spawning import Spawning
from sim_core.base.errors import CommandError
from sim_core.base.geometry import quaternion_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.base.outcome import Done, outcome_of

SPAWN, SPAWNED = "spawn", "spawned"
KEYS = ("id", "file", "text", "name", "allow_renaming", "pose")


class SpawnTopic:
    """Subscribes to requests beside a node; they are executed between two steps."""

    def __init__(self, node: Any, runner: Runner) -> None:
        self._runner = runner
        self._spawning: Spawning | None = None
        self._publisher = node.create_publisher(String, f"~/{SPAWNED}", 10)
        put = runner.session.inbox.put
        node.create_subscription(
            String, f"~/{SPAWN}", lambda message: put(partial(self._handle_request, message)), 10
        )

    def _handle_request(self, message: Any) -> None:
        """Spawn what a message requests, and answer."""
        answer: dict[str, Any] = {}
        outcome = outcome_of(self._spawn, message.data, answer)
        if isinstance(outcome, Done):
            answer["name"] = outcome.answer
        else:
            answer["error"] = outcome.text
            self._runner.warn(f"~/{SPAWN}: refused: {outcome.text}")
        self._publisher.publish(String(data=json.dumps(answer)))

    def _spawn(self, text: str, answer: dict[str, Any]) -> str:
        request = parse_request(text)
        answer["id"] = request.id
        if self._spawning is None:
            self._spawning = Spawning(self._runner, Entities(self._runner), None)
        return self._spawning.spawn(request)


def parse_request(text: str) -> Any:
    """Parse a request; the result has the fields of a SpawnEntity request and `id`.

    Args:
        text: a JSON object: `id`, any text; `file` or `text`, URDF, VRML or a PROTO's; `name`;
            `allow_renaming`; `pose`: x, y, z in m, roll, pitch, yaw in rad.

    Raises:
        CommandError: the text is not a valid request.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"found no JSON ({error}), expected an object with {', '.join(KEYS)}") from None
    if not isinstance(given, dict) or not set(given) <= set(KEYS):
        found = ", ".join(sorted(set(given) - set(KEYS))) if isinstance(given, dict) else type(given).__name__
        raise CommandError(f"found {found}, expected an object with {', '.join(KEYS)}")
    texts = {key: given.get(key, "") for key in ("id", "file", "text", "name")}
    wrong = [key for key, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise CommandError(f"found {texts[wrong[0]]} in {wrong[0]}, expected a text")
    return SimpleNamespace(
        id=texts["id"],
        name=texts["name"],
        allow_renaming=given.get("allow_renaming") is True,
        entity_namespace="",
        entity_resource=SimpleNamespace(uri=texts["file"], resource_string=texts["text"]),
        initial_pose=_pose(given.get("pose", [0.0] * 6)),
    )


def _pose(numbers: Any) -> Any:
    """Return a PoseStamped in the world; values that are not finite are refused later."""
    if not isinstance(numbers, list) or len(numbers) != 6:
        raise CommandError(f"found the pose {numbers}, expected x, y, z, roll, pitch, yaw")
    try:
        x, y, z, roll, pitch, yaw = (float(each) for each in numbers)
        finite = all(map(math.isfinite, (roll, pitch, yaw)))
    except (TypeError, ValueError, OverflowError):
        finite = False
    if not finite:
        raise CommandError(f"found the pose {numbers}, expected six finite numbers")
    pose = PoseStamped()
    at, turn = pose.pose.position, pose.pose.orientation
    at.x, at.y, at.z = x, y, z
    turn.x, turn.y, turn.z, turn.w = quaternion_from_rotation(rotation_from_roll_pitch_yaw(roll, pitch, yaw))
    return pose
