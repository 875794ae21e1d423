"""Panel for the camera: projection, the world's Viewpoint, views from the sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.scene.views import (
    FLAT_DISTANCE_FACTOR,
    SIDES,
    distance,
    from_side,
    home_view,
    is_orthographic,
    project,
    restore,
    set_clipping,
    show,
    whole_world_view,
)
from ros_bridge.viewer.tree.outline import ROOT, read_outline

PERSPECTIVE, ORTHOGRAPHIC = "Perspective", "Orthographic"
LEVEL = (0.0, 0.0, 0.0, 1.0)
REST_PERIOD = 0.5
"""Seconds of wall time without motion after which a camera is at rest."""


class ViewPanel:
    """Buttons that move the camera of the browser in which they are pressed."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._next = 0.0
        self._seen: dict[int, tuple[float, ...]] = {}
        gui = context.server.gui
        projection = gui.add_button_group("Projection", (PERSPECTIVE, ORTHOGRAPHIC))
        context.on_use(projection, lambda event: self._project(event))
        back = gui.add_button("Restore viewpoint", icon="home", hint="as in the world file")
        context.on_use(back, lambda event: self._restore(event))
        hint = "of the selected solid; without one, of the world"
        sides = gui.add_button_group("View from", tuple(SIDES), hint=hint)
        context.on_use(sides, lambda event: self._show_side(event))

    def refresh(self, now: float) -> None:
        """Adjust the clipping of orthographic views, which zooming moves, once a camera is at rest.

        Before that a browser may report an earlier position of its camera.
        """
        if now < self._next:
            return
        self._next = now + REST_PERIOD
        cameras = {number: client.camera for number, client in self._context.server.get_clients().items()}
        before, self._seen = self._seen, {number: _state(camera) for number, camera in cameras.items()}
        for number, camera in cameras.items():
            if self._seen[number] == before.get(number):
                set_clipping(camera)

    def _cameras(self, event: Any) -> list[Any]:
        """Return the cameras of the browser that sent an event; of all, if it is not known."""
        clients = [event.client] if event.client is not None else self._context.server.get_clients().values()
        return [client.camera for client in clients]

    def _project(self, event: Any) -> None:
        for camera in self._cameras(event):
            project(camera, event.target.value == ORTHOGRAPHIC)

    def reset_camera(self, camera: Any) -> None:
        """Move a camera to the world's Viewpoint."""
        self._restore_all([camera])

    def _restore(self, event: Any) -> None:
        self._restore_all(self._cameras(event))

    def _restore_all(self, cameras: list[Any]) -> None:
        self._context.report_unsent(
            self._context.link.read_parameter(f"{ROOT}.outline", partial(self._restore_views, cameras))
        )

    def _restore_views(self, cameras: list[Any], text: str | None) -> None:
        view = None if text is None else home_view(self._context.surround, read_outline(text).viewpoint)
        if view is not None:
            for camera in cameras:
                restore(camera, view)

    def _show_side(self, event: Any) -> None:
        """Show the whole world, or the selected solid at the present distance."""
        outline, every = self._context.selection.outline, whole_world_view(self._context.surround)
        if every is None:
            return
        pose: Sequence[float]
        for camera in self._cameras(event):
            if outline is None or outline.pose is None:
                away, pose = math.dist(every.eye, every.target), (*every.target, *LEVEL)
            else:
                away, pose = distance(camera), outline.pose
                away /= FLAT_DISTANCE_FACTOR if is_orthographic(camera) else 1.0
            show(camera, from_side(event.target.value, pose, away))


def _state(camera: Any) -> tuple[float, ...]:
    """Return what changes when a camera moves."""
    return (camera.fov, *camera.position.tolist(), *camera.look_at.tolist())
