"""Handles that drag and rotate the selected solid in the 3D scene, and dragging it with Shift."""

from __future__ import annotations

from functools import partial
from typing import Any

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.sim_link import NO_ANSWER

NAME = "/gizmo"
SIZE = 90.0
"""Length of the arrows in pixels, at any distance."""
HOLD_PERIOD = 0.05
"""Seconds of wall time between two poses sent for a solid that is held."""


class Gizmo:
    """Handles on the selected solid, which follows them and stays where they hold it.

    The next pose is sent only after the simulation has answered the last, so requests never queue up, and a
    solid that is held does not fall. The last pose of a drag is sent again until it is answered, even if
    another node is selected by then.
    """

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._handle: Any = None
        self._node = ""
        self._shown: tuple[float, ...] = ()
        self._wanted: tuple[str, tuple[float, ...]] | None = None  # a node and its pose
        self._before: tuple[float, ...] | None = None
        self._is_touched = False  # set in viser's thread, before the call in the inbox is handled
        self._is_held = self._is_asked = False
        self._next = 0.0
        self._number = 0
        self._start: tuple[float, ...] | None = None
        context.message_handlers["drag"] = self._shift

    def refresh(self, now: float) -> None:
        """Move the handles to the solid, or the solid to the handles."""
        if self._number != self._context.link.number:  # another simulation has other nodes
            self._number, self._wanted = self._context.link.number, None
        self._follow()
        if self._wanted is not None and not self._is_asked and now >= self._next:
            self._next = now + HOLD_PERIOD
            self._put(*self._wanted)

    def _follow(self) -> None:
        outline = self._context.selection.outline
        if outline is None or outline.name != self._node:
            if self._context.selection.name != self._node:
                self._remove()
            if outline is not None and outline.pose is not None:
                self._make(outline.name, outline.pose)
        elif outline.pose is None:
            self._remove()
        elif not (self._is_touched or self._is_held or self._wanted) and outline.pose != self._shown:
            self._shown = outline.pose
            self._handle.position, self._handle.wxyz = outline.pose[:3], _wxyz(outline.pose)

    def _make(self, node: str, pose: tuple[float, ...]) -> None:
        scene = self._context.server.scene
        self._handle = scene.add_transform_controls(
            NAME, scale=SIZE, fixed=True, depth_test=False, position=pose[:3], wxyz=_wxyz(pose)
        )
        self._node, self._shown = node, pose
        put = self._context.inbox.put

        async def moved(event: Any) -> None:  # async keeps the order of mouse events
            self._is_touched = event.phase != "end"
            target = event.target
            w, x, y, z = (float(each) for each in target.wxyz)
            place = tuple(float(each) for each in target.position)
            put(lambda: self._drag(node, event.phase, (*place, x, y, z, w)))

        self._handle.on_update(moved)

    def _remove(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None
        self._node = ""
        self._is_touched = self._is_held = False

    def _shift(self, told: Any, _: Any) -> None:
        """Move the selected solid horizontally: with `shift` (2), m since the `phase` start."""
        if not isinstance(told, dict) or len(told.get("shift", ())) != 2:
            return
        phase, outline = told.get("phase"), self._context.selection.outline
        if phase == "start":
            is_shown = outline is not None and outline.name == self._node
            self._start = outline.pose if outline is not None and is_shown else None
        if self._start is None:
            return
        x, y = (float(each) for each in told["shift"])
        pose = (self._start[0] + x, self._start[1] + y, *self._start[2:])
        self._is_touched = phase != "end"
        self._drag(self._node, str(phase), pose)
        if self._handle is not None:
            self._handle.position = pose[:3]

    def _drag(self, node: str, phase: str, pose: tuple[float, ...]) -> None:
        if node != self._node:
            return
        outline = self._context.selection.outline
        if not self._is_held and outline is not None:
            self._before = outline.pose
        self._is_held = phase != "end"
        if phase == "end" and self._before is not None:
            title = outline.title if outline is not None else node
            undo, redo = (
                partial(self._context.restore_field, node, "pose", each) for each in (self._before, pose)
            )
            self._context.history.add_change(f"place of {title}", undo, redo)
        self._shown = ()  # the handles have left the solid's last pose
        if phase == "update":  # start and end carry no new pose, and the handles may be moved meanwhile
            self._wanted = (node, pose)

    def _put(self, node: str, pose: tuple[float, ...]) -> None:
        def answered(refusal: str) -> None:
            self._is_asked = False
            if refusal == NO_ANSWER:
                return  # it is sent again
            if refusal:
                self._context.selection.show_message(refusal, refused=True)
            if not self._is_held and self._wanted == (node, pose):
                self._wanted = None
                self._context.selection.read_again()

        self._is_asked = self._context.link.set_parameter(f"{node}.pose", pose, answered)
        if not self._is_asked and not self._context.link.is_running:
            self._wanted = None


def _wxyz(pose: tuple[float, ...]) -> tuple[float, float, float, float]:
    """Return the quaternion of a pose in the browser's order."""
    x, y, z, w = pose[3:]
    return (w, x, y, z)
