"""Names of classes and methods in the source: which stand twice, and which many unrelated classes implement.

`python test/support/class_names.py` prints both lists.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("sim_core", "ros_bridge")
MOST = 5
"""Unrelated classes that may implement a method of one name."""


class ClassFound(NamedTuple):
    """A class at the top level of a module."""

    name: str
    file: str
    bases: tuple[str, ...]
    methods: frozenset[str]
    attributes: frozenset[str] = frozenset()

    @property
    def is_protocol(self) -> bool:
        """True if it declares an interface that others implement without inheriting from it."""
        return "Protocol" in self.bases

    def declares(self, method: str) -> bool:
        """Return whether it has a method, or an attribute that a subclass may make a property."""
        return method in self.methods or method in self.attributes


def classes_in(folders: Iterable[str] = FOLDERS) -> Iterator[ClassFound]:
    """Iterate over the classes of all modules below folders of the repository."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    yield _class_found(node, path)


def names_twice(classes: Iterable[ClassFound]) -> dict[str, list[str]]:
    """Return the names of more than one class, with the files."""
    files: dict[str, list[str]] = defaultdict(list)
    for each in classes:
        files[each.name].append(each.file)
    return {name: found for name, found in sorted(files.items()) if len(found) > 1}


def unrelated_methods(classes: Iterable[ClassFound], most: int = MOST) -> dict[str, list[str]]:
    """Return the public methods that more than `most` classes implement without a base class or protocol.

    A class counts if none of its base classes declares the method; one that a protocol declares is left out.
    """
    known = list(classes)
    declared = {method for each in known if each.is_protocol for method in each.methods}
    by_name = {each.name: each for each in known}
    owners: dict[str, list[str]] = defaultdict(list)
    for each in known:
        bases = list(_ancestors(each, by_name))
        for method in each.methods - declared:
            if not method.startswith("_") and not any(base.declares(method) for base in bases):
                owners[method].append(each.name)
    many = [(method, sorted(found)) for method, found in owners.items() if len(found) > most]
    return dict(sorted(many, key=lambda item: (-len(item[1]), item[0])))


def _class_found(node: ast.ClassDef, path: Path) -> ClassFound:
    methods = frozenset(each.name for each in node.body if isinstance(each, ast.FunctionDef))
    annotated = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
    attributes = frozenset(each.id for each in annotated if isinstance(each, ast.Name))
    file = str(path.relative_to(ROOT))
    return ClassFound(node.name, file, tuple(map(_base_name, node.bases)), methods, attributes)


def _base_name(base: ast.expr) -> str:
    """Return the last name of a base class: `Schedule` of `base.Schedule[int]`."""
    if isinstance(base, ast.Subscript):
        base = base.value
    return base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""


def _ancestors(found: ClassFound, by_name: dict[str, ClassFound]) -> Iterator[ClassFound]:
    for name in found.bases:
        if name in by_name and name != found.name:
            yield by_name[name]
            yield from _ancestors(by_name[name], by_name)


if __name__ == "__main__":
    for name, files in names_twice(classes_in()).items():
        print(f"class {name}: {', '.join(files)}")
    for method, owners in unrelated_methods(classes_in()).items():
        print(f"method {method}: {len(owners)} classes: {', '.join(owners)}")
