"""What docs/adding_a_device.md tells to do is done, in a copy of the source tree, and works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "docs/adding_a_device.md").read_text(encoding="utf-8")
FOLDERS = (
    "sim_core",
    "ros_bridge",
    "webots_api",
    "worlds",
    "controllers",
    "config",
    "launch",
    "test",
    "docs",
)
PARTS = (*FOLDERS, "pyproject.toml", "package.xml")
BLOCK = re.compile(r"```\w+\n# (file|append to|row in): (\S+) ?(\w*)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree, with what the guide adds."""
    copy = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part)
        else:
            shutil.copy2(source, copy)
    for kind, name, table, text in BLOCK.findall(GUIDE):
        file = copy / name
        if kind == "file":
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            continue
        old = file.read_text(encoding="utf-8")
        if kind == "append to":
            file.write_text(old + text, encoding="utf-8")
        else:
            start = f"{table}: dict[str, str] = {{\n"
            assert start in old
            file.write_text(old.replace(start, f"{start}    {text}"), encoding="utf-8")
    return copy


def run(tree: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_guide_has_all_parts() -> None:
    kinds = [kind for kind, *_ in BLOCK.findall(GUIDE)]
    assert (kinds.count("file"), kinds.count("append to"), kinds.count("row in")) == (6, 1, 1)


def test_the_tests_of_the_guide_pass(tree: Path) -> None:
    names = [
        f"test/{folder}/test_thermometer.py"
        for folder in ("sim_core/devices/inertial", "sim_core/experiments/learning", "ros_bridge/devices")
    ]
    result = run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *names)
    assert result.returncode == 0, result.stdout
    assert "7 passed" in result.stdout


def test_the_schema_and_the_world_of_the_guide_are_sound(tree: Path) -> None:
    names = ["test/sim_core/scene/test_node_types.py", "test/worlds/test_shipped_worlds.py"]
    chosen = ("-k", "node_types or thermometer")
    result = run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, *names)
    assert result.returncode == 0, result.stdout


def test_the_topic_is_there(tree: Path) -> None:
    result = run(tree, "-m", "ros_bridge.cli", "info", "devices/thermometer")
    assert re.search(r"/balloon/thermometer +out +sensor_msgs/msg/Temperature +16 ms", result.stdout), result
    assert re.search(r"/balloon/thermometer/offset +in +std_msgs/msg/Float64", result.stdout), result


CONTROLLER = """
from controller import Robot
robot = Robot()
thermometer = robot.getDevice("thermometer")
thermometer.enable(16)
print("before", thermometer.getValue(), thermometer.getChannels())
robot.step(32)
print("after", round(thermometer.getValue(), 2))
thermometer.setOffset(10.0)
robot.step(16)
print("offset", round(thermometer.getValue(), 2), thermometer.getCommands())
"""


def test_a_webots_controller_reads_it(tree: Path) -> None:
    """At 5 m/s the balloon is at 0.16 m after 32 ms: 288.15 K - 0.001 K, rounded to 0.01 K."""
    world = (tree / "worlds/devices/thermometer.wbt").read_text(encoding="utf-8")
    place = tree / "worlds" / "mine.wbt"
    place.write_text(world.replace('"void"', '"reader"'), encoding="utf-8")
    (tree / "controllers/reader").mkdir()
    (tree / "controllers/reader/reader.py").write_text(CONTROLLER, encoding="utf-8")
    result = run(tree, "-m", "ros_bridge.cli", "run", str(place), "--mode", "fast", "--duration", "0.1")
    assert "balloon: before nan {'value': 'K'}" in result.stdout + result.stderr, result
    assert "balloon: after 288.15" in result.stdout + result.stderr
    assert "balloon: offset 298.15 {'set_offset': ['offset']}" in result.stdout + result.stderr


def test_without_a_bridge_it_is_a_number(tree: Path) -> None:
    bridge = tree / "ros_bridge/devices/thermometer.py"
    text = bridge.read_text(encoding="utf-8")
    bridge.unlink()
    try:
        result = run(tree, "-m", "ros_bridge.cli", "info", "devices/thermometer")
    finally:
        bridge.write_text(text, encoding="utf-8")
    assert re.search(r"/balloon/thermometer +out +std_msgs/msg/Float64 +16 ms", result.stdout), result


def test_the_list_of_devices_has_it(tree: Path) -> None:
    assert run(tree, "docs/list_devices.py").returncode == 0
    rows = (tree / "docs/devices.md").read_text(encoding="utf-8").splitlines()
    assert "| Thermometer | `value` (K, 0 or more) ± | `set_offset(offset K)` † |" in rows


def test_the_code_of_the_guide_is_clean(tree: Path) -> None:
    names = [name for kind, name, *_ in BLOCK.findall(GUIDE) if name.endswith(".py")]
    for checker in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]):
        result = run(
            tree, "-m", *checker, *[name for name in names if checker != ["mypy"] or "test" not in name]
        )
        assert result.returncode == 0, result.stdout
