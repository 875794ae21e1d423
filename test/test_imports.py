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
ROOMS = ("base", "scene", "model", "engines", "sensing", "devices", "session", "recording", "experiments")
"""Folders of the simulator, each importing only those before it."""
STILL = {
    ("engines", "sensing"),  # the rays of the plane
    ("engines", "devices"),  # robots that roll in the plane
    ("engines", "session"),
    ("session", "recording"),
}
"""What is still the wrong way round."""


MOST_FILES = 27
CROWDED = ("ros_bridge/viewer", "ros_bridge/devices", "ros_bridge/recorder")
"""One file for each panel and each device."""


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
    if folder != ("sim_core", "engines"):
        assert "ode" not in {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", CORE + BRIDGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_render_imports_gl(path: Path) -> None:
    if path.relative_to(ROOT).parts[:3] != ("sim_core", "sensing", "render"):
        assert not [module for module in imports(path) if module.split(".")[0] in GL]


@pytest.mark.parametrize("path", CORE + BRIDGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_learning_imports_gymnasium(path: Path) -> None:
    if path.relative_to(ROOT).parts[:3] != ("sim_core", "experiments", "learning"):
        assert "gymnasium" not in {module.split(".")[0] for module in imports(path)}


def test_rooms_of_the_simulator_import_only_those_before_them() -> None:
    wrong = set()
    for number, room in enumerate(ROOMS):
        for path in (ROOT / "sim_core" / room).rglob("*.py"):
            for module in imports(path):
                top, _, rest = module.partition(".")
                if top == "sim_core" and rest:
                    other = rest.partition(".")[0]
                    assert other in ROOMS, f"{path.relative_to(ROOT)} imports {module}"
                    if ROOMS.index(other) > number:
                        wrong.add((room, other))
    assert wrong == STILL


def test_every_module_of_the_simulator_is_in_a_room() -> None:
    places = {path.relative_to(ROOT / "sim_core").parts[0] for path in CORE}
    assert places == {*ROOMS, "__init__.py", "compile_kernels.py"}


@pytest.mark.parametrize("top", ["sim_core", "ros_bridge"])
def test_no_folder_is_crowded(top: str) -> None:
    folders = {path.parent for path in (ROOT / top).rglob("*.py")}
    crowded = {str(each.relative_to(ROOT)): len(list(each.glob("*.py"))) for each in folders}
    assert not {name: count for name, count in crowded.items() if count > MOST_FILES and name not in CROWDED}


IN_FILE_AXES = {
    *("translation", "rotation", "orientation", "anchor", "axis", "suspensionAxis", "direction", "location"),
    *("linearVelocity", "angularVelocity", "centerOfMass", "inertiaMatrix", "shaftAxis", "centerOfThrust"),
}
"""Fields that are in the axes of their file."""
READERS = ("sim_core/scene", "sim_core/model", "ros_bridge/controller_api", "ros_bridge/cli/world_info.py")
"""Who may read them: what turns them, and what speaks as the file does; the last has other directions."""


def test_what_stands_in_the_axes_of_a_file_is_read_by_the_model() -> None:
    found = []
    for path in [*(ROOT / "sim_core").rglob("*.py"), *(ROOT / "ros_bridge").rglob("*.py")]:
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(READERS):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            field = node.slice if isinstance(node, ast.Subscript) else None
            if isinstance(field, ast.Constant) and field.value in IN_FILE_AXES:
                found.append(f"{place}:{field.lineno}: {ast.unparse(node)}")
    assert found == []
