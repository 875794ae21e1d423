"""Who may import whom, as the architecture says; read from the source, so that lazy imports count too."""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = sorted((ROOT / "sim_core").rglob("*.py"))
BRIDGE = sorted((ROOT / "ros_bridge").rglob("*.py"))

ROS = ("rclpy", "ament_index_python", "launch", "launch_ros", "tf2_ros", "ros_bridge", "rosbags")
GL = ("moderngl", "OpenGL", "EGL", "glfw")
ROOMS = {
    "sim_core": (
        *("base", "scene", "model", "engines", "sensing", "devices", "recording", "session", "experiments"),
    ),
    "ros_bridge": (
        *("base", "topics", "parameters", "control", "overlays", "devices", "composites", "interface"),
        *(
            "recorder",
            "controller_api",
            "controllers",
            "processes",
            "node",
            "viewer",
            "foxglove",
            "topic_tools",
        ),
        *("operator", "cli"),
    ),
}
"""Folders of the simulator and of the bridge, each importing only those before it."""
OUTSIDE_ROOMS = {"__init__.py", "compile_kernels.py"}

CHOOSERS = ("sim_core/session/backends.py", "sim_core/compile_kernels.py")
"""Who may know which engines there are: one chooses, one compiles what they need."""
MOST_QUESTIONS = 12


MOST_FILES = 27
CROWDED = ("ros_bridge/devices", "ros_bridge/recorder", "ros_bridge/viewer")
"""One file for each panel and each device."""


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All that a file says; read once for all tests."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@functools.cache
def imports(path: Path) -> tuple[str, ...]:
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if is_ours(module, alias.name))


def is_ours(module: str, name: str) -> bool:
    """Whether a name that is imported from a package of ours is a module or a package itself."""
    place = ROOT.joinpath(*module.split("."), name)
    return place.is_dir() or place.with_suffix(".py").is_file()


def is_ros(module: str) -> bool:
    top = module.split(".")[0]
    return top in ROS or top.endswith(("_msgs", "_srvs", "_interfaces"))


def importing(paths: Iterable[Path], is_wrong: Callable[[str], bool], *allowed: str) -> list[str]:
    """What files import wrongly, but for those whose path begins as one that is allowed."""
    places = ((path, path.relative_to(ROOT).as_posix()) for path in paths)
    return [
        f"{place} imports {module}"
        for path, place in places
        if not place.startswith(allowed)
        for module in imports(path)
        if is_wrong(module)
    ]


def test_the_simulator_knows_no_ros() -> None:
    assert not importing(CORE, is_ros)


@pytest.mark.parametrize(
    ("packages", "allowed"),
    [
        (("ode",), "sim_core/engines/"),
        (GL, "sim_core/sensing/render/"),
        (("gymnasium",), "sim_core/experiments/learning/"),
    ],
)
def test_only_one_folder_imports(packages: tuple[str, ...], allowed: str) -> None:
    assert not importing(CORE + BRIDGE, lambda module: module.split(".")[0] in packages, allowed)


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_only_those_before_them(package: str) -> None:
    rooms, wrong = ROOMS[package], set()
    for number, room in enumerate(rooms):
        for path in (ROOT / package / room).rglob("*.py"):
            for module in imports(path):
                top, _, rest = module.partition(".")
                if top == package and rest:
                    other = rest.partition(".")[0]
                    assert other in rooms, f"{path.relative_to(ROOT)} imports {module}"
                    if rooms.index(other) > number:
                        wrong.add((room, other))
    assert not wrong


def test_only_who_chooses_an_engine_looks_into_it() -> None:
    inside = ("sim_core.engines.ode", "sim_core.engines.planar")
    allowed = ("sim_core/engines/", *CHOOSERS)
    assert not importing(CORE + BRIDGE, lambda module: module.startswith(inside), *allowed)


HOLDERS_OF_SCENES = {"ode/world.py", "ode/built_world.py", "planar/world.py"}
"""Files of engines that know what a Scene is."""

KNOW_NODES = (
    "sim_core/scene",
    "sim_core/model",
    "sim_core/session/supervision",
    "ros_bridge/control/fields",
    "ros_bridge/controller_api",
)
"""Who may know nodes: what makes and compiles them, and the supervisor's codec; all others read the model."""


def test_only_the_model_and_the_codec_of_supervisors_know_nodes() -> None:
    known = set()
    for path in CORE + BRIDGE:
        place = path.relative_to(ROOT).as_posix()
        for node in nodes_of(path):
            of_scene = isinstance(node, ast.ImportFrom) and node.module in (
                "sim_core.scene",
                "sim_core.scene.node",
            )
            if of_scene and "Node" in {alias.name for alias in node.names}:
                known.add(next((room for room in KNOW_NODES if f"{place}/".startswith(f"{room}/")), place))
    assert known == set(KNOW_NODES)


def test_engines_read_what_the_model_compiles() -> None:
    """They hold a Scene only to hand it to what compiles it."""
    holders = set()
    for path in (ROOT / "sim_core" / "engines").rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sim_core.scene"):
                assert [alias.name for alias in node.names] == ["Scene"], f"{path} imports of the scene"
                holders.add(path.relative_to(ROOT / "sim_core" / "engines").as_posix())
    assert holders == HOLDERS_OF_SCENES


def test_few_ask_what_an_engine_can_do() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in CORE + BRIDGE
        if path.relative_to(ROOT).parts[:2] != ("sim_core", "engines")
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and node.attr == "can"
    ]
    assert len(asked) <= MOST_QUESTIONS, asked


def test_folders_of_one_folder_do_not_import_in_a_circle() -> None:
    """Of folders in one folder, each with all that is in it; with the files there they are one room."""
    reached: dict[str, dict[str, set[str]]] = {}
    for path in CORE + BRIDGE:
        own = path.relative_to(ROOT).parent.parts
        for module in imports(path):
            parts = tuple(module.split("."))
            if parts[0] not in ("sim_core", "ros_bridge"):
                continue
            other = parts if (ROOT / Path(*parts)).is_dir() else parts[:-1]
            same = next((i for i, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), None)
            if same:
                siblings = reached.setdefault("/".join(own[:same]), {})
                siblings.setdefault(own[same], set()).add(other[same])
    tangled = {}
    for folder, ways in reached.items():
        for through in list(ways):
            for start in ways:
                if through in ways[start]:
                    ways[start] |= ways[through]
        circle = {each for each in ways if each in ways[each]}
        if circle:
            tangled[folder] = circle
    assert not tangled


@pytest.mark.parametrize("package", ROOMS)
def test_every_module_is_in_a_room(package: str) -> None:
    places = {path.relative_to(ROOT / package).parts[0] for path in (ROOT / package).rglob("*.py")}
    assert places - OUTSIDE_ROOMS == set(ROOMS[package])


@pytest.mark.parametrize("top", ROOMS)
def test_no_folder_is_crowded(top: str) -> None:
    folders = {path.parent for path in (ROOT / top).rglob("*.py")}
    crowded = {str(each.relative_to(ROOT)): len(list(each.glob("*.py"))) for each in folders}
    assert not {name: count for name, count in crowded.items() if count > MOST_FILES and name not in CROWDED}


IN_FILE_AXES = {
    *("translation", "rotation", "orientation", "anchor", "axis", "suspensionAxis", "direction", "location"),
    *("linearVelocity", "angularVelocity", "centerOfMass", "inertiaMatrix", "shaftAxis", "centerOfThrust"),
}
"""Fields that are in the axes of their file."""
READERS = (
    "sim_core/scene",
    "sim_core/model",
    "sim_core/devices",
    "ros_bridge/controller_api",
    "ros_bridge/cli/world_info.py",
)
"""Who may read them: what turns them, what reads them turned, and what speaks as the file does; the last has
other directions."""


def test_what_stands_in_the_axes_of_a_file_is_read_by_the_model() -> None:
    found = []
    for path in CORE + BRIDGE:
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(READERS):
            continue
        for node in nodes_of(path):
            field = node.slice if isinstance(node, ast.Subscript) else None
            if isinstance(field, ast.Constant) and field.value in IN_FILE_AXES:
                found.append(f"{place}:{field.lineno}: {ast.unparse(node)}")
    assert found == []
