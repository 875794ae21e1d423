"""Body of a procedural PROTO, with its statements executed for one instance.

The statements are run by `worker.py` in a process of its own, which can open no file and no connection, has
limits on memory and time, and is killed when it does not answer; see `processes.py` for its reuse.
Files that they write by `wbfile` are returned as text, and are written here, below one folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sim_core.base.limits import limit, limit_text
from sim_core.scene.json_worker import JsonWorker, WorkerError
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType
from sim_core.scene.proto.proto_file import ProtoDefinition
from sim_core.scene.proto.templates.processes import release_worker, take_worker
from sim_core.scene.values import COMPONENTS

TIME_LIMIT = 4.0
"""Wall time in s for one instance."""
FILES = "template_files"
LARGEST_FILES = 16 * 2**20
"""Largest number of characters that the templates of one load may write."""
COMPONENT_NAMES = {"SFColor": "rgb", "SFRotation": "xyza"}
_MARKS = {"javascript": ("%<", ">%"), "lua": ("%{", "}%")}
_COMMENTS = {
    "javascript": re.compile(r'(%<.*?>%|"(?:[^"\\\n]|\\.)*")|\#[^\r\n]*', re.DOTALL),
    "lua": re.compile(r'(%\{.*?\}%|"(?:[^"\\\n]|\\.)*")|\#[^\r\n]*', re.DOTALL),
}
"""A `#` begins a comment in the text of a body; in a Lua statement it is the length operator."""
_FIELDS_AS_SUCH = re.compile(r"\bfields\b(?!\s*(?:\.|\[\s*['\"]))")
"""All fields, or one whose name the template computes."""
_FIELD_USED = re.compile(r"\bfields\s*(?:\.\s*(\w+)|\[\s*['\"](\w+)['\"]\s*\])")


class TemplateError(Exception):
    """A template failed; never leaves this package."""


class Piece(NamedTuple):
    """Part of a template: `text`, a `statement`, or an `expression` that is replaced by its value."""

    kind: str
    text: str


class Rendered(NamedTuple):
    """Body of an instance, output that its statements printed, and the parameters that they use."""

    text: str
    printed: list[str]
    given: frozenset[str]


def pieces(body: str, language: str) -> Iterator[Piece]:
    """Yield the parts of a body in order; comments of the PROTO are removed, their line ends stay.

    Raises:
        TemplateError: a statement does not end.
    """
    body = _COMMENTS[language].sub(lambda match: match[1] or "", body)
    opening, closing = _MARKS[language]
    at = 0
    while (start := body.find(opening, at)) >= 0:
        if start > at:
            yield Piece("text", body[at:start])
        end = body.find(closing, start)
        if end < 0:
            raise TemplateError(f'a "{opening}" without "{closing}"')
        code = body[start + len(opening) : end]
        if code.startswith("="):
            yield Piece("expression", code[1:])
        else:
            yield Piece("statement", code)
        at = end + len(closing)
    yield Piece("text", body[at:])


def fields_for(definition: ProtoDefinition, instance: Node) -> dict[str, Any]:
    """Return the interface fields that the template names, each with `value` and `defaultValue`."""
    body = definition.text[definition.body :]
    used = {first or second for first, second in _FIELD_USED.findall(body)}
    every = "indirectFieldAccess" in definition.tags or _FIELDS_AS_SUCH.search(body)
    return {
        name: _with_default(field, instance[name])
        for name, field in definition.fields.items()
        if every or name in used
    }


def plain(kind: str, value: Any) -> Any:
    """Return a field's value in the form for templates (Webots reference, VRML97 Type Conversion)."""
    if kind.startswith("MF"):
        return [plain("SF" + kind[2:], item) for item in value]
    if kind in COMPONENTS:
        return dict(zip(COMPONENT_NAMES.get(kind, "xyz"), value, strict=False))
    if kind == "SFNode" and value is not None:
        node: Node = value
        node_type, fields = node.node_type, node.fields
        if node.proto is not None:
            node_type, fields = node.proto.node_type, node.proto.fields
        values = {
            name: _with_default(field, fields.get(name, field.default))
            for name, field in node_type.fields.items()
        }
        return {"node_name": node_type.name, "fields": values}
    return value


def _with_default(field: FieldType, value: Any) -> dict[str, Any]:
    return {"value": plain(field.type, value), "defaultValue": plain(field.type, field.default)}


class Templates:
    """Runs the templates of one load; it gets a process when one is first needed.

    Attributes:
        axes: axis system of the world.
    """

    def __init__(self, context: Callable[[], dict[str, Any]], axes: str) -> None:
        """`context` returns the context of the templates, except their own file and number; it is called
        once."""
        self._context, self.axes = cache(context), axes
        self._worker: JsonWorker | None = None
        self._has_failed = False
        self._made: dict[str, Rendered] = {}
        self._files: dict[str, str] = {}
        self._room, self._files_left = LARGEST_FILES, limit(FILES)

    def render(self, definition: ProtoDefinition, instance: Node, number: int) -> Rendered:
        """Return the body for this instance.

        A PROTO without the tag `nonDeterministic` has the same body for the same fields, and is computed
        once for them; `Math.random` and `Date.now` always return the same there.

        Raises:
            TemplateError: a statement failed, or exceeded the limits of time or memory.
        """
        assert definition.language is not None
        job: dict[str, Any] = {
            "language": definition.language,
            "pieces": list(pieces(definition.text[definition.body :], definition.language)),
            "fields": fields_for(definition, instance),
            "context": {
                **self._context(),
                "coordinate_system": self.axes,
                "proto": os.path.realpath(definition.file),
                "id": number,
            },
            "deterministic": "nonDeterministic" not in definition.tags,
            "files": self._files,
        }
        key = ""
        if job["deterministic"] and not re.search(r"context\s*[.\[]\W*id\b", definition.text):
            key = json.dumps([definition.file, job["fields"]])
            if key in self._made:
                return self._made[key]
        answer = self._ask(job)
        if "error" in answer:
            self._has_failed = True
            raise TemplateError(_encodable(answer["error"]))
        files = answer.get("files", {})
        self._write({_encodable(name): _encodable(text) for name, text in files.items()})
        self._files |= files
        result = Rendered(
            _encodable(answer["text"]), [*map(_encodable, answer["printed"])], frozenset(job["fields"])
        )
        if key:
            self._made[key] = result
        return result

    def _write(self, files: Mapping[str, str]) -> None:
        """Write files below the folder that templates know.

        Raises:
            TemplateError: they are too large, outside this folder, or cannot be written.
        """
        if not files:
            return
        folder = Path(self._context()["temporary_files_path"])
        self._room -= sum(map(len, files.values()))
        self._files_left -= len(files)
        if self._room < 0:
            raise TemplateError(f"wrote more than {LARGEST_FILES // 2**20} MiB")
        if self._files_left < 0:
            raise TemplateError(f"wrote too many files, expected {limit_text(FILES)} of one load")
        try:
            name = str(folder)
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                path = Path(name).resolve()
                if not path.is_relative_to(folder.resolve()):
                    raise TemplateError(f"templates may use files only below {folder}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        except (OSError, ValueError) as error:  # also a name with a NUL character
            why = getattr(error, "strerror", None) or error
            raise TemplateError(f"{name!r} cannot be written: {why}") from None

    def close(self) -> None:
        """End the process, or keep it for the next load if all templates have succeeded."""
        worker, self._worker = self._worker, None
        if worker is not None:
            if self._has_failed:
                worker.close()
            else:
                release_worker(worker)

    def _ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        try:
            if self._worker is None:
                self._worker = take_worker()
            return self._worker.ask(job, TIME_LIMIT)
        except WorkerError as error:
            self._worker = None
            raise TemplateError(str(error)) from None


def _encodable(text: str) -> str:
    """Return a text that can be encoded: a lone surrogate, which JavaScript allows, becomes U+FFFD, as in
    Webots."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
