"""Every place that can run a program or a module asks the gate (`sim_core/base/trust.py`), or runs ours.

The places are read from the source: a new one is in no table, and this test fails until somebody has said why
it may run what it runs.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [path for top in ("sim_core", "ros_bridge", "webots_api") for path in (ROOT / top).rglob("*.py")]
STARTERS = {
    *("exec", "eval", "__import__", "import_module", "exec_module", "load_module", "run_path", "run_module"),
    *("Popen", "check_output", "getoutput", "getstatusoutput", "system", "popen", "fork", "forkpty"),
    *("execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe"),
    *("spawnv", "spawnve", "spawnvp", "spawnl", "spawnle", "spawnlp", "posix_spawn", "posix_spawnp"),
    *("create_subprocess_exec", "create_subprocess_shell", "Process", "ProcessPoolExecutor"),
}
"""Functions that start a program or run the text of a module, whatever they are called on."""
OF_MODULES = {("subprocess", "run"), ("subprocess", "call"), ("subprocess", "check_call"), ("pty", "spawn")}
"""Those whose name alone says too little."""

GATED = {
    "sim_core/engines/ode/plugins.py:Plugin._load": "Plugin.__init__:Permission",
    "ros_bridge/processes/controller_processes.py:ControllerProcesses._launch": (
        "ControllerProcesses.__init__:Permission"
    ),
    "sim_core/experiments/sweep/user_code.py:_module": "_module:require_trust",
}
"""What runs the code that a file brings, and in which function of the same file the gate is asked or a
permission is taken."""
STARTED_BY_THE_GATED = {
    "ros_bridge/controller_api/compiling.py:_build": "a compiler, for ControllerProcesses or for a file that "
    "the user names",
    "ros_bridge/controller_api/java.py:_compiled": "a compiler, for ControllerProcesses",
    "ros_bridge/processes/end_with_parent.py:main": "the command line that it is given",
    "ros_bridge/processes/plugin_host.py:_instantiate": "in a process that ControllerProcesses has started",
    "ros_bridge/processes/plugin_host.py:_robot": "the module controller, there",
    "ros_bridge/controller_api/manual_start.py:become_controller": "odesim controller: the user's file",
    "ros_bridge/topic_tools/echo.py:_filter.holds": "odesim topic echo --filter: an expression of the user",
    "ros_bridge/topics/conversions.py:message_class": "message types of installed packages",
    "sim_core/experiments/sweep/worker.py:serve": "one of two modules of ours that the spec reader names",
}
OURS = {
    "sim_core/__init__.py:__getattr__",
    "sim_core/compile_kernels.py:main",
    "sim_core/scene/json_worker.py:JsonWorker.__init__",
    "sim_core/base/plain_data.py:_loaded",
    "sim_core/devices/__init__.py:class_in",
    "sim_core/devices/sound/sound_file.py:_module",
    "sim_core/experiments/learning/__init__.py:__getattr__",
    "sim_core/experiments/learning/making.py:make_task",
    "sim_core/experiments/sweep/workers.py:start_worker",
    "sim_core/scene/proto/templates/worker.py:JavaScript.run",
    "sim_core/scene/urdf/xacro_worker.py:_neighbour",
    "sim_core/sensing/render/client.py:RenderProcess.__init__",
    "ros_bridge/cli/batch_run.py:run_one",
    "ros_bridge/cli/webots.py:main",
    "ros_bridge/control/simulation_interfaces/filters.py:names_with",
    "ros_bridge/devices/__init__.py:make_bridge",
    "ros_bridge/overlays/__init__.py:overlay_class",
    "ros_bridge/topics/conversions.py:messages_of",
    "ros_bridge/viewer/process.py:viewer_process",
}
"""They run modules and programs of ours, or of Python, that no file of a user names."""
EVALUATED = {
    "sim_core/scene/urdf/xacro_text.py:expand_xacro": "trust_issues_of_urdf",
    "sim_core/scene/proto/templates/processes.py:take_worker": "",
}
"""Who gives the text of a file to an interpreter in a process of its own (`JsonWorker`), and which gate it
asks; empty: none, for the interpreters of templates can do nothing."""


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def functions(path: Path) -> list[tuple[str, ast.AST]]:
    """The nodes of a file, each with the function that it stands in."""

    def walk(node: ast.AST, inside: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            is_place = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            name = ".".join(filter(None, (inside, child.name))) if is_place else inside  # type: ignore[attr-defined]
            yield name, child
            yield from walk(child, name)

    return [*walk(ast.parse(path.read_text(encoding="utf-8")), "")]


def called(node: ast.AST) -> tuple[str, str]:
    """What a call is made on, if that is a name, and the function's name."""
    if not isinstance(node, ast.Call):
        return "", ""
    if isinstance(node.func, ast.Attribute):
        on = node.func.value
        return (on.id if isinstance(on, ast.Name) else ""), node.func.attr
    return "", node.func.id if isinstance(node.func, ast.Name) else ""


def places(names: set[str]) -> set[str]:
    return {
        f"{named(path)}:{place}"
        for path in SOURCES
        for place, node in functions(path)
        if called(node)[1] in names or called(node) in OF_MODULES
    }


def test_each_place_that_can_start_something_is_known() -> None:
    assert places(STARTERS) == {*GATED, *STARTED_BY_THE_GATED, *OURS}


@pytest.mark.parametrize("place", GATED)
def test_the_gate_is_asked_where_code_of_a_file_runs(place: str) -> None:
    path, (function, gate) = ROOT / place.partition(":")[0], GATED[place].split(":")
    inside = [node for name, node in functions(path) if name == function]
    assert [node for node in inside if isinstance(node, ast.Name) and node.id == gate]


def test_only_the_gate_makes_permissions() -> None:
    assert places({"Permission"}) - places(set()) == {"sim_core/base/trust.py:_permission"}


def test_who_evaluates_texts_of_files_asks_the_gate_or_cannot_do_harm() -> None:
    assert places({"JsonWorker"}) - places(set()) == set(EVALUATED)
    for place, gate in EVALUATED.items():
        file, _, function = place.partition(":")
        inside = {called(node)[1] for name, node in functions(ROOT / file) if name == function}
        assert not gate or gate in inside
