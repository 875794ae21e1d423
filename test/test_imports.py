"""Who may import whom, as the architecture says; read from the source, so that lazy imports count too."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = sorted((ROOT / "sim_core").rglob("*.py"))
BRIDGE = sorted((ROOT / "ros_bridge").rglob("*.py"))

ROS = ("rclpy", "ament_index_python", "launch", "launch_ros", "tf2_ros", "ros_bridge", "rosbags")
GL = ("moderngl", "OpenGL", "EGL", "glfw")
MAY_IMPORT_OF_CORE = {
    "scene": ("scene",),
    "physics": ("scene", "physics"),
    "fast2d": (
        *("scene", "fast2d", "physics", "raycast", "robot", "odometry"),
        *("devices", "differential_drive"),
    ),
    "urdf": ("scene", "urdf", "physics"),
    "raycast": ("scene", "raycast"),
    "render": (
        *("scene", "render", "raycast", "devices.focus", "devices.picture_view", "devices.looks"),
        "devices.trace",
    ),
    "devices": ("scene", "devices", "differential_drive"),
}
SHARED = ("errors", "geometry", "clock", "config", "compiled", "whole_file", "simple_queue")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def is_ros(module: str) -> bool:
    top = module.split(".")[0]
    return top in ROS or top.endswith(("_msgs", "_srvs", "_interfaces"))


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_simulator_knows_no_ros(path: Path) -> None:
    assert not [module for module in imports(path) if is_ros(module)]


@pytest.mark.parametrize("path", CORE + BRIDGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_physics_imports_ode(path: Path) -> None:
    folder = path.relative_to(ROOT).parts[:2]
    if folder != ("sim_core", "physics"):
        assert "ode" not in {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", CORE + BRIDGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_render_imports_gl(path: Path) -> None:
    if path.relative_to(ROOT).parts[:2] != ("sim_core", "render"):
        assert not [module for module in imports(path) if module.split(".")[0] in GL]


@pytest.mark.parametrize("path", CORE + BRIDGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_learning_imports_gymnasium(path: Path) -> None:
    if path.relative_to(ROOT).parts[:2] != ("sim_core", "learning"):
        assert "gymnasium" not in {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("folder", MAY_IMPORT_OF_CORE)
def test_folders_of_the_simulator_import_only_what_they_may(folder: str) -> None:
    allowed = tuple(f"sim_core.{name}" for name in MAY_IMPORT_OF_CORE[folder] + SHARED)
    for path in (ROOT / "sim_core" / folder).rglob("*.py"):
        for module in imports(path):
            if module.startswith("sim_core"):
                fits = any(module == name or module.startswith(name + ".") for name in allowed)
                assert fits, f"{path.relative_to(ROOT)} imports {module}"
