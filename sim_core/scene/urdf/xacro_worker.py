"""Expands xacro files that come on stdin, one job per line, and answers on stdout.

Started as a separate program (see `sim_core/scene/json_worker.py`). The expressions of a xacro file are
Python, and xacro's restrictions on them can be circumvented. So this process has limits on memory and
time, writes nothing, and refuses other audit events of Python: programs, connections, files that are not
regular files. This is a second protection, not a sandbox: files of others do not get here without trust.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import resource
import stat
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.parsers.expat import ExpatError

MEMORY = 2**30
"""Bytes of data."""
ALLOWED = frozenset(
    (
        *("compile", "exec", "import", "glob.glob", "glob.glob/2", "os.listdir", "os.scandir"),
        *("code.__new__", "marshal.loads", "object.__getattr__", "sys._getframe", "builtins.id"),
    )
)
"""Audit events of Python that xacro causes, in addition to `open`."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class RefusedError(RuntimeError):
    """The file requires an operation that is not allowed."""


def guard(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook of Python: refuse all operations that xacro does not need.

    Raises:
        RefusedError: the operation is not allowed.
    """
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, int) or flags & WRITES:
            raise RefusedError(f"xacro files may only read files, found {path!r} opened for writing")
        with suppress(FileNotFoundError):  # xacro reports a missing file itself
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise RefusedError(f"{os.fsdecode(path)} is a folder, a device or a pipe, expected a file")
    elif event not in ALLOWED:
        raise RefusedError(f"xacro files only calculate and include files, found {event}")


def evaluate(xacro: ModuleType, job: dict[str, Any]) -> dict[str, Any]:
    """Return the expanded text and xacro's messages, or the error and its file."""
    messages = io.StringIO()
    try:
        with redirect_stderr(messages), redirect_stdout(io.StringIO()):
            text = xacro.process_file(job["file"], mappings=job["arguments"]).toprettyxml(indent="  ")
        if len(text) > job["largest"]:
            raise RefusedError(f"{len(text)} characters, expected at most {job['largest']}")
        return {"text": text, "messages": messages.getvalue()}
    except ExpatError as error:
        found = {"error": str(error).partition(":")[0], "line": error.lineno, "column": error.offset + 1}
    except RecursionError:
        found = {"error": "macros that do not end"}
    except BaseException as error:  # of any type: the file's expressions are Python
        first = error
        while isinstance(getattr(first, "exc", None), BaseException):  # exceptions that xacro has wrapped
            first = first.exc  # type: ignore[attr-defined]
        text = " ".join(str(error).split()) or type(error).__name__
        found = {"error": f"took more than {MEMORY >> 20} MiB" if isinstance(first, MemoryError) else text}
    return {**found, "file": str((xacro.filestack or [job["file"]])[-1])}


def find_packages(xacro: ModuleType, file: str) -> None:
    """Make `$(find NAME)` find packages like `package://NAME`, not only those of a ROS 2 installation."""
    from xacro import substitution_args

    urls = _neighbour("mesh_urls")
    indexed = substitution_args._eval_find

    def find(name: str) -> str:
        folder = urls.package_folder(name, Path(file).resolve().parent)
        if folder is not None:
            return str(folder)
        try:
            return str(indexed(name))
        except Exception:  # no index, no such package
            where = "above the file, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH"
            raise LookupError(f'package "{name}" is not {where}') from None

    substitution_args._eval_find = find
    substitution_args._eval_dict["find"] = find


def _neighbour(name: str) -> Any:
    """Import a module beside this one without its package, which takes longer to load than xacro."""
    sys.path.append(str(Path(__file__).parents[3]))
    made = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert made is not None and made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def main() -> None:
    """Answer one job."""
    try:
        import xacro
    except ImportError:
        print(json.dumps({"missing": ""}), flush=True)
        return
    print("{}", flush=True)
    job = json.loads(sys.stdin.readline())
    find_packages(xacro, job["file"])
    _neighbour("xacro_comments").blank_comments(xacro)
    seconds = job["seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(guard)
    print(json.dumps(evaluate(xacro, job)), flush=True)


if __name__ == "__main__":
    main()
