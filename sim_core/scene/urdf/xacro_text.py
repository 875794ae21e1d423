"""xacro files to URDF texts, by the package `xacro`.

A xacro file is a program: its expressions are evaluated as Python. So only files that the user named are
expanded, never text that comes over a topic or a service.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from xml.parsers.expat import ExpatError

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.xml_comments import without_comments
from sim_core.scene.urdf.mesh_urls import package_folder
from sim_core.scene.urdf.xacro_comments import blank_comments

MADE = " (as made by xacro)"
"""Behind the file's name in places of the text that xacro made: its lines are not those of the file."""
_XACRO = re.compile(r"<xacro:|\$[({]")
_WARNING = "warning: "


def find_xacro(text: str, file: str, expected: str, hint: str = "") -> SceneError | None:
    """The first place outside of comments that only xacro understands, as a problem; None: plain URDF."""
    found = _XACRO.search(without_comments(text))
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    return SceneError(file, line, column, f'xacro ("{found[0]}")', expected, hint)


def expand_xacro(path: str | Path, arguments: Mapping[str, str]) -> tuple[str, list[SceneError]]:
    """The URDF text of a xacro file, and what xacro warns of.

    Args:
        path: of the file; what it includes is looked for beside it.
        arguments: values of its `<xacro:arg>`, by name.

    Raises:
        SceneErrors: the package xacro is not installed, or cannot expand the file.
    """
    try:
        import xacro
    except ImportError:
        found, expected = "xacro, and the Python package that reads it is not installed", "pip install xacro"
        raise SceneErrors([SceneError(str(path), 0, 0, found, expected)]) from None
    said = io.StringIO()
    undo = blank_comments(xacro)
    try:
        with redirect_stderr(said), _packages_near(Path(path)):
            text = xacro.process_file(str(path), mappings=dict(arguments)).toprettyxml(indent="  ")
    except ExpatError as error:
        file, found = _current_file(path), str(error).partition(":")[0]
        problem = SceneError(file, error.lineno, error.offset + 1, found, "well-formed XML")
        raise SceneErrors([problem]) from None
    except RecursionError:
        raise SceneErrors([SceneError(_current_file(path), 0, 0, "xacro: macros without end")]) from None
    except Exception as error:  # of any kind: the file's expressions are Python
        found = " ".join(f"xacro: {error or type(error).__name__}".split())
        raise SceneErrors([SceneError(_current_file(path), 0, 0, found)]) from None
    finally:
        undo()
    lines = (line for line in said.getvalue().splitlines() if line.startswith(_WARNING))
    return text, [SceneError(str(path), 0, 0, f"xacro: {line.removeprefix(_WARNING)}") for line in lines]


def _current_file(path: str | Path) -> str:
    """The file that xacro was reading when it failed: the one named, or one that is included."""
    import xacro

    return str((xacro.filestack or [path])[-1])


@contextmanager
def _packages_near(file: Path) -> Iterator[None]:
    """`$(find NAME)` finds packages as `package://NAME` does, and not those of a ROS 2 installation alone."""
    from xacro import substitution_args

    indexed = substitution_args._eval_find

    def find(name: str) -> str:
        folder = package_folder(name, file.resolve().parent)
        if folder is not None:
            return str(folder)
        try:
            return str(indexed(name))
        except Exception:  # no index, no such package
            where = "above the file, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH"
            raise LookupError(f'package "{name}" is not {where}') from None

    substitution_args._eval_find = find
    try:
        yield
    finally:
        substitution_args._eval_find = indexed
