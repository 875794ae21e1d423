"""Applies the changes of a SceneState to the browsers' scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ros_bridge.viewer.scene.drawables import Drawable
from ros_bridge.viewer.scene.scene_state import Key, SceneChange, SceneMarker, SceneState

TRACE_SUFFIX = " trace"
"""End of the namespace of a pen's lines (see `ros_bridge/composites/markers.py`)."""
LABELS = "labels"
"""Namespace of a supervisor's labels, which are shown over the picture (see `label_overlay.py`)."""
LABEL_HEIGHT = 0.25
"""Height of a robot's name above its first marker, m."""


class SceneView:
    """The 3D scene of a viser server: one node for each marker, below one node for each namespace.

    Attributes:
        picked: called with a node's name when one of its shapes is clicked, in a thread of viser; to be set
            before anything is shown.


    Args:
        scene: `viser.ViserServer.scene`.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self.picked: Callable[[str], Any] | None = None
        self._layers: dict[str, Any] = {}
        self._hidden: set[str] = set()
        self._nodes: dict[Key, Any] = {}
        self._labels: dict[str, Any] = {}
        self._labels_shown = False

    def show_state(self, state: SceneState) -> bool:
        """Show what has changed; return True if markers were added or removed."""
        turnover = False
        for change in state.changes():
            if change.key[0] == LABELS:
                continue
            turnover |= self._show(change)
        if self._labels_shown:
            self._place_labels(state)
        return turnover

    def set_visible(self, namespace: str, visible: bool) -> None:
        """Show or hide a layer, which may be added later."""
        (self._hidden.discard if visible else self._hidden.add)(namespace)
        layer = self._layers.get(namespace)
        if layer is not None:
            layer.visible = visible

    def is_visible(self, namespace: str) -> bool:
        """Return whether a layer is shown."""
        return namespace not in self._hidden

    def show_labels(self, shown: bool) -> None:
        """Show or hide the names above robots."""
        self._labels_shown = shown
        if not shown:
            for label in self._labels.values():
                label.remove()
            self._labels.clear()

    def _show(self, change: SceneChange) -> bool:
        key, before, now = change
        if now is None:
            node = self._nodes.pop(key, None)
            if node is not None:
                node.remove()
            return True
        node = self._nodes.get(key)
        is_other = before is not None and before.node != now.node
        if before is None or node is None or is_other or _needs_new_node(before.shape, now.shape):
            # A node of the same name replaces the old one.
            self._nodes[key] = self._add(self.name(key), now)
            self._make_pickable(self._nodes[key], now)
            return before is None
        if now.shape.kind != "file" and not now.shape.has_colour_of(before.shape):
            node.color, node.opacity = now.shape.colour, now.shape.opacity
        if now.place != before.place:
            node.position, node.wxyz = now.place.position, now.place.wxyz
        return False

    def _make_pickable(self, shown: Any, item: SceneMarker) -> None:
        if self.picked is not None and item.node and item.shape.kind not in ("lines", "points", "text"):
            tell, node = self.picked, item.node
            shown.on_click(lambda _: tell(node))

    def name(self, key: Key) -> str:
        """Return a path in viser's tree; a number replaces the namespace, which may have any character."""
        namespace, number = key
        layer = self._layers.get(namespace)
        if layer is None:
            layer = self._scene.add_frame(f"/layer{len(self._layers)}", show_axes=False)
            layer.visible = self.is_visible(namespace)
            self._layers[namespace] = layer
        return f"{layer.name}/{number}"

    def _add(self, name: str, item: SceneMarker) -> Any:
        shape, place = item.shape, item.place
        where = {"position": place.position, "wxyz": place.wxyz}
        match shape.kind:
            case "lines":
                colours = (
                    np.array(shape.colour, np.uint8) if shape.point_colours is None else shape.point_colours
                )
                return self._scene.add_line_segments(
                    name, shape.points, colours, thickness=shape.width, **where
                )
            case "file":
                return self._scene.add_glb(name, shape.file, scale=shape.scale, **where)
            case "text":
                return self._scene.add_label(name, shape.text, **where)
            case "points":
                colours = (
                    np.array(shape.colour, np.uint8) if shape.point_colours is None else shape.point_colours
                )
                return self._scene.add_point_cloud(
                    name,
                    shape.points,
                    colours,
                    point_size=shape.width,
                    point_shape="circle",
                    precision="float32",
                    **where,
                )
            case "mesh":
                points = shape.points
                assert points is not None
                if shape.point_colours is not None:
                    return self._scene.add_mesh_trimesh(
                        name, _coloured(shape), scale=shape.scale, cast_shadow=False, **where
                    )
                faces = np.arange(len(points)).reshape(-1, 3)
                return self._scene.add_mesh_simple(
                    name, points, faces, flat_shading=True, side="double", **_look(shape), **where
                )
            case "sphere":
                return self._scene.add_icosphere(name, radius=0.5, **_look(shape), **where)
            case "cylinder":
                return self._scene.add_cylinder(name, radius=0.5, height=1.0, **_look(shape), **where)
        return self._scene.add_box(name, dimensions=(1.0, 1.0, 1.0), **_look(shape), **where)

    def _place_labels(self, state: SceneState) -> None:
        seen: set[str] = set()
        for (namespace, _), item in state.items():
            if namespace in seen or not is_robot(namespace):
                continue
            seen.add(namespace)
            x, y, z = item.place.position
            position = (x, y, z + LABEL_HEIGHT)
            label = self._labels.get(namespace)
            if label is None:
                name = f"/label{len(self._labels)}"
                self._labels[namespace] = self._scene.add_label(name, namespace, position=position)
            else:
                label.position = position
        for namespace in self._labels.keys() - seen:
            self._labels.pop(namespace).remove()


def is_robot(namespace: str) -> bool:
    """Return whether the markers of a namespace show a robot."""
    return namespace not in ("world", LABELS) and not namespace.endswith(TRACE_SUFFIX)


def _needs_new_node(before: Drawable, now: Drawable) -> bool:
    """Return whether a shape differs in more than its pose and, where viser can change it, its colour."""
    if not now.has_form_of(before):
        return True
    keeps = now.kind in ("lines", "points", "text") or now.point_colours is not None
    return keeps and not now.has_colour_of(before)


def _coloured(shape: Drawable) -> Any:
    """Return triangles with a colour for each corner."""
    import trimesh

    assert shape.points is not None and shape.point_colours is not None
    opacity = np.full((len(shape.point_colours), 1), round(255 * shape.opacity), np.uint8)
    return trimesh.Trimesh(
        shape.points,
        np.arange(len(shape.points)).reshape(-1, 3),
        vertex_colors=np.hstack((shape.point_colours, opacity)),
        process=False,
    )


def _look(shape: Drawable) -> dict[str, Any]:
    return {"color": shape.colour, "opacity": shape.opacity, "scale": shape.scale}
