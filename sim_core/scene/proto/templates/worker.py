"""Executes template statements that come on stdin, one job per line, and answers on stdout.

Started as a separate program. It loads all it needs into memory, then lowers its limits so that it can open
nothing any more: no file, no connection, no process. It keeps no data from one job to the next, and ends with
its parent process: when stdin ends, or, during a job, by the alarm.
"""

from __future__ import annotations

import json
import random
import re
import resource
import signal
import sys
from pathlib import Path
from typing import Any

MEMORY = 256 * 2**20
"""Bytes of one job's data."""
CPU_SECONDS = 2
"""Processor time of one job in s."""
LONGEST_JOB = 5
"""Seconds after which a job ends the process; a running parent process has ended it before."""
LARGEST_TEXT = 32 * 2**20
LUA_STEPS = 40_000_000
"""Lua instructions of one job; about two seconds."""
_IMPORT_ALL = re.compile(r"import\s*\*\s*as\s+(\w+)\s+from\s*['\"](?:[^'\"]*/)?(\w+)\.js['\"]\s*;?")
_IMPORT_NAMES = re.compile(r"import\s*\{([^}]*)\}\s*from\s*['\"](?:[^'\"]*/)?(\w+)\.js['\"]\s*;?")
_LINE = re.compile(r"<input>:(\d+)")


class JobError(Exception):
    """A job failed; the text is for the user."""


class JavaScript:
    """QuickJS-NG; a new interpreter for each job."""

    def __init__(self, folder: Path) -> None:
        import quickjs

        self._quickjs = quickjs
        self._prelude = (folder / "prelude.js").read_text(encoding="utf-8")
        names = sorted(folder.glob("wb*.js"))
        self._modules = {path.stem: path.read_text(encoding="utf-8") for path in names}

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the text of the body, the printed output, and the written files by path."""
        used = set()

        def module(name: str) -> str:
            if name not in self._modules:
                raise JobError(f"import of {name}.js, expected one of {', '.join(self._modules)}")
            used.add(name)
            return f"__modules.{name}"

        lines = []
        for kind, text in job["pieces"]:
            if kind == "text":
                # The line ends are kept, so that line numbers of errors are those of the body.
                lines.append(f"__made.push({json.dumps(text)});" + "\n" * text.count("\n"))
            elif kind == "expression":
                lines.append(f"__made.push(String({text.strip().rstrip(';')}));" + "\n" * text.count("\n"))
            else:
                text = _IMPORT_ALL.sub(lambda match: f"const {match[1]} = {module(match[2])};", text)
                text = _IMPORT_NAMES.sub(
                    lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = {module(match[2])};", text
                )
                if re.search(r"\bimport\b", text):
                    raise JobError("an import that is not one of a module of Webots")
                ended = not text.strip() or text.rstrip(" \t")[-1] in ";{}\n"
                lines.append(text if ended else text + "\n")
        context = self._quickjs.Context()
        context.set_memory_limit(MEMORY)
        context.set_time_limit(CPU_SECONDS)
        context.set_max_stack_size(512 * 1024)
        values = {"fields": job["fields"], "context": job["context"], "files": job["files"]}
        values["seed"] = None if job["deterministic"] else random.getrandbits(31)
        code = "(function (fields, context, __modules, __made) { 'use strict'; " + "".join(lines) + "\n})"
        try:
            context.eval(self._prelude)
            for name in sorted(used | {"wbrotation"} if "wbgeometry" in used else used):
                context.eval(f"__odesim.modules.{name} = (function () {{\n{self._modules[name]}\n}})();")
            context.set("__values", json.dumps(values))
            context.set("__code", code)
            answer = context.eval("__odesim.run(__values, __code)")
        except self._quickjs.JSException as error:
            raise JobError(_javascript_error(str(error))) from None
        return _checked(answer)


def _checked(answer: Any) -> dict[str, Any]:
    """Check the types of the answer of a body in JavaScript, which may have changed the functions that
    make its text."""
    try:
        result: dict[str, Any] = json.loads(answer)
        text, printed, files = result["text"], result["printed"], result["files"]
        texts = [text, *printed, *files, *files.values()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        texts = [None]
    if not all(isinstance(each, str) for each in texts):
        raise JobError("changed functions that make the text of its body, such as JSON.stringify")
    if sum(map(len, texts)) > LARGEST_TEXT:
        raise JobError(f"made more than {LARGEST_TEXT // 2**20} MiB of text")
    return {"text": text, "printed": list(printed), "files": dict(files)}


def _javascript_error(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "an error"
    if "interrupted" in first:
        return f"took more than {CPU_SECONDS} s"
    if "out of memory" in first or first == "null":
        return f"took more than {MEMORY // 2**20} MiB"
    line = _LINE.search(text)
    return first + (f" (line {line[1]} of the body)" if line else "")


class Lua:
    """Lua 5.2, as in Webots, through lupa; a new interpreter for each job."""

    def __init__(self, folder: Path) -> None:
        from lupa import lua52

        self._lupa = lua52
        self._prelude = (folder / "prelude.lua").read_text(encoding="utf-8")
        names = sorted(folder.glob("wb*.lua"))
        self._modules = {path.stem: path.read_text(encoding="utf-8") for path in names}

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the text of the body and the printed output."""
        lines = []
        for kind, text in job["pieces"]:
            if kind == "text":
                lines.append(f"__out({_lua_string(text)}) " + "\n" * text.count("\n"))
            elif kind == "expression":
                lines.append(f"__out({text}) ")
            else:
                lines.append(text + " ")
        runtime = self._lupa.LuaRuntime(
            register_eval=False, register_builtins=False, unpack_returned_tuples=True, max_memory=MEMORY
        )
        printed: list[str] = []
        seed = 0 if job["deterministic"] else random.getrandbits(31)
        try:
            start = runtime.execute(self._prelude)
            modules = runtime.table_from(self._modules)
            values = _lua_table(runtime, {"fields": job["fields"], "context": job["context"]})
            ok, text, log = start("".join(lines), values, modules, seed, LUA_STEPS)
        except (self._lupa.LuaError, self._lupa.LuaMemoryError, MemoryError) as error:
            raise JobError(_lua_error(str(error))) from None
        if not ok:
            raise JobError(_lua_error(str(text)))
        printed = list(log.values())
        return {"text": text, "printed": printed}


def _lua_error(text: str) -> str:
    if "not enough memory" in text or not text:
        return f"took more than {MEMORY // 2**20} MiB"
    match = re.match(r'\[string "[^"]*"\]:(\d+): (.*)', text, re.DOTALL)
    first = (match[2] if match else text).splitlines()[0]
    return first + (f" (line {match[1]} of the body)" if match else "")


def _lua_string(text: str) -> str:
    r"""Return a Lua literal in ASCII: other bytes as `\\ddd`."""
    data = text.encode()
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\\\' else f"\\{b:03d}" for b in data) + '"'


def _lua_table(runtime: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return runtime.table_from({name: _lua_table(runtime, item) for name, item in value.items()})
    if isinstance(value, list):
        return runtime.table_from([_lua_table(runtime, item) for item in value])
    return value


def forbid_opening() -> None:
    """Forbid this process to open, write or start anything from now on."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (4 * MEMORY, 4 * MEMORY))


def main() -> None:
    """Answer jobs until stdin ends."""
    folder = Path(__file__).parent
    engines: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, engine, package in (("javascript", JavaScript, "quickjs-ng"), ("lua", Lua, "lupa")):
        try:
            engines[name] = engine(folder)
        except ImportError:
            missing[name] = f"the Python package {package} is not installed: pip install {package}"
    forbid_opening()
    print("{}", flush=True)
    for line in sys.stdin:
        signal.alarm(LONGEST_JOB)
        job = json.loads(line)
        try:
            if job["language"] in missing:
                raise JobError(missing[job["language"]])
            answer = engines[job["language"]].run(job)
            if len(answer["text"]) > LARGEST_TEXT:
                raise JobError(f"made more than {LARGEST_TEXT // 2**20} MiB of text")
        except JobError as error:
            answer = {"error": str(error)}
        except RecursionError:
            answer = {"error": "nested too deeply"}
        except Exception as error:  # the interpreters raise exceptions of many types
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
        signal.alarm(0)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent process no longer reads the answer
    main()
