"""The node types as data: `schema/*.yaml` says which fields each node has, of which type, with which default.

A schema file maps node names to entries:

    Name:
      base: Pose            # or a list; fields and class membership are inherited
      abstract: true        # a class of nodes only, cannot be written in a file
      deprecated: text      # what to write instead
      without: [axis]       # inherited fields that the node does not have
      order: [size, axis]   # the first of its fields, in Webots' order; the others follow
      fields:
        size: {type: SFVec3f, default: [2, 2, 2]}

A field may also have `allowed` (the values it can take), `nodes` (classes of node it can hold), `except`
(classes it cannot hold in spite of that), `also` (older types that are still read), `deprecated` (old: read
with a warning), `hidden` (state that Webots saves) and `listed` (whether the node of today has it; if not
said, it does unless it is deprecated). SFNode and MF types need no `default`: NULL, empty.
Numbers may have a range (`ranges.py`): `least`, `most`, `above`, `below`, `none`, `zero`, and in `reset` what
Webots takes for a value outside.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sim_core.scene.ranges import Range

SCHEMA_FOLDER = Path(__file__).parent / "schema"


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field of a node type; `default` is a plain Python value as `Node` holds it."""

    name: str
    type: str
    default: Any
    allowed: tuple[Any, ...] = ()
    nodes: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    deprecated: bool = False
    hidden: bool = False
    listed: bool = True
    """The node has it in today's Webots: it is among the fields that supervisors count."""
    range: Range | None = None
    exact: bool = False
    """It holds the types of `nodes` themselves, and PROTO nodes made of them, but no type that derives."""

    def holds(self, node_type: NodeType) -> bool:
        """Whether a node of this type may stand in the field."""
        if not node_type.classes.isdisjoint(self.never):
            return False
        names = node_type.own_names() if self.exact else node_type.classes
        return not self.nodes or not names.isdisjoint(self.nodes)


@dataclass(frozen=True, slots=True)
class NodeType:
    """One node type with all its fields, in Webots' order: hidden ones and those of old files stand last."""

    name: str
    bases: tuple[str, ...]
    fields: Mapping[str, FieldType]
    classes: frozenset[str]
    abstract: bool = False
    deprecated: str = ""
    proto: Any = field(default=None, compare=False, repr=False)
    """The definition, if instances are to be expanded; None for the nodes of Webots."""

    def is_a(self, type_name: str) -> bool:
        """True for the type itself and everything it derives from."""
        return type_name in self.classes

    def own_names(self) -> frozenset[str]:
        """The type itself; of a PROTO the node of Webots that it is, too."""
        return frozenset((self.name,) if self.proto is None else (self.name, *self.bases))


def node_type(name: str) -> NodeType | None:
    """The entry of a node type, or None if there is no such type."""
    return all_node_types().get(name)


@cache
def all_node_types() -> Mapping[str, NodeType]:
    """Every node type of the schema, by name."""
    entries: dict[str, dict[str, Any]] = {}
    for path in sorted(SCHEMA_FOLDER.glob("*.yaml")):
        entries.update(read_schema_file(path))
    types: dict[str, NodeType] = {}
    for name in entries:
        _resolve(name, entries, types)
    return types


def read_schema_file(path: Path) -> dict[str, dict[str, Any]]:
    """The entries of one schema file; with libyaml ten times as fast as without."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint naming the known name nearest to a misspelt one, or an empty string."""
    by_lower = {candidate.lower(): candidate for candidate in known if candidate != name}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f'did you mean "{by_lower[near[0]]}"?' if near else ""


def _resolve(name: str, entries: Mapping[str, dict[str, Any]], types: dict[str, NodeType]) -> NodeType:
    """Build a type after its bases."""
    if name in types:
        return types[name]
    entry = entries[name]
    base = entry.get("base", [])
    bases = (base,) if isinstance(base, str) else tuple(base)
    fields: dict[str, FieldType] = {}
    classes = {name}
    for base_type in (_resolve(each, entries, types) for each in bases):
        fields |= base_type.fields
        classes |= base_type.classes
    for field_name in entry.get("without", ()):
        del fields[field_name]
    for field_name, data in entry["fields"].items():
        fields[field_name] = _field(field_name, data)
    fields = dict(sorted(fields.items(), key=lambda item: (item[1].deprecated, item[1].hidden)))
    fields = {name: fields[name] for name in entry.get("order", ())} | fields
    types[name] = NodeType(
        name, bases, fields, frozenset(classes), entry.get("abstract", False), entry.get("deprecated", "")
    )
    return types[name]


def _field(name: str, data: Mapping[str, Any]) -> FieldType:
    kind = data["type"]
    default = data.get("default", [] if kind.startswith("MF") else None)
    return FieldType(
        name=name,
        type=kind,
        default=_plain(kind, default),
        allowed=tuple(data.get("allowed", ())),
        nodes=tuple(data.get("nodes", ())),
        never=tuple(data.get("except", ())),
        also=tuple(data.get("also", ())),
        deprecated=data.get("deprecated", False),
        hidden=data.get("hidden", False),
        listed=data.get("listed", not data.get("deprecated", False)),
        range=Range.of(data),
    )


def _plain(kind: str, value: Any) -> Any:
    """A YAML value as `Node` holds it: floats where floats belong, tuples for vectors."""
    if kind.startswith("MF"):
        return [_plain("SF" + kind[2:], item) for item in value]
    if kind == "SFFloat":
        return float(value)
    if kind in ("SFVec2f", "SFVec3f", "SFColor", "SFRotation"):
        return tuple(float(item) for item in value)
    return value
