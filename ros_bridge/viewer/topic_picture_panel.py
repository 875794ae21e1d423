"""Panels that show messages of a topic as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ros_bridge.topics.conversions import type_name
from ros_bridge.viewer.panel import NOTHING, ViewerContext, set_choices
from ros_bridge.viewer.polled_topic import PolledTopic

SHOWN_PERIOD = 0.1
"""Seconds of wall time between two pictures; only the latest is shown."""
Shown = tuple[NDArray[np.uint8] | None, str]
"""A picture (None if there is none) and the text below it."""


class TopicPicturePanel:
    """Panel for topics of one type, subscribed to once chosen; the only one, once its tab is opened.

    Args:
        context: what the panels share.
        label: of the list of topics, and of the tab.
        message_type: class of the messages.
        prompt: text shown before a topic is chosen.
        show: converts a message to a picture.
        gone: the choice is kept while the topic is not available.
        picture: viser's options for sending the picture.
    """

    def __init__(
        self,
        context: ViewerContext,
        label: str,
        message_type: type,
        prompt: str,
        show: Callable[[Any], Shown],
        gone: bool = True,
        **picture: Any,
    ) -> None:
        self._context, self._label, self._type = context, label, message_type
        self._prompt, self._show, self._gone = prompt, show, gone
        self._only: tuple[str, ...] = ()
        gui = context.server.gui
        self._dropdown = gui.add_dropdown(label, (NOTHING,))
        context.on_use(self._dropdown, lambda event: self._choose(event.target.value))
        self._note = gui.add_markdown(prompt)
        self._image = gui.add_image(np.zeros((4, 4, 3), np.uint8), visible=False, **picture)
        self._topic: PolledTopic | None = None
        self._next = 0.0

    def refresh(self, now: float) -> None:
        """Show the latest message."""
        names = self._context.names_of_type(type_name(self._type))
        set_choices(self._dropdown, names, self._gone)
        if self._label in self._context.opened and len(names) == 1 and names != self._only:
            self._only = names  # chosen once: who then chooses none is asked no more
            if self._topic is None:
                self._dropdown.value = names[0]
                self._choose(names[0])
        if self._topic is None or now < self._next:
            return
        self._next = now + SHOWN_PERIOD
        for message in self._topic.take():
            picture, self._note.content = self._show(message)
            if picture is not None:
                self._image.image = picture
                self._image.visible = True

    def _choose(self, name: str) -> None:
        if self._topic is not None:
            if self._topic.name == name:
                return
            self._topic.close()
            self._topic = None
        self._image.visible = False
        self._note.content = self._prompt if name == NOTHING else "No messages yet."
        if name != NOTHING:
            self._topic = PolledTopic(self._context.watch, self._type, name)
