"""VRML97 text to items. Which fields a node has is not asked: what a value is can be told from its looks.

PROTO definitions, routes and scripts are passed over; they make no scenery that stands still.
"""

from __future__ import annotations

import re

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.scene.node import Source
from sim_core.scene.wbt.cursor import Cursor, GiveUpError
from sim_core.scene.wbt.lexer import END, NUMBER, STRING, WORD, Lines, tokenize
from sim_core.scene.x3d.scenery_item import MAX_DEPTH, MAX_ITEMS, Item

HEADER = "#VRML V2.0 utf8"
PASSED_OVER = ("Script",)
_ROUTE = re.compile(r"\bROUTE\s+\S+\s+TO\s+\S+")
_VISIBLE = re.compile(r"[^\r\n]")


def read_vrml(text: str, file: str) -> Item:
    """A `Scene` item with the root nodes.

    Raises:
        SceneErrors: with every problem found.
    """
    if not text.startswith("#VRML V2.0"):
        found = "another first line" if text.strip() else "no header"
        raise SceneErrors([SceneError(file, 1, 1, found, f'"{HEADER}" (VRML97)')])
    text = _ROUTE.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)
    lines = Lines(text)
    tokens, problems = tokenize(text, file, lines)
    reader = _Reader(Cursor(tokens, file, lines))
    try:
        scene = reader.scene()
    except GiveUpError:
        scene = Item("Scene", Source(file, 1, 1))
    problems += reader.cursor.problems
    if problems:
        raise SceneErrors(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return scene


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.count = 0

    def scene(self) -> Item:
        root = Item("Scene", Source(self.cursor.file, 1, 1))
        while self.cursor.token.kind != END:
            if not self.statement():
                item = self.node(1)
                if item is not None:
                    root.children.append(("", item))
        return root

    def statement(self) -> bool:
        """Pass over PROTO and EXTERNPROTO."""
        if self.cursor.token.kind != WORD or self.cursor.token.text not in ("PROTO", "EXTERNPROTO"):
            return False
        self.cursor.skip_definition()
        return True

    def node(self, depth: int) -> Item | None:
        cursor = self.cursor
        first = cursor.token
        source = Source(cursor.file, *cursor.place(first))
        if first.kind != WORD:
            cursor.unexpected("a node")
            cursor.skip_anything()
            return None
        name = None
        if first.text in ("DEF", "USE"):
            cursor.next()
            name = cursor.next().text
            if first.text == "USE":
                return Item("", source, use_name=name)
        head = cursor.next()
        if cursor.token.kind != "{":
            cursor.unexpected(f'"{{" after {head.text}')
            return None
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_ITEMS:
            cursor.error(head, f"more than {MAX_DEPTH} levels or {MAX_ITEMS} nodes", "a smaller scene")
            raise GiveUpError
        item = Item(head.text, source, def_name=name)
        if head.text in PASSED_OVER:
            cursor.skip_block()
            return item
        cursor.open()
        while cursor.token.kind not in ("}", END):
            if not self.statement():
                self.field(item, depth)
        cursor.close()
        return item

    def field(self, item: Item, depth: int) -> None:
        cursor = self.cursor
        if cursor.token.kind != WORD:
            cursor.unexpected(f'a field of {item.name} or "}}"')
            cursor.skip_anything()
            return
        name = cursor.next().text
        if cursor.token.kind == "[":
            cursor.open()
            values: list[str] = []
            while cursor.token.kind not in ("]", "}", END):
                self.value(item, name, depth, values)
            cursor.close()
            if values:
                item.fields[name] = " ".join(values)
            return
        single: list[str] = []
        self.value(item, name, depth, single)
        while single and cursor.token.kind == NUMBER:
            single.append(cursor.next().text)
        if single:
            item.fields[name] = " ".join(single)

    def value(self, item: Item, name: str, depth: int, values: list[str]) -> None:
        """One number, string, flag or node."""
        cursor = self.cursor
        token = cursor.token
        if token.kind in (NUMBER, STRING) or token.text in ("TRUE", "FALSE"):
            values.append(cursor.next().text)
        elif token.text == "NULL":
            cursor.next()
        elif token.kind == WORD and not self.statement():
            child = self.node(depth + 1)
            if child is not None:
                item.children.append((name, child))
        elif token.kind != WORD:
            cursor.unexpected(f"a value of {item.name}.{name}")
            cursor.next()
