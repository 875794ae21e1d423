"""Latest state of all markers, and what has changed since the last query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from visualization_msgs.msg import Marker

from ros_bridge.viewer.scene.drawables import MESHES, Drawable, ShapePose, drawable_of, shape_pose_of

Key = tuple[str, int]
"""Namespace and id of a marker."""


class SceneMarker(NamedTuple):
    """A marker as it is now."""

    shape: Drawable
    place: ShapePose
    node: str = ""
    """Name of the node that it shows, as the simulation has it; empty: not given."""
    moves: bool = False
    """Whether its pose arrives on another topic, see `pose_relay.py`."""


class SceneChange(NamedTuple):
    """A marker that differs from what was shown."""

    key: Key
    before: SceneMarker | None
    """None: it is new."""
    now: SceneMarker | None
    """None: it is gone."""


class SceneState:
    """Collects marker arrays and returns the changes, at any rate of queries.

    Only the latest state counts: nothing queues up, however late a query is.

    Attributes:
        scene_id: number of the scene that is shown; 0: none has arrived yet.
    """

    def __init__(self) -> None:
        self.scene_id = 0
        self._part_count = 0
        self._arrived: set[Key] = set()
        self._others: set[Key] = set()
        self._items: dict[Key, SceneMarker] = {}
        self._shown: dict[Key, SceneMarker] = {}
        self._changed: dict[Key, None] = {}

    def apply(self, markers: Iterable[Any], is_scene: bool = False) -> None:
        """Apply the actions of visualization_msgs/Marker in their order.

        Args:
            markers: of one message.
            is_scene: whether it came on `/odesim/scene`. DELETEALL removes only markers of the same topic.
        """
        for marker in markers:
            if marker.action == Marker.DELETEALL:
                if is_scene:
                    self._begin_scene(marker)
                else:
                    self._remove_all(key for key in list(self._items) if key in self._others)
            elif marker.action == Marker.DELETE:
                self._remove((marker.ns, marker.id))
            else:
                self._put(marker, is_scene)

    def remove_markers(self) -> None:
        """Remove all markers."""
        self._remove_all(list(self._items))
        self._arrived.clear()
        self.scene_id = self._part_count = 0
        MESHES.remove_contents()

    @property
    def progress(self) -> tuple[int, int]:
        """Number of parts of the scene that have arrived, and of all its parts."""
        return len(self._arrived), self._part_count

    @property
    def loading(self) -> str:
        """Progress of receiving the scene, as text; empty: complete."""
        count, of = self.progress
        if not self.scene_id:
            return "Loading the scene"
        return f"Loading the scene: {count} of {of} parts" if count < of else ""

    def changes(self) -> Iterator[SceneChange]:
        """Yield what has changed since the last call; markers added and removed in between are left out."""
        touched, self._changed = self._changed, {}
        for key in touched:
            before, now = self._shown.get(key), self._items.get(key)
            if now is None:
                self._shown.pop(key, None)
            else:
                self._shown[key] = now
            if before is not now:
                yield SceneChange(key, before, now)

    def namespaces(self) -> dict[str, int]:
        """Return the number of markers of each namespace, in order of appearance."""
        counts: dict[str, int] = {}
        for namespace, _ in self._items:
            counts[namespace] = counts.get(namespace, 0) + 1
        return counts

    def items(self) -> Iterable[tuple[Key, SceneMarker]]:
        """Return all markers."""
        return self._items.items()

    def _begin_scene(self, order: Any) -> None:
        """Prepare for a whole scene: remove parts of other scenes, keep those of this one until replaced."""
        own = [key for key in self._items if key not in self._others]
        if order.id != self.scene_id:
            self._remove_all(own)
            self._arrived.clear()
            MESHES.remove_contents()
        else:
            self._remove_all(key for key in own if key not in self._arrived)
        self.scene_id = order.id
        self._part_count = int(order.text or 0)

    def _put(self, marker: Any, is_scene: bool) -> None:
        key = (marker.ns, marker.id)
        (self._others.discard if is_scene else self._others.add)(key)
        if is_scene and marker.type == Marker.MESH_RESOURCE:
            self._arrived.add(key)
        shape = drawable_of(marker)
        if shape is None:
            self._remove(key)
            return
        node = "" if shape.kind == "text" else marker.text
        moves = marker.frame_locked and shape.kind == "file"
        self._items[key] = SceneMarker(shape, shape_pose_of(marker), node, moves)
        self._changed[key] = None

    def set_poses(self, poses: dict[Key, ShapePose]) -> None:
        """Set the poses of markers without reporting a change: the browsers receive them in another way."""
        for key, place in poses.items():
            item = self._items.get(key)
            if item is not None:
                self._items[key] = self._shown[key] = item._replace(place=place)

    def _remove_all(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._remove(key)

    def _remove(self, key: Key) -> None:
        self._others.discard(key)
        if self._items.pop(key, None) is not None:
            self._changed[key] = None
