"""Writer from node trees to text, in Webots' layout: two blanks per level, one vector per line."""

from __future__ import annotations

from typing import Any, NamedTuple

from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType
from sim_core.scene.scene import Folded, Scene
from sim_core.scene.wbt.lexer import quoted


class _Writing(NamedTuple):
    """A file that is being written.

    Attributes:
        lines: lines written so far.
        defs: named nodes written so far.
        is_short: fields equal to their defaults are left out, as in Webots.
    """

    lines: list[str]
    defs: dict[str, Node]
    is_short: bool = False


def write_scene(scene: Scene, is_short: bool = False) -> str:
    """Return the scene as a world file; reading it again gives an equal tree.

    Only fields that are set are written; with `is_short`, only those that differ from their default.
    A copy made by USE is written as `USE X` as long as it equals X, and in full once one of the two was
    changed.
    """
    lines = [scene.header.raw, ""]
    lines += [
        f"{'IMPORTABLE ' if proto.importable else ''}EXTERNPROTO {quoted(proto.url)}"
        for proto in scene.extern_protos
    ]
    if scene.extern_protos:
        lines.append("")
    text = _Writing(lines, {}, is_short)
    folded: dict[Node, list[Folded]] = {}
    for each in scene.folded:
        root = next((above for above in [*each.after.ancestors()][::-1]), each.after)
        folded.setdefault(root, []).append(each)
    for node in scene.nodes:
        _write_node(node, "", "", text)
        for each in folded.get(node, ()):
            _write_folded(each, lines)
    return "\n".join(lines) + "\n"


def write_node(node: Node) -> str:
    """Return one node as text; copies made by USE of nodes outside it are written in full."""
    text = _Writing([], {})
    _write_node(node, "", "", text)
    return "\n".join(text.lines) + "\n"


def value_text(value: Any) -> str:
    """Return a value without nodes in the form of a file, on one line."""
    if not isinstance(value, list):
        return _single(value)
    between = ", " if value and isinstance(value[0], tuple) else " "
    return f"[ {between.join(_single(each) for each in value)} ]" if value else "[ ]"


def _write_node(node: Node, before: str, indent: str, text: _Writing) -> None:
    """Append the lines of a node; `before` is the text before it on its first line."""
    lines, defs, is_short = text
    if node.use_name is not None and is_copy_of(node, defs.get(node.use_name)):
        lines.append(f"{before}USE {node.use_name}")
        return
    name = f"DEF {node.def_name} " if node.def_name else ""
    type_name, fields = as_written(node)
    if is_short:
        types = (node.proto or node).node_type.fields
        fields = {each: value for each, value in fields.items() if not _is_default(types.get(each), value)}
    lines.append(f"{before}{name}{type_name} {{")
    inner = indent + "  "
    for field, value in fields.items():
        if isinstance(value, Node):
            _write_node(value, f"{inner}{field} ", inner, text)
        elif isinstance(value, list):
            _write_list(field, value, inner, text)
        else:
            lines.append(f"{inner}{field} {_single(value)}")
    if node.proto is not None:
        lines.extend(f"{inner}hidden {name} {_single(value)}" for name, value in node.proto.hidden.items())
    lines.append(indent + "}")
    if node.def_name:
        defs[node.def_name] = node


def _write_folded(robot: Folded, lines: list[str]) -> None:
    type_name, fields = as_written(robot.like)
    own = {"name": robot.name, "translation": robot.translation, "rotation": robot.rotation}
    lines.append(f"{type_name} {{")
    lines.extend(f"  {field} {value_text(value)}" for field, value in {**fields, **own}.items())
    lines.append("}")


def as_written(node: Node) -> tuple[str, dict[str, Any]]:
    """Return type and fields of a node; of an instance of a PROTO those of its interface, with present
    values."""
    if node.proto is None:
        return node.type_name, node.saved_fields()
    proto, saved = node.proto, node.saved_fields()
    fields = {
        name: value
        for name, value in proto.fields.items()
        if name not in proto.unset_defaults or _differ(value, proto.node_type.fields[name].default)
    }
    for own, interface in proto.connected.items():
        field = proto.node_type.fields[interface]
        value = saved.get(own, field.default)
        holds_nodes = field.type.endswith("Node")
        if not holds_nodes and value != fields.get(interface, field.default):
            fields[interface] = value
    return proto.node_type.name, fields


def _differ(value: Any, default: Any) -> bool:
    """Return whether nodes differ from their default."""
    now, then = (each if isinstance(each, list) else [each] for each in (value, default))
    return [each and write_node(each) for each in now] != [each and write_node(each) for each in then]


def _is_default(field: FieldType | None, value: Any) -> bool:
    """Return whether a value equals the default of the field."""
    return field is not None and not isinstance(value, Node) and bool(value == field.default)


def _write_list(field: str, values: list[Any], indent: str, text: _Writing) -> None:
    lines = text.lines
    if not values:
        lines.append(f"{indent}{field} []")
        return
    lines.append(f"{indent}{field} [")
    inner = indent + "  "
    if isinstance(values[0], Node):
        for node in values:
            _write_node(node, inner, inner, text)
    elif isinstance(values[0], (int, float)):
        rows = (values[start : start + 16] for start in range(0, len(values), 16))
        lines.extend(inner + " ".join(_single(value) for value in row) for row in rows)
    else:
        lines.extend(inner + _single(value) for value in values)
    lines.append(indent + "]")


def _single(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        return " ".join(_single(item) for item in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 and str(value) != "-0.0":
        return str(int(value))
    return repr(value)


def is_copy_of(node: Node, original: Node | None) -> bool:
    """Return whether two nodes have the same contents, whatever their own names are."""
    if original is None or original.type_name != node.type_name:
        return False
    copy = original.copy()
    copy.def_name, copy.use_name = node.def_name, node.use_name
    return copy.equals(node)
