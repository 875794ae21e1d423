"""A supervisor's labels: text over the picture, at positions of the window rather than of the world."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.scene.scene_state import Key, SceneMarker
from ros_bridge.viewer.scene.scene_view import LABELS

PANELS = 364
"""Pixels at the right covered by panels."""


class LabelOverlay:
    """Shows the markers of the namespace `labels` at their window positions.

    `composites/markers.py` gives these labels positions in the world; this class converts them back.

    """

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._html = context.server.gui.add_html("")

    def refresh(self, now: float) -> None:
        """Update the labels."""
        state, is_visible = self._context.state, self._context.view.is_visible(LABELS)
        is_shown = is_visible and LABELS in state.namespaces()
        self._html.content = overlay_html(state.items()) if is_shown else ""


def overlay_html(items: Iterable[tuple[Key, SceneMarker]]) -> str:
    """Return texts at fractions of the area between the panels; letter size is a fraction of its height."""
    lines = []
    for (namespace, _), item in items:
        if namespace != LABELS:
            continue
        _, across, up = item.place.position
        x, y, size = 0.5 - across, 1.5 - up, item.shape.scale[2]
        red, green, blue = item.shape.colour
        style = (
            "position:fixed;pointer-events:none;z-index:5;white-space:pre;line-height:1;"
            f"left:calc({x:.4f} * (100vw - {PANELS}px));top:{100.0 * y:.2f}vh;"
            f"font-size:{100.0 * size:.2f}vh;"
            f"color:rgb({red},{green},{blue});opacity:{item.shape.opacity:.3f}"
        )
        lines.append(f'<div class="odesim-label" style="{style}">{escape(item.shape.text)}</div>')
    return "".join(lines)
