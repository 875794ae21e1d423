"""Tells the page how much of the scene has arrived, so that it hides the scene until it is complete."""

from __future__ import annotations

import json
from html import escape

from ros_bridge.viewer.panel import ViewerContext


class LoadingOverlay:
    """Forwards `SceneState.progress` while a simulation is running; `loading.js` shows it."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._html = context.server.gui.add_html("")
        self._counted: tuple[int, int] = (-1, 0)
        self._drawn = 0

    def refresh(self, now: float) -> None:
        """Update the numbers."""
        state = self._context.state
        arrived, of = state.progress
        if self._counted != (state.scene_id, arrived):
            self._counted = (state.scene_id, arrived)
            self._drawn = sum(item.shape.kind == "file" for _, item in state.items())
        parts = {
            "running": self._context.link.is_running,
            "loading": state.loading,
            "scene": state.scene_id,
            "arrived": arrived,
            "of": of,
            "drawn": self._drawn,  # a part whose file is missing is not drawn
        }
        self._html.content = f'<div id="odesim-parts" hidden data-parts="{escape(json.dumps(parts))}"></div>'
