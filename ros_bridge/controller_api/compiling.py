"""Controllers in C and C++: whether they speak to the simulation, and how their programs are built.

A program is made of the sources that a Makefile in the folder names, as Webots' own does, and of those of the
libraries of the project that it links. Where it names none it is made of all sources of the folder, but for
those with a `main` of their own beside that of the source that is asked for.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ros_bridge.controller_api.libcontroller import LibController
from ros_bridge.controller_api.makefiles import Makefile, makefile_in
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import home_dir, share_dir
from webots_api.controller.connection import SOCKET_VARIABLE

SOURCES = (".c", ".cc", ".cpp", ".c++")
LIBRARIES_C = ("Controller", "car", "driver")
LIBRARIES_CPP = ("CppController", "CppCar", "CppDriver")
"""Of Webots, for programs in C, and in C++ besides."""
_LINKED = re.compile(rb"lib(%s)\.so" % "|".join((*LIBRARIES_C, *LIBRARIES_CPP)).encode())
HEADERS = (".h", ".hh", ".hpp")
_FIRST_COUNTS = "-Wl,--allow-multiple-definition"
"""What a controller defines itself counts before what a library of its project has of that name."""
_GUARD = re.compile(rb"^#ifndef\s+(\w+)\s+#define\s+\1\b", re.MULTILINE)
"""What a header begins with that is read once."""
_MAIN = re.compile(rb"^[ \t]*(?:(?:extern|static|auto|int|void)\s+)*main\s*\(", re.MULTILINE)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_ERRORS = ("undefined reference", "multiple definition", "cannot find", "error:")
_INCLUDES = re.compile(rb'^\s*#\s*include\s*[<"](webots/|odesim\.h|MoRS_API\.h)', re.MULTILINE)


def include_folder() -> Path:
    """Where `odesim.h` is."""
    return share_dir() / "include"


def speaks(file: Path) -> bool:
    """Whether a program, or a source or one beside it, has `odesim.h` in it; a link or script has not."""
    try:
        if file.suffix in SOURCES:
            return any(
                _INCLUDES.search(each.read_bytes()) for each in _in_folder(file.parent, SOURCES + HEADERS)
            )
        return SOCKET_VARIABLE.encode() in file.read_bytes()
    except OSError:
        return False


def uses_libcontroller(program: Path) -> bool:
    """Whether a program is linked with Webots' own library."""
    try:
        return program.suffix not in SOURCES and _LINKED.search(program.read_bytes()) is not None
    except OSError:
        return False


def main_source(folder: Path) -> Path | None:
    """The source in a folder that a controller of the folder's name is built from; None: there is none.

    It is the one that is called as the folder, else the first that has a `main`, of those of the Makefile if
    that names some.
    """
    try:
        named = [folder / name for name in makefile_in(folder).sources]
        beside = _in_folder(folder, SOURCES) if folder.is_dir() else []
        found = [each for each in named or beside if each.suffix in SOURCES and each.is_file()]
        titled = [each for each in found if each.stem == folder.name]
        return next(iter([*titled, *(each for each in found if _has_main(each)), *found]), None)
    except OSError:
        return None


def compiled(source: Path, say: Callable[[str], object], library: LibController | None = None) -> Path:
    """The program of a source and those that belong to it, built into the user's cache unless it is there.

    It is called as its folder in `controllers`, elsewhere as the source.

    Args:
        source: in C or C++.
        say: told what is built, and all that a compiler and a linker find wrong, line by line.
        library: Webots' own, with its headers; None: our headers.

    Raises:
        ConfigError: there is no compiler, it finds an error, or there is no place for the program.
    """
    try:
        made = _made_of(source)
        made = made if library is None else _with_library(made, library)
        hashed = hashlib.sha256(repr((made.compile_flags, made.link_flags)).encode())
        headers = [each for folder in made.folders for each in _in_folder(folder, HEADERS)]
        ours = sorted(each for each in include_folder().rglob("*") if each.suffix in HEADERS)
        for each in (*made.sources, *headers, *ours):
            content = each.read_bytes()
            hashed.update(f"{each.name} {len(content)}\n".encode() + content)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or home_dir() / ".cache")
        program = cache / "odesim" / "controllers" / hashed.hexdigest()[:16] / _name_of(source)
        if not program.is_file():
            _build(made, source, program, say)
    except OSError as error:
        expected = "a source that can be read, and a place for its program"
        raise ConfigError(f"{source}: found {error}, expected {expected}") from None
    return program


def _with_library(made: _Parts, library: LibController) -> _Parts:
    """To be built with Webots' own library; its headers are found before ours."""
    named = [each.stem.removeprefix("lib") for each in sorted(library.folder.glob("lib*.so"))]
    is_cpp = any(each.suffix != ".c" for each in made.sources)
    linked = [f"-l{name}" for name in named if name in LIBRARIES_C or (is_cpp and name in LIBRARIES_CPP)]
    return made._replace(
        compile_flags=[*made.compile_flags, f"-I{library.include}/c", f"-I{library.include}/cpp"],
        link_flags=[*made.link_flags, f"-L{library.folder}", "-Wl,--no-as-needed", *linked],
    )


def _name_of(source: Path) -> str:
    return source.parent.name if _is_in_project(source.parent) else source.stem


def _is_in_project(folder: Path) -> bool:
    return folder.parent.name == "controllers"


class _Parts(NamedTuple):
    """What a program is made of.

    Attributes:
        sources: in the order of their names, or of the Makefile.
        folders: where headers of the project are looked for.
        compile_flags, link_flags: of the Makefile.
        left_out: sources and flags that do not count.
    """

    sources: list[Path]
    folders: list[Path]
    compile_flags: list[str]
    link_flags: list[str]
    left_out: list[str]


def _made_of(source: Path) -> _Parts:
    """What belongs to the program of a source.

    Raises:
        ConfigError: a Makefile names a source that is not there, or is not of the project.
    """
    folder = source.parent
    makefile = makefile_in(folder)
    named = [folder / name for name in makefile.sources]
    left_out = list(makefile.left_out)
    project = (folder.parent.parent if _is_in_project(folder) else folder).resolve()
    if source.resolve() in [each.resolve() for each in named]:
        sources = named
    else:
        beside = _in_folder(source.parent, SOURCES)
        is_chosen = source.stem == folder.name or not _is_in_project(folder)
        others = [each for each in beside if is_chosen and each != source and _has_main(each)]
        others = others if _has_main(source) else []
        sources = [each for each in beside if each not in others]
        left_out += [f"{each.name}, which has a main of its own" for each in others]
    made = _Parts(sources, [folder], list(makefile.compile_flags), list(makefile.link_flags), left_out)
    _add_libraries(made, folder, makefile, project)
    for each in made.sources:
        if not (each.is_file() and each.resolve().is_relative_to(project)):
            raise ConfigError(f"{folder}: the Makefile names {each}, expected a source in {project}")
    places = [folder / flag[2:] for flag in made.compile_flags if flag.startswith("-I")]
    inside = [each for each in places if each.is_dir() and each.resolve().is_relative_to(project)]
    return made._replace(folders=[*dict.fromkeys([folder, *inside])])


def _add_libraries(made: _Parts, folder: Path, makefile: Makefile, project: Path) -> None:
    """Put the sources of the libraries that the Makefile links and the project has in their place."""
    for flag in makefile.link_flags:
        library = (folder / flag[2:]).resolve()
        linked = f"-l{library.name}"
        if not flag.startswith("-L") or linked not in made.link_flags or not library.is_relative_to(project):
            continue
        said = makefile_in(library)
        made.sources.extend(library / name for name in said.sources)
        for each in said.compile_flags:
            made.compile_flags.append(f"-I{library / each[2:]}" if each.startswith("-I") else each)
        if said.sources:
            made.link_flags.remove(linked)
            made.link_flags.append(_FIRST_COUNTS)


def _has_main(source: Path) -> bool:
    return _MAIN.search(_COMMENT.sub(b" ", source.read_bytes())) is not None


def _build(made: _Parts, source: Path, program: Path, say: Callable[[str], object]) -> None:
    is_cpp = any(each.suffix != ".c" for each in made.sources)
    compiler = "g++" if is_cpp else "gcc"
    if shutil.which(compiler) is None:
        raise ConfigError(f"{source}: found no {compiler}, expected it, or a program that is built already")
    say(f"{source}: built by {compiler} into {program}")
    if made.left_out:
        say(f"{source.parent}: left out of the program: {', '.join(made.left_out)}")
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        built = Path(folder) / program.name
        # ours come first: a project may hold a copy of Webots' headers, whose functions nothing has here
        words = [
            "gcc",
            "-O2",
            f"-I{include_folder()}",
            *made.compile_flags,
            "-w",
            "-I.",
            *_in_place_of_copies(made),
        ]
        words += [*map(str, made.sources), "-o", str(built), *made.link_flags, *["-lstdc++"] * is_cpp, "-lm"]
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", check=False, cwd=source.parent
        )
        if done.returncode:
            for line in done.stderr.splitlines():
                say(line)
            raise ConfigError(_first_error(done.stderr, source))
        built.replace(program)


def _in_place_of_copies(made: _Parts) -> list[str]:
    """Flags that have our headers read first, and the copies of Webots' headers beside the sources, which
    `#include "webots/robot.h"` finds before any other, have been read already, as their guards tell."""
    flags = []
    for copy in (each for folder in made.folders for each in _in_folder(folder / "webots", (".h",))):
        ours, guard = include_folder() / "webots" / copy.name, _GUARD.search(copy.read_bytes())
        if ours.is_file() and guard is not None:
            flags += ["-include", str(ours), f"-D{guard[1].decode()}"]
    return flags


def _in_folder(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files of a folder with these endings, sorted."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in endings and path.is_file())


def _first_error(text: str, source: Path) -> str:
    """What the linker, or else a compiler, finds first: file:line:column: error: …"""
    for word in _ERRORS:
        found = next((line for line in text.splitlines() if word in line), None)
        if found is not None:
            return found if word == "error:" else f"{source}: {found[found.index(word) :]}"
    return f"{source}: found no program, {text!r}"
