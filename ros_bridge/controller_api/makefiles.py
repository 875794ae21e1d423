"""Read sources and flags from the Makefile of a controller as text: make itself is not run.

The names are those of Webots' Makefile.include (https://github.com/cyberbotics/webots, resources).
Assignments, conditions on known variables, and the function `wildcard` are evaluated; rules and included
files are not.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NAMES = ("GNUmakefile", "makefile", "Makefile")
MAX_LENGTH = 100_000
"""Longest Makefile, characters."""
MAX_DEPTH = 20
"""Deepest nesting of variables."""
MAX_VALUE_LENGTH = 10_000
"""Longest value of a variable, characters."""
_SOURCES = ("C_SOURCES", "CXX_SOURCES", "CC_SOURCES", "CPP_SOURCES")
_COMPILE = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "INCLUDE")
_LINK = ("LIBRARIES", "LFLAGS", "LDFLAGS", "LDLIBS")
_FLAGS = re.compile(
    r"-([DUIlL].+|std=[\w+]+|O\w?|g\w*|w|W[\w=-]*|pedantic(-errors)?|pthread|s|ansi|m[\w=.-]+"
    r"|f(?!plugin|dump|profile|test)[\w=-]+)"
)
"""Flags that are used: none of them makes a compiler run a program."""
_LIBRARIES_OF_WEBOTS = ("-lController", "-lCppController", "-ldriver", "-lcar", "-lCppDriver", "-lCppCar")
"""Libraries whose functions are declared in our headers."""
_FOLDER_OF_WEBOTS = re.compile(r"\$[({]WEBOTS_|WEBOTS_HOME")
_LIBRARIES = "/libraries/"
"""Part of the path of a library folder of Webots, of which a project may have a copy."""
_APART = ("-D", "-U", "-I", "-l", "-L", "-isystem")
"""Flags whose argument may be a separate word."""
_ASSIGNMENT = re.compile(r"(?:export\s+|override\s+)*([A-Za-z_]\w*)\s*(\?|\+|:{1,3})?=\s*(.*)")
_VARIABLE = re.compile(r"\$[({](wildcard\s+)?([^$(){}]*)[)}]")
_IF = re.compile(r"if(n?)(eq|def)\b\s*(.*)")
_EQUAL = re.compile(r"""\(\s*([^,]*?)\s*,\s*(.*?)\s*\)|["'](.*?)["']\s+["'](.*?)["']""")


@dataclass
class Makefile:
    """Contents of a Makefile.

    Attributes:
        sources: as written; empty: it names none.
        compile_flags, link_flags: flags that are used.
        left_out: flags that are ignored.

    """

    sources: list[str] = field(default_factory=list)
    compile_flags: list[str] = field(default_factory=list)
    link_flags: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def makefile_in(folder: Path) -> Makefile:
    """Read the Makefile of a folder; the result is empty if there is none.

    Raises:
        OSError: it cannot be read.
    """
    file = next((folder / name for name in NAMES if (folder / name).is_file()), None)
    if file is None:
        return Makefile()
    with file.open(encoding="utf-8", errors="replace") as opened:
        values = _values(opened.read(MAX_LENGTH), folder)
    made = Makefile()
    made.sources = [word for name in _SOURCES for word in _words(values.get(name, ""))]
    for names, flags in ((_COMPILE, made.compile_flags), (_LINK, made.link_flags)):
        for flag in _flags([word for name in names for word in _words(values.get(name, ""))]):
            if _FOLDER_OF_WEBOTS.search(flag):
                flag = _in_project(flag, folder)
            if not flag or flag in _LIBRARIES_OF_WEBOTS:
                continue  # odesim provides what Webots would
            is_taken = _FLAGS.fullmatch(flag) is not None and "$" not in flag
            (flags if is_taken else made.left_out).append(flag)
    return made


def _in_project(flag: str, folder: Path) -> str:
    """Return the flag for a project's own copy of a library of Webots; empty: there is none.

    Args:
        flag: `-I` or `-L` with a folder of Webots.
        folder: of the controller.
    """
    kind, _, library = flag.partition(_LIBRARIES)
    own = folder.parent.parent / "libraries" / library
    return f"{kind[:2]}{own}" if library and own.is_dir() else ""


def _values(text: str, folder: Path) -> dict[str, str]:
    """Return the variables of a Makefile, expanded."""
    raw = {"OSTYPE": "linux", "NAME": folder.name, "CURDIR": str(folder)}
    taken: list[bool] = []  # for each open condition, whether its lines are evaluated
    for line in _lines(text):
        if (condition := _IF.match(line)) is not None:
            taken.append(_holds(condition, raw, folder))
        elif line.startswith("else") and taken:
            rest = _IF.match(line[4:].strip())
            taken[-1] = not taken[-1] and (rest is None or _holds(rest, raw, folder))
        elif line.startswith("endif") and taken:
            taken.pop()
        elif all(taken) and (found := _ASSIGNMENT.fullmatch(line)) is not None:
            name, how, value = found.groups()
            if how == "+" and name in raw:
                value = f"{raw[name]} {value}"
            if how != "?" or name not in raw:
                raw[name] = value if how not in (":", "::") else _expanded(value, raw, folder)
    return {name: _expanded(value, raw, folder) for name, value in raw.items()}


def _lines(text: str) -> Iterator[str]:
    """Yield lines without comments, with continuations joined; commands of rules are left out."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        if not line.startswith("\t"):
            yield re.sub(r"(?<!\\)#.*", "", line).strip()


def _holds(condition: re.Match[str], values: dict[str, str], folder: Path) -> bool:
    negated, kind, rest = condition.groups()
    if kind == "def":
        holds = rest.strip() in values
    else:
        sides = [each for found in _EQUAL.finditer(rest) for each in found.groups() if each is not None]
        holds = len({_expanded(side, values, folder) for side in sides[:2]}) == 1
    return holds != bool(negated)


def _expanded(text: str, values: dict[str, str], folder: Path) -> str:
    """Return a value with its variables replaced; unknown ones are kept as written."""

    def value_of(found: re.Match[str]) -> str:
        if found[1]:
            names = (word for word in found[2].split() if ".." not in word and not word.startswith("/"))
            matching = (each.relative_to(folder) for word in names for each in folder.glob(word))
            return " ".join(sorted(map(str, matching)))
        return values.get(found[2].strip(), found[0])

    for _ in range(MAX_DEPTH):
        before, text = text, _VARIABLE.sub(value_of, text)[:MAX_VALUE_LENGTH]
        if text == before:
            break
    return text


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # unbalanced quotes
        return text.split()


def _flags(words: list[str]) -> Iterator[str]:
    """Yield the flags among words, each with a separate argument appended."""
    rest = iter(words)
    for word in rest:
        yield word + next(rest, "") if word in _APART else word
