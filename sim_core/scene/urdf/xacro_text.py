"""Expansion of xacro files to URDF texts, by the package `xacro`.

A xacro file is a program: its expressions are evaluated as Python. So only files that the user named and
trusts are expanded, in a separate process with limits, never text from a topic or a service.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.trust import OPTION, trust_issues_of_urdf
from sim_core.scene.json_worker import JsonWorker, WorkerError
from sim_core.scene.xml_comments import without_comments

MADE = " (as made by xacro)"
"""Suffix of the file's name for places in the text that xacro made: its lines are not those of the file."""
_XACRO = re.compile(r"<xacro:|\$[({]")
_WARNING = "warning: "
CPU_SECONDS = 10
"""Processor time in s for a file and all that it includes."""
TIME_LIMIT = 30.0
"""Wall time in s for the same."""
LARGEST = 16_000_000
"""Largest number of characters of the text that is made."""


def find_xacro(text: str, file: str, expected: str, hint: str = "") -> SceneError | None:
    """Return the first xacro expression outside of comments as a problem; None: plain URDF."""
    found = _XACRO.search(without_comments(text))
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    return SceneError(file, line, column, f'xacro ("{found[0]}")', expected, hint)


def expand_xacro(path: str | Path, arguments: Mapping[str, str]) -> tuple[str, list[SceneError]]:
    """Return the URDF text of a xacro file, and xacro's warnings.

    Args:
        path: path of the file; included files are searched for beside it.
        arguments: values of its `<xacro:arg>`, by name.

    Raises:
        SceneErrors: the file is not trusted, the package xacro is not installed, or cannot expand the file.
    """
    for issue in trust_issues_of_urdf(path):
        found = f"xacro, whose expressions are programs: {issue.why}"
        raise _problem(path, found, f"a file that is trusted ({OPTION} trusts {issue.project})")
    try:
        worker = JsonWorker(Path(__file__).with_name("xacro_worker.py"))
    except WorkerError as error:
        if str(error):
            raise _problem(path, f"xacro: {error}") from None
        found, expected = "xacro, and the Python package that reads it is not installed", "pip install xacro"
        raise _problem(path, found, expected) from None
    job = {"file": str(path), "arguments": dict(arguments), "seconds": CPU_SECONDS, "largest": LARGEST}
    try:
        answer = worker.ask(job, TIME_LIMIT)
    except WorkerError as error:
        raise _problem(path, f"xacro: {error}") from None
    finally:
        worker.close()
    if "line" in answer:
        place = (str(answer["file"]), answer["line"], answer["column"])
        raise SceneErrors([SceneError(*place, str(answer["error"]), "well-formed XML")])
    if "error" in answer:
        raise _problem(str(answer["file"]), f"xacro: {answer['error']}")
    lines = (line for line in answer["messages"].splitlines() if line.startswith(_WARNING))
    return answer["text"], [
        SceneError(str(path), 0, 0, f"xacro: {line.removeprefix(_WARNING)}") for line in lines
    ]


def _problem(file: str | Path, found: str, expected: str = "") -> SceneErrors:
    return SceneErrors([SceneError(str(file), 0, 0, found, expected)])
