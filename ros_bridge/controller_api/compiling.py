"""Build controllers in C and C++, and detect whether they use our API.

A program is built from the sources that a Makefile in the folder names, as Webots' Makefiles do, and from
those of the project's libraries that it links. If it names none, the program is the source named after the
folder; if that alone cannot be linked, or there is none, all sources of the folder are used, except those
with a `main` besides that of the requested source.
"""

from __future__ import annotations

import hashlib
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
from sim_core.base.shipped import cache_dir, share_dir
from webots_api.controller.connection import SOCKET_VARIABLE

SOURCES = (".c", ".cc", ".cpp", ".c++")
LIBRARIES_C = ("Controller", "car", "driver")
LIBRARIES_CPP = ("CppController", "CppCar", "CppDriver")
"""Libraries of Webots, for programs in C, and further ones for C++."""
_LINKED = re.compile(rb"lib(%s)\.so" % "|".join((*LIBRARIES_C, *LIBRARIES_CPP)).encode())
HEADERS = (".h", ".hh", ".hpp")
_FIRST_COUNTS = "-Wl,--allow-multiple-definition"
"""Definitions of a controller take precedence over those of a library of its project."""
_GUARD = re.compile(rb"^#ifndef\s+(\w+)\s+#define\s+\1\b", re.MULTILINE)
"""Include guard at the start of a header."""
_MAIN = re.compile(rb"^[ \t]*(?:(?:extern|static|auto|int|void)\s+)*main\s*\(", re.MULTILINE)
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
UNDEFINED = "undefined reference"
_ERRORS = (UNDEFINED, "multiple definition", "cannot find", "error:")
_INCLUDES = re.compile(rb'^\s*#\s*include\s*[<"](webots/|odesim\.h|MoRS_API\.h)', re.MULTILINE)


def include_folder() -> Path:
    """Return the folder of `odesim.h`."""
    return share_dir() / "include"


def uses_our_api(file: Path) -> bool:
    """Return whether a program, a source or one next to it contains `odesim.h`; not a link or script."""
    try:
        if file.suffix in SOURCES:
            return any(
                _INCLUDES.search(each.read_bytes()) for each in _in_folder(file.parent, SOURCES + HEADERS)
            )
        return SOCKET_VARIABLE.encode() in file.read_bytes()
    except OSError:
        return False


def uses_libcontroller(program: Path) -> bool:
    """Return whether a program is linked with Webots' own library."""
    try:
        return program.suffix not in SOURCES and _LINKED.search(program.read_bytes()) is not None
    except OSError:
        return False


def main_source(folder: Path) -> Path | None:
    """Return the main source of a controller's folder; None: there is none.

    It is the one named like the folder, else the first with a `main`, among those of the Makefile if that
    names some.

    """
    try:
        named = [folder / name for name in makefile_in(folder).sources]
        beside = _in_folder(folder, SOURCES) if folder.is_dir() else []
        found = [each for each in named or beside if each.suffix in SOURCES and each.is_file()]
        titled = [each for each in found if each.stem == folder.name]
        return next(iter([*titled, *(each for each in found if _has_main(each)), *found]), None)
    except OSError:
        return None


def build_program(source: Path, say: Callable[[str], object], library: LibController | None = None) -> Path:
    """Build the program of a source into the user's cache, unless it is there; return its path.

    It is named after its folder in `controllers`, elsewhere after the source.

    Args:
        source: in C or C++.
        say: receives a line about the build, and all errors of compiler and linker, line by line.
        library: Webots' own, with its headers; None: our headers.

    Raises:
        ConfigError: there is no compiler, it reports an error, or the program cannot be written.

    """
    try:
        made = _made_of(source)
        made = made if library is None else _with_library(made, library)
        hashed = hashlib.sha256(repr((made.headers, made.compile_flags, made.link_flags)).encode())
        beside = [each for folder in made.folders for each in _in_folder(folder, HEADERS + SOURCES)]
        ours = sorted(each for each in include_folder().rglob("*") if each.suffix in HEADERS)
        for each in (*made.sources, *beside, *ours):
            content = each.read_bytes()
            hashed.update(f"{each.name} {len(content)}\n".encode() + content)
        program = cache_dir() / "controllers" / hashed.hexdigest()[:16] / _name_of(source)
        if not program.is_file():
            _build(made, source, program, say)
    except OSError as error:
        expected = "a source that can be read, and a folder that can be written for its program"
        raise ConfigError(f"{source}: found {error}, expected {expected}") from None
    return program


def _with_library(made: _Parts, library: LibController) -> _Parts:
    """Return the parts for building with Webots' own library; its headers are found before ours."""
    named = [each.stem.removeprefix("lib") for each in sorted(library.folder.glob("lib*.so"))]
    is_cpp = any(each.suffix != ".c" for each in (*made.sources, *made.beside))
    linked = [f"-l{name}" for name in named if name in LIBRARIES_C or (is_cpp and name in LIBRARIES_CPP)]
    return made._replace(
        headers=[library.include / "c", library.include / "cpp", *made.headers],
        link_flags=[*made.link_flags, f"-L{library.folder}", "-Wl,--no-as-needed", *linked],
    )


def _name_of(source: Path) -> str:
    return source.parent.name if _is_in_project(source.parent) else source.stem


def _is_in_project(folder: Path) -> bool:
    return folder.parent.name == "controllers"


class _Parts(NamedTuple):
    """Parts of a program.

    Attributes:
        sources: in order of name, or of the Makefile.
        beside: sources of the folder that belong to the program only if it cannot be linked without them.
        folders: include folders of the project.
        headers: folders of headers that come before those of the project.
        compile_flags, link_flags: of the Makefile.
        left_out: ignored sources and flags.
    """

    sources: list[Path]
    beside: list[Path]
    folders: list[Path]
    headers: list[Path]
    compile_flags: list[str]
    link_flags: list[str]
    left_out: list[str]


def _made_of(source: Path) -> _Parts:
    """Return the parts of the program of a source.

    Raises:
        ConfigError: a Makefile names a source that does not exist, or is not in the project.
    """
    folder = source.parent
    makefile = makefile_in(folder)
    named = [folder / name for name in makefile.sources]
    left_out = list(makefile.left_out)
    project = (folder.parent.parent if _is_in_project(folder) else folder).resolve()
    beside: list[Path] = []
    if source.resolve() in [each.resolve() for each in named]:
        sources = named
    else:
        sources = _in_folder(source.parent, SOURCES)
        is_titled = source.stem == folder.name
        if (is_titled or not _is_in_project(folder)) and _has_main(source):
            others = [each for each in sources if each != source and _has_main(each)]
            sources = [each for each in sources if each not in others]
            left_out += [f"{each.name}, which has a main of its own" for each in others]
        if is_titled:
            sources, beside = [source], [each for each in sources if each != source]
    flags = list(makefile.compile_flags), list(makefile.link_flags)
    made = _Parts(sources, beside, [folder], [include_folder()], *flags, left_out)
    _add_libraries(made, folder, makefile, project)
    for each in made.sources:
        if not (each.is_file() and each.resolve().is_relative_to(project)):
            raise ConfigError(f"{folder}: the Makefile names {each}, expected a source in {project}")
    places = [folder / flag[2:] for flag in made.compile_flags if flag.startswith("-I")]
    inside = [each for each in places if each.is_dir() and each.resolve().is_relative_to(project)]
    return made._replace(folders=[*dict.fromkeys([folder, *inside])])


def _add_libraries(made: _Parts, folder: Path, makefile: Makefile, project: Path) -> None:
    """Replace libraries that the Makefile links and the project contains by their sources."""
    for flag in makefile.link_flags:
        library = (folder / flag[2:]).resolve()
        linked = f"-l{library.name}"
        if not flag.startswith("-L") or linked not in made.link_flags or not library.is_relative_to(project):
            continue
        makefile_of_library = makefile_in(library)
        made.sources.extend(library / name for name in makefile_of_library.sources)
        for each in makefile_of_library.compile_flags:
            made.compile_flags.append(f"-I{library / each[2:]}" if each.startswith("-I") else each)
        if makefile_of_library.sources:
            made.link_flags.remove(linked)
            made.link_flags.append(_FIRST_COUNTS)


def _has_main(source: Path) -> bool:
    return _MAIN.search(_COMMENT.sub(b" ", source.read_bytes())) is not None


def _build(made: _Parts, source: Path, program: Path, say: Callable[[str], object]) -> None:
    is_cpp = any(each.suffix != ".c" for each in (*made.sources, *made.beside))
    compiler = "g++" if is_cpp else "gcc"
    if shutil.which(compiler) is None:
        raise ConfigError(f"{source}: found no {compiler}, expected it, or a program that is built already")
    say(f"{source}: built with {compiler} into {program}")
    if made.left_out:
        say(f"{source.parent}: not part of the program: {', '.join(made.left_out)}")
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        built = Path(folder) / program.name
        # these first: a project may contain a copy of Webots' headers, whose functions are not available
        words = [
            "gcc",
            "-O2",
            *(f"-I{headers}" for headers in made.headers),
            *made.compile_flags,
            "-w",
            "-I.",
            *_in_place_of_copies(made),
        ]
        linked = ["-o", str(built), *made.link_flags, *["-lstdc++"] * is_cpp, "-lm", "-pthread"]
        for sources in (made.sources, [*made.sources, *made.beside]):
            done = subprocess.run(
                [*words, *map(str, sources), *linked],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                cwd=source.parent,
            )
            if UNDEFINED not in done.stderr or not made.beside:
                break
        if done.returncode:
            for line in done.stderr.splitlines():
                say(line)
            raise ConfigError(_first_error(done.stderr, source))
        built.replace(program)


def _in_place_of_copies(made: _Parts) -> list[str]:
    """Return flags that include the installed headers first, so that guards skip copies of Webots' headers
    next to the sources, which `#include "webots/robot.h"` finds before any other."""
    flags = []
    for copy in (each for folder in made.folders for each in _in_folder(folder / "webots", (".h",))):
        installed, guard = made.headers[0] / "webots" / copy.name, _GUARD.search(copy.read_bytes())
        if installed.is_file() and guard is not None:
            flags += ["-include", str(installed), f"-D{guard[1].decode()}"]
    return flags


def _in_folder(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """Return the files of a folder with these suffixes, sorted."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in endings and path.is_file())


def _first_error(text: str, source: Path) -> str:
    """Return the first error of the linker, or else of a compiler: file:line:column: error: …"""
    for word in _ERRORS:
        found = next((line for line in text.splitlines() if word in line), None)
        if found is not None:
            return found if word == "error:" else f"{source}: {found[found.index(word) :]}"
    return f"{source}: found no program, {text!r}"
