"""Panel with the list of all ROS topics, and the numbers in the messages of one."""

from __future__ import annotations

from html import escape

from ros_bridge.topics.message_fields import number_fields
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import known_class


class TopicPanel:
    """All topics with their types; a click shows the numbers of a topic, which can be added to the plot."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._shown: tuple[dict[str, str], str] = ({}, "")
        self._open = ""
        self._html = context.server.gui.add_html(topics_html({}))
        context.message_handlers["topic"] = self._press

    def refresh(self, now: float) -> None:
        """Update the list if the topics have changed."""
        if (self._context.topics, self._open) != self._shown:
            self._shown = (self._context.topics, self._open)
            kind = known_class(self._shown[0][self._open]) if self._open in self._shown[0] else None
            fields = () if kind is None else tuple(number_fields(kind))
            self._html.content = topics_html(self._context.topics, self._open, fields)

    def _press(self, name: object, _: object) -> None:
        self._open = "" if name == self._open else str(name)


def topics_html(topics: dict[str, str], opened: str = "", fields: tuple[str, ...] = ()) -> str:
    """Return a button for each topic, with its type; under the opened one its numbers, to be dragged."""
    rows = []
    for name, kind in sorted(topics.items()):
        rows.append(
            f'<button type="button" data-odesim-topic="{escape(name)}" '
            f'aria-expanded="{"true" if name == opened else "false"}">{escape(name)}<br>'
            f"<span>{escape(kind)}</span></button>"
        )
        if name == opened:
            rows += [
                f'<button type="button" draggable="true" data-odesim-field="{escape(f"{name} {field}")}" '
                f'title="click, or drag into the plot">{escape(field)}</button>'
                for field in fields
            ] or ["<p>no numbers</p>"]
    return f'<div id="odesim-topics">{"".join(rows)}</div>'
