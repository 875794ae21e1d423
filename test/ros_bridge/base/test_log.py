"""One position in the source may log two severities, for which rclpy alone would raise."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy.logging

from ros_bridge.base.log import Log

ROOT = Path(__file__).resolve().parents[3]
SEVERITIES = ("debug", "info", "warning", "error", "fatal")
SOURCES = [path for folder in ("ros_bridge", "launch", "examples") for path in (ROOT / folder).rglob("*.py")]


def loose_loggers(source: str) -> Iterator[int]:
    """Return the lines that use a logger of rclpy other than for a `Log` or directly for a message."""
    tree = ast.parse(source)
    parent = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "get_logger"):
            continue
        user = parent[node]
        if isinstance(user, ast.Call) and ast.unparse(user.func) == "Log":
            continue
        says = isinstance(user, ast.Attribute) and user.attr in SEVERITIES
        if not (says and isinstance(parent[user], ast.Call) and parent[user].func is user):
            yield node.lineno


def test_a_logger_is_told_a_line_or_made_a_log() -> None:
    found = {str(path.relative_to(ROOT)): list(loose_loggers(path.read_text("utf-8"))) for path in SOURCES}
    assert found["ros_bridge/node/sim_node.py"] == []
    assert not {path: lines for path, lines in found.items() if lines}


@pytest.mark.parametrize(
    ("source", "is_loose"),
    [
        ('node.get_logger().info("a line")', False),
        ("log = Log(node.get_logger())", False),
        ("log = node.get_logger()", True),
        ("say = (node.get_logger().info if well else node.get_logger().error)", True),
        ("getattr(node.get_logger(), level)(line)", True),
        ("node.get_logger().log(line, severity)", True),
        ("handler.warn = rclpy.logging.get_logger('a').warning", True),
    ],
)
def test_loose_loggers_are_found(source: str, is_loose: bool) -> None:
    assert bool(list(loose_loggers(source))) is is_loose


def test_one_place_says_two_severities() -> None:
    log = Log(rclpy.logging.get_logger("test_log"))
    for _ in range(2):
        for say in (log.info, log.warning, log.error):
            say("as it should")


def test_a_world_goes_on_when_controllers_end_well_and_badly(world_file, simulate, client, tmp_path) -> None:
    """One with 0, one with 3: both are logged, and the simulation still answers."""
    world = world_file(controller="well")
    text = world.read_text().replace('controller "void"', 'controller "badly"')
    world.write_text(text.replace("synchronization SYNC", "synchronization FALSE"))
    for name, code in (("well", 0), ("badly", 3)):
        (tmp_path / "controllers" / name).mkdir(parents=True)
        (tmp_path / "controllers" / name / f"{name}.py").write_text(f"import sys\nsys.exit({code})\n")
    run = simulate(world, mode="paused")
    client.until(lambda: run.says('robot1: controller "well" ended: exit code 0'), "the first")
    client.until(lambda: run.says('old: controller "badly" ended: exit code 3'), "the second")
    assert client.call("quit").success
    run.wait()
    assert not run.says("Traceback")
