"""A view-only viewer has no publisher of commands and no client that changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ros_bridge.base.context import make_context

pytest.importorskip("viser", reason="needs the Python package viser")

from ros_bridge.base.page_server import make_server
from ros_bridge.viewer.sim_link import DEFAULT_NODE_PATH, VIEW_ONLY
from ros_bridge.viewer.viewer import Viewer

EVERY_NODE = {"/rosout", "/parameter_events"}


@pytest.fixture
def nodes() -> Iterator[tuple[Any, Any]]:
    from rclpy.node import Node

    context = make_context(())
    made = [Node(name, context=context, start_parameter_services=False) for name in ("shows", "shows_watch")]
    yield made[0], made[1]
    for node in made:
        node.destroy_node()
    context.try_shutdown()


def test_it_can_ask_and_tell_nothing_that_acts(nodes: tuple[Any, Any]) -> None:
    node, watch = nodes
    server = make_server("127.0.0.1", 0)
    viewer = Viewer(server, node, watch, False, view_only=True)
    try:
        assert {each.topic_name for each in node.publishers} <= EVERY_NODE
        assert {each.topic_name for each in watch.publishers} <= EVERY_NODE
        asked = {each.srv_name for each in node.clients}
        assert asked == {f"{DEFAULT_NODE_PATH}/world_text", f"{DEFAULT_NODE_PATH}/get_parameters"}
        link, said = viewer.link, []
        for name in ("quit", "pause", "reset", "save"):
            assert not link.call(name) and link.answer == VIEW_ONLY
        assert link.set_parameter("BALL.name", "x", said.append) and said == [VIEW_ONLY]
        assert not link.send_text("import_node", "Solid { }")
        link.answer = ""
        link.set_mode("fast")
        assert link.answer == VIEW_ONLY
    finally:
        viewer.close()
        server.stop()
