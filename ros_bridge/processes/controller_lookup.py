"""Find the program of a world's `controller "name"`.

The search follows Webots (user guide, "The Standard File Hierarchy of a Project"): the program
`controllers/name/name`, then `name.class`, `name.jar` and `name.py` there, next to the world's folder (next
to `worlds`, for a world in a subfolder of `worlds`); then sources in C, C++ or Java there, which are built at
the start; then odesim's own controllers (`ros_bridge/controllers`). The name must not be a path, and the file
must be in one of these folders: a world cannot start any other program of the machine.
"""

from __future__ import annotations

import os
import sys
from os.path import isfile  # unlike Path.is_file false for names that are too long
from pathlib import Path

from ros_bridge.controller_api.compiling import main_source
from ros_bridge.controller_api.java import JAVA_PROGRAMS, JAVA_SOURCE
from ros_bridge.controllers import SHIPPED
from sim_core.base.errors import hint

OTHER_LANGUAGES = (".bsg", ".m")
"""Suffixes of controllers that only Webots can run."""
MAX_SHOWN = 100
"""Most characters of a name that are shown."""


def find_controller(name: str, world_path: Path) -> list[str] | None:
    """Return the start of a controller's command line, or its source, which is to be built.

    None: there is no such controller, or it is refused.
    """
    if is_name(name):
        program, script = candidate_files(name, world_path)
        if is_inside(program, world_path) and _is_program(program):
            return [str(program)]
        compiled = [script.with_suffix(suffix) for suffix in JAVA_PROGRAMS]
        for each in (*compiled, script):
            if is_inside(each, world_path):
                return [sys.executable, str(each)] if each == script else [str(each)]
        for source in (main_source(program.parent), script.with_suffix(JAVA_SOURCE)):
            if source is not None and is_inside(source, world_path):
                return [str(source)]
    if name in SHIPPED:
        return [sys.executable, "-m", f"ros_bridge.controllers.{name}"]
    return None


OF_OTHER_SYSTEMS = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")
"""First bytes of programs for macOS and Windows, which projects keep next to their sources."""


def _is_program(file: Path) -> bool:
    """Return whether a file can be executed on Linux."""
    try:
        with file.open("rb") as opened:
            return os.access(file, os.X_OK) and not opened.read(4).startswith(OF_OTHER_SYSTEMS)
    except OSError:
        return False


def is_name(controller: str) -> bool:
    """Return whether it is a plain file name: no path, and not leading out of the folder."""
    return controller not in (".", "..") and not any(each in controller for each in "/\\\0")


def is_inside(file: Path, world_path: Path) -> bool:
    """Return whether a file exists within the controllers' folder of a world, not as a link to outside."""
    return isfile(file) and file.resolve().is_relative_to(folder_of(world_path).resolve())


def folder_of(world_path: Path) -> Path:
    """Return the controllers' folder of a project: next to `worlds`, also for a world in a subfolder."""
    folder = world_path.resolve().parent
    return (folder.parent.parent if folder.parent.name == "worlds" else folder.parent) / "controllers"


def candidate_files(name: str, world_path: Path) -> tuple[Path, Path]:
    """Return the possible program and Python file of a controller, next to the world's folder."""
    folder = folder_of(world_path) / name
    return folder / name, folder / f"{name}.py"


def not_found(name: str, robot_names: list[str], world_path: Path) -> str:
    """Return the message about a controller that does not exist, or is refused."""
    robots = ", ".join(robot_names)
    if not is_name(name):
        expected = f"the name of a folder in {folder_of(world_path)}, or of one of odesim's own"
        return f"{robots}: found controller {name[:MAX_SHOWN]!r}, a path, expected {expected}"
    program, script = candidate_files(name, world_path)
    for path in (program, script):
        if isfile(path) and not is_inside(path, world_path):
            expected = f"a file in {folder_of(world_path)}"
            return f'{robots}: controller "{name}" is a link to {path.resolve()}, expected {expected}'
    other = next((path for path in sorted(program.parent.glob("*")) if path.suffix in OTHER_LANGUAGES), None)
    if other is not None:
        expected = "expected a file in Python, C, C++ or Java, or a program"
        return f'{robots}: controller "{name}" is {other}, {expected}'
    return (
        f'{robots}: no controller "{name[:MAX_SHOWN]}", looked for {program}, {script} '
        f"and among odesim's own: {', '.join(SHIPPED)}{hint(name, SHIPPED)}"
    )
