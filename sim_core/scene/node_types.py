"""Node types as data: `schema/*.yaml` defines the fields of each node, their types and defaults.

A schema file maps node names to entries:

    Name:
      base: Pose            # or a list; fields and class membership are inherited
      abstract: true        # a base class only, cannot be written in a file
      deprecated: text      # what to write instead
      without: [axis]       # inherited fields that the node does not have
      order: [size, axis]   # the first of its fields, in Webots' order; the others follow
      fields:
        size: {type: SFVec3f, default: [2, 2, 2]}

A field may also have `allowed` (the values it can take), `nodes` (classes of node it can hold), `except`
(classes it cannot hold nevertheless), `also` (older types that are still read), `deprecated` (old: read
with a warning), `hidden` (state that Webots saves) and `listed` (whether the current node has it; if not
given, it does unless it is deprecated). SFNode and MF types need no `default`: NULL, empty.
Numbers may have a range (`ranges.py`): `least`, `most`, `above`, `below`, `none`, `zero`, and in `reset` what
Webots uses for a value outside.
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
    """True if the current node of Webots has it: supervisors count it among the fields."""
    range: Range | None = None
    exact: bool = False
    """True if the field holds only the types of `nodes` and PROTO nodes made of them, no derived types."""

    def holds(self, node_type: NodeType) -> bool:
        """Return whether a node of this type is allowed in the field."""
        if not node_type.classes.isdisjoint(self.never):
            return False
        names = node_type.own_names() if self.exact else node_type.classes
        return not self.nodes or not names.isdisjoint(self.nodes)


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type with all its fields, in Webots' order: hidden and old fields are last."""

    name: str
    bases: tuple[str, ...]
    fields: Mapping[str, FieldType]
    classes: frozenset[str]
    abstract: bool = False
    deprecated: str = ""
    proto: Any = field(default=None, compare=False, repr=False)
    """The PROTO definition, if instances are to be expanded; None for nodes of Webots."""

    def is_a(self, type_name: str) -> bool:
        """Return whether this type is, or derives from, the named one."""
        return type_name in self.classes

    def own_names(self) -> frozenset[str]:
        """Name of the type; for a PROTO also that of the Webots node at its base."""
        return frozenset((self.name,) if self.proto is None else (self.name, *self.bases))


def node_type(name: str) -> NodeType | None:
    """Return the entry of a node type, or None if there is no such type."""
    return all_node_types().get(name)


@cache
def all_node_types() -> Mapping[str, NodeType]:
    """Return all node types of the schema, by name."""
    entries: dict[str, dict[str, Any]] = {}
    for path in sorted(SCHEMA_FOLDER.glob("*.yaml")):
        entries.update(read_schema_file(path))
    types: dict[str, NodeType] = {}
    for name in entries:
        _resolve(name, entries, types)
    return types


def read_schema_file(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of one schema file; ten times as fast with libyaml as without."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name nearest to a misspelt one, or an empty string."""
    by_lower = {candidate.lower(): candidate for candidate in known if candidate != name}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f'did you mean "{by_lower[near[0]]}"?' if near else ""


def _resolve(name: str, entries: Mapping[str, dict[str, Any]], types: dict[str, NodeType]) -> NodeType:
    """Build a type after its base types."""
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
        range=Range.from_entry(data),
    )


def _plain(kind: str, value: Any) -> Any:
    """Convert a YAML value to the form of `Node`: floats for real fields, tuples for vectors."""
    if kind.startswith("MF"):
        return [_plain("SF" + kind[2:], item) for item in value]
    if kind == "SFFloat":
        return float(value)
    if kind in ("SFVec2f", "SFVec3f", "SFColor", "SFRotation"):
        return tuple(float(item) for item in value)
    return value
