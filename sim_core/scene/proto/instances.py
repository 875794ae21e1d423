"""What the parser does at instances of PROTO nodes: find the definition, read the body, put it in place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import SceneError
from sim_core.scene.assets import NotFoundError
from sim_core.scene.limits import MAX_NESTING
from sim_core.scene.node import Node
from sim_core.scene.node_types import FieldType, NodeType, did_you_mean
from sim_core.scene.proto.expansion import (
    HIDDEN_FIELDS,
    Binding,
    apply_hidden,
    become,
    copy_value,
    without_stand_ins,
)
from sim_core.scene.proto.proto_file import ProtoDefinition
from sim_core.scene.proto.proto_library import BrokenProtoError
from sim_core.scene.proto.templates import TemplateError
from sim_core.scene.wbt.cursor import Cursor, GiveUpError
from sim_core.scene.wbt.field_values import FAILED
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import NUMBER, WORD, Lines, Token, tokenize
from sim_core.scene.wbt.literals import LiteralError, literal

if TYPE_CHECKING:
    from sim_core.scene.wbt.parser import Parser

FIRST_WITH_EXTERN = "R2022b"
"""Worlds and PROTO files before it find PROTO nodes by their names alone."""


def proto_type(parser: Parser, head: Token) -> NodeType | None:
    """What instances of a PROTO are parsed as; None: there is no such PROTO, or it has been reported."""
    scope, cursor = parser.scope, parser.cursor
    try:
        definition = scope.find(head.text)
    except NotFoundError as error:
        places = ", ".join(error.looked)
        found = f"PROTO {head.text}: {error}" + (f"; looked for it in {places}" if places else "")
        if parser.load.skip_missing:
            parser.tell_once(head, found, "the file")
        elif found not in parser.load.told:  # once, or some hundred instances would hide what else is missing
            parser.load.told.add(found)
            cursor.error(head, found, "", "give --download, set WEBOTS_HOME, or skip it by --skip-missing")
        parser.missing = head
        return None
    except BrokenProtoError as error:
        if error.problems is not None:
            parser.take_problems(list(error.problems.problems))
        elif str(error) not in parser.load.told:  # of one that is told already, the place is enough, once
            parser.load.told.add(str(error))
            cursor.error(head, str(error), "a PROTO that can be read")
        parser.missing = head
        return None
    if definition is None:
        if parser.load.skip_missing and _is_old_instance(parser, head):
            parser.tell_once(head, f"PROTO {head.text}: no such PROTO", "the file")
            parser.missing = head
        return None
    if head.text in scope.undeclared and not parser.is_before(FIRST_WITH_EXTERN):
        parser.tell_once(head, f"PROTO {head.text} is not declared", "an EXTERNPROTO line with its URL")
    if not definition.header.raw:
        found = f"{definition.file}: PROTO without a header"
        parser.tell_once(head, found, f'a first line like "{Header().raw}"')
    if head.text in scope.elsewhere:
        place = (cursor.file, *cursor.place(head))
        parser.load.elsewhere.setdefault(head.text, (place, scope.elsewhere[head.text]))
    if "deprecated" in definition.tags:
        parser.tell_once(head, f"PROTO {head.text} is deprecated", "a newer one")
    return definition.node_type


def _is_old_instance(parser: Parser, head: Token) -> bool:
    """Whether an unknown name can be a PROTO of an old file, which did not have to declare it."""
    return parser.is_before(FIRST_WITH_EXTERN) and head.text not in parser.types


def is_value(parser: Parser, node: Node, field: FieldType) -> Any:
    """The value of `IS name`, or FAILED after reporting what is wrong."""
    cursor = parser.cursor
    cursor.next()
    name = cursor.token
    if name.kind != WORD:
        cursor.unexpected("the name of a field of the PROTO after IS")
        return FAILED
    cursor.next()
    interface = parser.interface
    assert interface is not None
    source = interface.node_type.fields.get(name.text)
    if source is None:
        hint = did_you_mean(name.text, interface.node_type.fields)
        cursor.error(name, f"IS {name.text}", f"a field of PROTO {interface.type_name}", hint)
        return FAILED
    # Lists of colours take no colour (Webots reference, IS Statements); those of nodes and of words do.
    single = (source.type, field.type) in (("SFNode", "MFNode"), ("SFString", "MFString"))
    if source.type != field.type and source.type not in field.also and not single:
        found = f"IS {name.text}, which is {source.type}"
        cursor.error(name, found, f"{field.type}, as {node.type_name}.{field.name} is")
        return FAILED
    root = parser.open_nodes[0]
    is_own = node is root and field.name == name.text
    if root.node_type.proto is not None and name.text in root.node_type.fields and not is_own:
        found = f"{field.name} IS {name.text}, a name that {root.type_name} has too"
        cursor.error(name, found, f"{name.text} IS {name.text} in {root.type_name} and nothing else")
        return FAILED
    if len(parser.open_nodes) == 1:
        parser.connected[field.name] = name.text
    else:
        parser.bindings.setdefault(name.text, []).append(Binding(node, field.name))
    given = copy_value(interface[name.text], node, field.name, follows=interface.is_set(name.text))
    value = without_stand_ins(given, field)
    if single:  # one value is a list of one, as it is where it is written out
        value = [] if value is None else [value]
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, Node):
            parser.budget_for(each, name)
            parser.check_class(name, each.node_type, field)
    return value


def read_hidden(parser: Parser, node: Node) -> bool:
    """`hidden translation_2 0 0 1` in an instance; False: no such thing stands here."""
    cursor = parser.cursor
    if cursor.token.text != "hidden" or node.node_type.proto is None or not _is_word_ahead(cursor):
        return False
    cursor.next()
    name = cursor.next()
    numbers = []
    while cursor.token.kind == NUMBER:
        try:
            numbers.append(literal("SFFloat", [cursor.token]))
        except LiteralError as error:
            cursor.unexpected(error.reason)
            cursor.skip_value()
            return True
        cursor.next()
    expected = HIDDEN_FIELDS.get(name.text.split("_")[0])
    if expected is not None and len(numbers) != expected:
        cursor.error(name, f'{len(numbers)} numbers for "{name.text}"', f"{expected}")
    else:
        parser.hidden.append((node, name, numbers))
    return True


def _is_word_ahead(cursor: Cursor) -> bool:
    return cursor.tokens[cursor.at + 1].kind == WORD


def expand(parser: Parser, node: Node) -> None:
    """Turn a complete instance into what its body says."""
    definition: ProtoDefinition = node.node_type.proto
    load = parser.load
    nesting = load.budget.nesting
    if definition.file in nesting:
        circle = [*nesting[nesting.index(definition.file) :], definition.file]
        chain = " > ".join(Path(each).stem for each in circle)
        parser.complain(node, f"a PROTO that holds itself: {chain}", "one that ends")
        return
    if len(nesting) >= MAX_NESTING:
        parser.complain(node, f"PROTO nodes nested more than {MAX_NESTING} deep", "a flatter scene")
        return
    _warn_unconnected(parser, definition)
    try:
        tokens, lines, file, problems, templated = _body(parser, definition, node)
    except TemplateError as error:
        parser.complain(node, f"the template of PROTO {definition.name}: {error}", "")
        return
    if problems:
        parser.take_problems(problems)
        return
    inner = type(parser)(Cursor(tokens, file, lines), load, definition.scope, node)
    inner.header = definition.header
    inner.depth = parser.depth + len(parser.open_nodes)
    nesting.append(definition.file)
    try:
        root = inner.parse_body()
    finally:
        nesting.pop()
    if inner.cursor.problems:
        parser.take_problems(inner.cursor.problems)
    if load.budget.nodes < 0:
        raise GiveUpError
    if root is not None:
        become(node, root, inner.connected, inner.bindings, templated, inner.defs)
        _apply_hidden(parser, node)


def _apply_hidden(parser: Parser, node: Node) -> None:
    """Put the `hidden` fields of an instance in place; those of parts that it lacks are told in one warning.

    A PROTO changes over the years, and worlds that were saved with an older one still load.
    """
    lost: list[tuple[Token, str, str]] = []
    for each, name, numbers in parser.hidden:

        def lose(found: str, expected: str, at: Token = name) -> None:
            lost.append((at, found, expected))

        if each is node:
            apply_hidden(node, name.text, numbers, lose)
    if lost:
        name, found, expected = lost[0]
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        parser.warn(name, f"{found}{more}, left out", expected)


def _body(
    parser: Parser, definition: ProtoDefinition, node: Node
) -> tuple[list[Token], Lines, str, list[SceneError], frozenset[str]]:
    """The tokens of the body for one instance, and the parameters that its statements were given."""
    if definition.language is None:
        if definition.tokens is None:
            lines = Lines(definition.text)
            tokens, problems = tokenize(definition.text, definition.file, lines, definition.body)
            definition.tokens = (tokens, lines, problems)
        tokens, lines, problems = definition.tokens
        return tokens, lines, definition.file, problems, frozenset()
    load = parser.load
    text, printed, given = load.templates.render(definition, node, load.budget.next_id)
    load.budget.next_id += 1
    for line in printed:
        parser.scene.warnings.append(SceneError(*node.source, f"PROTO {definition.name} says: {line}"))
    lines = Lines(text)
    file = f"{definition.file} (as made by its template)"
    tokens, problems = tokenize(text, file, lines)
    return tokens, lines, file, problems, given


def _warn_unconnected(parser: Parser, definition: ProtoDefinition) -> None:
    """Fields that the body does not use, once per PROTO (Webots reference, IS statements)."""
    if definition.file in parser.load.told:
        return
    parser.load.told.add(definition.file)
    if "indirectFieldAccess" in definition.tags:
        return
    for name in definition.fields:
        if name not in definition.unconnected and not definition.is_used(name):
            found = f'field "{name}" of PROTO {definition.name} is not used in its body'
            parser.scene.warnings.append(
                SceneError(definition.file, *definition.place, found, "IS, or unconnectedField")
            )
