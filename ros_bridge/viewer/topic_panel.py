"""Panel with the list of all ROS topics."""

from __future__ import annotations

from html import escape

from ros_bridge.viewer.panel import ViewerContext


class TopicPanel:
    """All topics with their types."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._shown: dict[str, str] = {}
        self._html = context.server.gui.add_html(topics_html({}))

    def refresh(self, now: float) -> None:
        """Update the list if the topics have changed."""
        if self._context.topics != self._shown:
            self._shown = self._context.topics
            self._html.content = topics_html(self._shown)


def topics_html(topics: dict[str, str]) -> str:
    """Return one line for each topic, with its type below."""
    rows = "".join(
        f'<div style="overflow-wrap:anywhere">{escape(name)}<br>'
        f'<span style="color:#868e96">{escape(kind)}</span></div>'
        for name, kind in sorted(topics.items())
    )
    return f'<div style="font-size:0.8em;padding:0 0.8em;max-height:24em;overflow-y:auto">{rows}</div>'
