"""Controllers in C and C++: whether they speak to the simulation, and how their programs are built."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from sim_core.base.errors import ConfigError
from sim_core.base.shipped import share_dir
from webots_api.controller.connection import SOCKET_VARIABLE

SOURCES = (".c", ".cc", ".cpp")
HEADERS = (".h", ".hh", ".hpp")
_INCLUDES = re.compile(rb'^\s*#\s*include\s*[<"](webots/|odesim\.h|MoRS_API\.h)', re.MULTILINE)


def include_folder() -> Path:
    """Where `odesim.h` is."""
    return share_dir() / "include"


def speaks(file: Path) -> bool:
    """Whether a program, or a source or one beside it, has `odesim.h` in it; a link or script has not."""
    try:
        if file.suffix in SOURCES:
            return any(_INCLUDES.search(each.read_bytes()) for each in _beside(file, SOURCES + HEADERS))
        return SOCKET_VARIABLE.encode() in file.read_bytes()
    except OSError:
        return False


def compiled(source: Path, say: Callable[[str], object]) -> Path:
    """The program of a source and those beside it; it is built into the user's cache if it is not there.

    Args:
        source: in C or C++.
        say: told what is built.

    Raises:
        ConfigError: there is no compiler, it finds an error, or there is no place for the program.
    """
    try:
        hashed = hashlib.sha256()
        for each in (*_beside(source, SOURCES + HEADERS), include_folder() / "odesim.h"):
            content = each.read_bytes()
            hashed.update(f"{each.name} {len(content)}\n".encode() + content)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        program = cache / "odesim" / "controllers" / hashed.hexdigest()[:16] / source.stem
        if not program.is_file():
            _build(source, program, say)
    except OSError as error:
        expected = "a source that can be read, and a place for its program"
        raise ConfigError(f"{source}: found {error}, expected {expected}") from None
    return program


def _build(source: Path, program: Path, say: Callable[[str], object]) -> None:
    sources = _beside(source, SOURCES)
    is_cpp = any(each.suffix != ".c" for each in sources)
    compiler = "g++" if is_cpp else "gcc"
    if shutil.which(compiler) is None:
        raise ConfigError(f"{source}: found no {compiler}, expected it, or a program that is built already")
    say(f"{source}: built by {compiler} into {program}")
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        made = Path(folder) / source.stem
        words = ["gcc", "-O2", "-w", f"-I{include_folder()}", *map(str, sources), "-o", str(made), "-lm"]
        words += ["-lstdc++"] * is_cpp
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise ConfigError(_first_error(done.stderr, source))
        made.replace(program)


def _beside(source: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files of a folder with these endings, sorted."""
    return sorted(path for path in source.parent.iterdir() if path.suffix in endings and path.is_file())


def _first_error(text: str, source: Path) -> str:
    """What the linker, or else a compiler, finds first: file:line:column: error: …"""
    lines = text.splitlines()
    missing = next((line for line in lines if "undefined reference" in line), None)
    if missing is not None:
        return f"{source}: {missing[missing.index('undefined') :]}"
    return next((line for line in lines if "error:" in line), f"{source}: found no program, {text!r}")
