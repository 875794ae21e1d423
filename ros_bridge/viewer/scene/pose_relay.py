"""Poses of the moving parts of the world, sent to the browsers as one message.

Each browser interpolates between the two latest ones, see `look.js`.
"""

from __future__ import annotations

import base64
import json
from html import escape
from typing import Any

import numpy as np
from std_msgs.msg import Float32MultiArray

from ros_bridge.topics.names import POSES
from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.polled_topic import PolledTopic
from ros_bridge.viewer.scene.drawables import ShapePose
from ros_bridge.viewer.scene.scene_state import Key

KNOWN_PERIOD = 0.5
"""Seconds of wall time between two updates of the poses used for labels and views."""


class PoseRelay:
    """Forwards the messages of `/odesim/scene/poses`."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        self._names = context.server.gui.add_html(names_html([]))
        self._poses = context.server.gui.add_html(poses_html(b""))
        self._topic: PolledTopic | None = None
        self._keys: list[Key] = []
        self._count = self._scene_id = -1
        self._next = 0.0
        self._number = -1

    def refresh(self, now: float) -> None:
        """Send the latest poses to the browsers."""
        link, state = self._context.link, self._context.state
        if self._topic is None or link.number != self._number:
            if self._topic is not None:
                self._topic.close()
            self._number = link.number
            self._topic = PolledTopic(self._context.watch, Float32MultiArray, f"{link.namespace}{POSES}")
        messages = self._topic.take()
        if not messages:
            return
        latest = messages[-1]
        rows = np.frombuffer(latest.data, np.float32).reshape(-1, 7)
        if latest.layout.data_offset != state.scene_id:
            return
        self._find(len(rows))
        if len(rows) != len(self._keys):  # some parts have not arrived yet
            return
        self._poses.content = poses_html(rows.tobytes())
        if now >= self._next:
            self._next = now + KNOWN_PERIOD
            state.set_poses({key: _place(row) for key, row in zip(self._keys, rows.tolist(), strict=True)})

    def _find(self, count: int) -> None:
        """Find the parts that the rows describe."""
        state = self._context.state
        if (state.scene_id, count) == (self._scene_id, len(self._keys)):
            return
        self._scene_id = state.scene_id
        moving = [key for key, item in state.items() if item.moves]
        self._keys = sorted(moving, key=lambda key: -key[1])
        self._names.content = names_html([self._context.view.name(key) for key in self._keys])


def names_html(names: list[str]) -> str:
    """Return the element with the page's names of the nodes that the rows describe."""
    return f'<div id="odesim-names" hidden data-names="{escape(json.dumps(names))}"></div>'


def poses_html(rows: bytes) -> str:
    """Return the element with float32 rows of x, y, z and a quaternion w, x, y, z."""
    return f'<div id="odesim-poses" hidden data-poses="{base64.b64encode(rows).decode()}"></div>'


def _place(row: list[Any]) -> ShapePose:
    return ShapePose((row[0], row[1], row[2]), (row[3], row[4], row[5], row[6]))
