"""`/odesim/scene`: the world with materials and textures, for viewers; built only while it has subscribers.

Each part is a MESH_RESOURCE marker that contains a binary glTF, sent once and again when its look changes.
Equal files are sent once: later markers refer to them. Everything is sent again for a new subscriber,
starting with the action that deletes all markers, which contains the number of parts. Each message is sent
after all subscribers have confirmed the one before. Poses of moving parts are on `/odesim/scene/poses`, light
and sky on `/odesim/scene/surroundings`, sim time on `/odesim/scene/clock`.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float32MultiArray, MultiArrayDimension, String
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.control.fields.node_outline import name_to_pick
from ros_bridge.topics.conversions import fill_time
from ros_bridge.topics.frames import WORLD
from ros_bridge.topics.names import POSES, SCENE, SCENE_CLOCK, SURROUNDINGS
from ros_bridge.topics.publishing import Publishers
from ros_bridge.topics.qos import LATCHED
from ros_bridge.topics.records import Publication
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.recording.page_surroundings import PageSurroundings
from sim_core.recording.shown_scene import ShapeGroup, ShownScene
from sim_core.session.simulation import Simulation

PARTS_LIMIT, SIZE_LIMIT = 0.05, 2_000_000
"""Seconds of wall time and bytes of files per message; further parts follow in the next one."""
POSES_PERIOD = 1.0 / 30.0
"""Seconds of wall time between two messages of poses, and of time."""
STILL_PERIOD = 1.0
"""The same while nothing moves, in case a message was lost."""
SHARE = 200.0
"""After messages of time and poses that took t seconds of processor time, the next ones are sent SHARE·t
later, so that they take at most half a hundredth of the simulation's time; or earlier, if the next step has
to wait as long anyway."""
EMBEDDED = "embedded://"


class SceneTopics:
    """The four topics of a world.

    Args:
        sim: the simulation.

    Attributes:
        next_poses: wall time from which on `publish_poses` does something, see `time.monotonic`.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._marks = MarkersFiller(sim, (PointSet, LineSet))
        self._parts: ShownScene | None = None
        self._life = 0
        self._is_new = True
        self._pending: dict[int, None] = {}
        self._sent: set[str] = set()
        self._surround: dict[str, Any] = {}
        self._sent_poses = np.zeros((0, 7))
        self.next_poses = self._next_still = self._latest = self._cost = 0.0

    def publications(self) -> Iterator[Publication]:
        """Return the topics. They have no period in sim time: `publish` and `publish_poses` send them."""
        view = partial(Publication, is_view=True)
        yield view(SCENE, MarkerArray, self._fill_scene, frame_id=WORLD, qos=LATCHED, in_turn=True)
        yield view(SURROUNDINGS, String, self._fill_surround, qos=LATCHED)
        yield view(POSES, Float32MultiArray, self.fill_poses)
        yield view(SCENE_CLOCK, Clock, lambda message, time_ns: fill_time(message.clock, time_ns))

    def rebuild(self) -> None:
        """Rebuild the scene, and make subscribers delete the old one: the world has changed."""
        self._parts = None
        self._marks.rebuild()

    def request_all(self) -> None:
        """Send everything with the next message, for a new subscriber."""
        self._is_new = True

    def publish(self, publishers: Publishers, now_ns: int) -> None:
        """Publish changes; call it between two steps, some ten times a second of wall time."""
        publishers.publish_topic(SCENE, now_ns)
        if publishers.is_wanted(SURROUNDINGS) and self._surround_now() is not self._surround:
            publishers.publish_topic(SURROUNDINGS, now_ns)

    def publish_poses(self, publishers: Publishers, now: float, now_ns: int, spare: float | None) -> None:
        """Publish time and poses if it is time; call it between two steps, as often as convenient.

        Args:
            publishers: of these topics.
            now: wall time, see `time.monotonic`.
            now_ns: sim time.
            spare: seconds for which the next step has to wait anyway; None: steps never wait.
        """
        if now < self.next_poses or (spare is not None and spare < self._cost and now < self._latest):
            return
        begin = time.thread_time()  # a busy machine is no reason to wait
        publishers.publish_topic(SCENE_CLOCK, now_ns)
        if self._parts is not None and publishers.is_wanted(POSES):
            poses = self._parts.moving_poses()
            if now >= self._next_still or not np.array_equal(poses, self._sent_poses):
                self._next_still = now + STILL_PERIOD
                self._sent_poses = poses
                publishers.publish_topic(POSES, now_ns)
        self._cost = time.thread_time() - begin
        self._latest = now + max(POSES_PERIOD, SHARE * self._cost)
        self.next_poses = self._latest if spare is None else max(self.next_poses + POSES_PERIOD, now)

    def _scene(self) -> ShownScene:
        """Return the parts, building them at the first call."""
        if self._parts is None:
            self._parts = ShownScene(self._sim)
            self._round = PageSurroundings(self._sim, self._parts)
            self._is_moving = set(self._parts.moving.tolist())
            self._life += 1
            self._is_new = True
            self._sent_poses = np.zeros((0, 7))
        return self._parts

    def _fill_scene(self, message: Any, time_ns: int) -> None:
        scene = self._scene()
        self._pending |= dict.fromkeys((*sorted(scene.update_glow()), *sorted(scene.update_screens())))
        orders = []
        if self._is_new:
            self._is_new = False
            self._marks.everything = True
            self._pending = dict.fromkeys(range(len(scene.parts)))
            self._sent.clear()
            orders = [Marker(action=Marker.DELETEALL, ns=SCENE, id=self._life, text=str(len(scene.parts)))]
        self._marks.fill(message, time_ns)
        marks = [each for each in message.markers if each.action != Marker.DELETEALL]
        message.markers = orders + marks + list(self._part_markers(scene))

    def _part_markers(self, scene: ShownScene) -> Iterator[Any]:
        """Yield as many as time allows."""
        if not self._pending:
            return
        poses, end, size = scene.poses(), time.monotonic() + PARTS_LIMIT, 0
        for number in list(self._pending):
            del self._pending[number]
            marker = self._marker(scene, number, poses[number].tolist())
            size += len(marker.mesh_file.data)
            yield marker
            if size > SIZE_LIMIT or time.monotonic() > end:
                return

    def _marker(self, scene: ShownScene, number: int, pose: list[float]) -> Any:
        part = scene.parts[number]
        x, y, z, w, qx, qy, qz = pose
        file = scene.glb(part)
        name = blake2b(file, digest_size=12).hexdigest() + ".glb"
        marker = Marker(id=-1 - number, ns=self._owner(part), type=Marker.MESH_RESOURCE, action=Marker.ADD)
        marker.header.frame_id = WORLD
        marker.pose = Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=w))
        marker.scale.x = marker.scale.y = marker.scale.z = 1.0
        marker.color.a = 1.0
        marker.frame_locked = number in self._is_moving
        marker.mesh_resource = f"{EMBEDDED}{name}"
        marker.mesh_use_embedded_materials = True
        marker.mesh_file.filename = name
        if name not in self._sent:
            self._sent.add(name)
            marker.mesh_file.data = array("B", file)
        if part.solid is not None:  # the text carries the name for selection, and is not displayed
            marker.text = name_to_pick(self._sim, self._sim.physics.model.node(part.solid))
        return marker

    def _owner(self, part: ShapeGroup) -> str:
        model = self._sim.physics.model
        robot = model.solid(part.solid).robot if part.solid is not None else None
        return str(model.solid(robot).name) if robot is not None else "world"

    def _surround_now(self) -> dict[str, Any]:
        self._scene()
        return self._round.now()

    def _fill_surround(self, message: Any, time_ns: int) -> None:
        self._surround = self._surround_now()
        message.data = json.dumps(self._surround)

    def fill_poses(self, message: Any, time_ns: int) -> None:
        """Fill rows x, y, z in m, w, x, y, z of parts whose markers have `frame_locked`, by decreasing id.

        The layout's offset is the number of the scene, from the marker that deletes all.
        """
        self._scene()
        message.layout.dim = [
            MultiArrayDimension(label="parts", size=len(self._sent_poses), stride=self._sent_poses.size),
            MultiArrayDimension(label="pose", size=7, stride=7),
        ]
        message.layout.data_offset = self._life
        message.data = array("f", self._sent_poses.astype(np.float32).tobytes())
