"""Values of fields from text in the form of a world file."""

from __future__ import annotations

from typing import Any

from sim_core.scene.node_types import FieldType, NodeType
from sim_core.scene.values import describe
from sim_core.scene.wbt.cursor import Cursor, TooManyProblemsError
from sim_core.scene.wbt.field_values import FAILED, read_value, type_written
from sim_core.scene.wbt.lexer import END, Lines, tokenize


def read_text_value(field: FieldType, text: str) -> Any:
    """Return the value of a text such as `1 2 0.5`, `TRUE` or `[ "a" "b" ]`; lists may lack brackets.

    Raises:
        ValueError: it is not a value of the field's type; the text states what was found and expected.
    """
    if field.type.startswith("MF") and not text.lstrip().startswith("["):
        text = f"[{text}]"
    lines = Lines(text)
    tokens, problems = tokenize(text, field.name, lines)
    cursor = Cursor(tokens, field.name, lines)
    holder = NodeType("the value of", (), {field.name: field}, frozenset())
    value = FAILED
    try:
        value = read_value(cursor, holder, field, type_written(cursor, field))
        if not problems and not cursor.problems and cursor.token.kind != END:
            cursor.unexpected("the end")
    except TooManyProblemsError:
        pass
    problem = next(iter(problems + cursor.problems), None)
    if problem is not None:
        found = "the end" if problem.found.startswith("the end of the file") else problem.found
        expected = problem.expected if problem.expected != "the end" else describe(field.type)
        found = found.removesuffix(f" for {holder.name}.{field.name}").replace(f"{holder.name}.", "")
        raise ValueError(f"found {found}, expected {expected}")
    return value
