"""Who may import whom, as the architecture says; read from the source, so that lazy imports count too."""

import ast
import tokenize
from functools import cache
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
            "webots_protocol",
            "controllers",
            "processes",
            "node",
            "viewer",
            "foxglove",
            "topic_tools",
        ),
        *("operator", "cli", "testing"),
    ),
}
"""Folders of the simulator and of the bridge, each importing only those before it."""
OUTSIDE_ROOMS = {"__init__.py", "compile_kernels.py"}

CHOOSERS = (
    "sim_core/session/backends.py",
    "sim_core/compile_kernels.py",
    "sim_core/experiments/learning/gpu_kernels.py",
)
"""Who may know which engines there are: one chooses, two compile what they need."""
MOST_QUESTIONS = 13


MOST_FILES = 27
CROWDED = ("ros_bridge/devices", "ros_bridge/recorder", "ros_bridge/viewer")
"""One file for each panel and each device."""


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All of a file's syntax tree."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


@cache
def imports(path: Path) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found.add(module)
            found |= {f"{module}.{alias.name}" for alias in node.names if is_ours(module, alias.name)}
    return found


def place(path: Path) -> str:
    """`sim_core/scene/node.py`"""
    return path.relative_to(ROOT).as_posix()


def tops(path: Path) -> set[str]:
    """The packages that a file imports from."""
    return {module.partition(".")[0] for module in imports(path)}


def is_ours(module: str, name: str) -> bool:
    """Whether a name that is imported from a package of ours is a module or a package itself."""
    place = ROOT.joinpath(*module.split("."), name)
    return place.is_dir() or place.with_suffix(".py").is_file()


def is_ros(module: str) -> bool:
    top = module.split(".")[0]
    return top in ROS or top.endswith(("_msgs", "_srvs", "_interfaces"))


def test_the_simulator_knows_no_ros() -> None:
    assert not [(place(path), module) for path in CORE for module in imports(path) if is_ros(module)]


LIBRARIES = {
    "sim_core/engines/": {"ode"},
    "sim_core/sensing/render/": set(GL),
    "sim_core/experiments/learning/": {"gymnasium"},
}
"""Folders, and what no file outside them imports."""


@pytest.mark.parametrize("folder", LIBRARIES)
def test_only_one_folder_imports(folder: str) -> None:
    outside = [path for path in CORE + BRIDGE if not place(path).startswith(folder)]
    assert not {place(path): found for path in outside if (found := tops(path) & LIBRARIES[folder])}


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
    found = {place(path) for path in CORE + BRIDGE for module in imports(path) if module.startswith(inside)}
    assert {each for each in found if not each.startswith("sim_core/engines/")} == set(CHOOSERS)


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
        name = place(path)
        for node in nodes(path):
            of_scene = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sim_core.scene")
            if of_scene and {"Node", "node"} & {alias.name for alias in node.names}:
                known.add(next((room for room in KNOW_NODES if name.startswith(f"{room}/")), name))
    assert known == set(KNOW_NODES)


GEOMETRIES = {
    *("Box", "Capsule", "Cone", "Cylinder", "ElevationGrid", "IndexedFaceSet", "Mesh", "Plane", "Sphere"),
}


def test_one_file_interprets_geometry_nodes() -> None:
    """All others read the records that it makes; formats write and turn the nodes."""
    found = {
        place(path)
        for path in CORE + BRIDGE
        for node in nodes(path)
        if isinstance(node, ast.Constant) and node.value in GEOMETRIES
    }
    assert {name for name in found if not name.startswith("sim_core/scene/")} == {
        "sim_core/model/geometry_nodes.py"
    }


def test_engines_read_what_the_model_compiles() -> None:
    """They know no nodes."""
    for path in (ROOT / "sim_core" / "engines").rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("sim_core.scene"), f"{path} imports of the scene"


def test_few_ask_what_an_engine_can_do_and_each_says_why() -> None:
    asked = [
        (path, node.lineno)
        for path in CORE + BRIDGE
        if not place(path).startswith("sim_core/engines/")
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "can"
    ]
    assert len(asked) <= MOST_QUESTIONS, asked
    for path, line in asked:  # there, or on the line above
        with path.open("rb") as file:
            comments = {
                each.start[0] for each in tokenize.tokenize(file.readline) if each.type == tokenize.COMMENT
            }
        assert comments & {line - 1, line}, f"{place(path)}:{line} does not say why it asks"


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
    "ros_bridge/webots_protocol",
    "ros_bridge/cli/world_info.py",
)
"""Who may read them: what turns them, what reads them turned, and what speaks as the file does; the last has
other directions."""


def test_what_stands_in_the_axes_of_a_file_is_read_by_the_model() -> None:
    found = []
    for path in CORE + BRIDGE:
        if place(path).startswith(READERS):
            continue
        for node in nodes(path):
            field = node.slice if isinstance(node, ast.Subscript) else None
            if isinstance(field, ast.Constant) and field.value in IN_FILE_AXES:
                found.append(f"{place(path)}:{field.lineno}: {ast.unparse(node)}")
    assert found == []


REFLECTION = {
    *(
        "__class__",
        "__closure__",
        "cell_contents",
        "__code__",
        "__globals__",
        "__annotations__",
        "annotation",
    ),
    *("get_type_hints", "get_annotations", "getclosurevars", "MethodType"),
}
"""Names by which objects become others, and functions and annotations are looked into."""
BY_DECLARATION = "sim_core/base/field_types.py"
"""Holds records that come from a file against the types that they declare."""


def test_nothing_is_joined_by_reflection() -> None:
    found = []
    for path in [*CORE, *BRIDGE, *(ROOT / "webots_api").rglob("*.py")]:
        for node in nodes(path):
            match node:
                case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                    pass
                case ast.Constant(value=str() as name):  # of setattr and getattr
                    pass
                case _:
                    continue
            if name in REFLECTION and not (name == "get_type_hints" and place(path) == BY_DECLARATION):
                found.append(f"{place(path)}:{node.lineno}: {name}")
        # mypy refuses another function in the place of a method, unless it is told not to
        assert "method-assign" not in path.read_text(encoding="utf-8"), path
    assert found == []
