"""Shows over the picture how much of the scene has arrived, until it is complete."""

from __future__ import annotations

from html import escape

from ros_bridge.viewer.panel import ViewerContext

STYLE = (
    "position:fixed;pointer-events:none;z-index:5;top:40vh;left:0;right:364px;text-align:center;"
    "font:600 1.25em sans-serif;color:#fff;text-shadow:0 0 4px #000"
)


class LoadingOverlay:
    """Shows `SceneState.loading` while a simulation is running."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._html = context.server.gui.add_html("")

    def refresh(self, now: float) -> None:
        """Update the text."""
        self._html.content = loading_html(
            self._context.state.loading if self._context.link.is_running else ""
        )


def loading_html(text: str) -> str:
    """Return the text centred between the panels; nothing for an empty text."""
    return f'<div id="odesim-loading" style="{STYLE}">{escape(text)}</div>' if text else ""
