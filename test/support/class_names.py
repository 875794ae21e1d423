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
STANDARD = {
    "close": "contextlib.closing",
}
"""Methods without arguments that a protocol of the standard library consists of, with its user."""
EXTERNAL = {
    "Env": frozenset({"reset", "step", "render", "close"}),  # Gymnasium
    "ParallelEnv": frozenset({"reset", "step", "render", "close"}),  # PettingZoo
    "VectorEnv": frozenset({"reset", "step", "render", "close"}),  # Gymnasium
}
"""Methods of base classes of other packages, by the names of the classes."""


class ClassFound(NamedTuple):
    """A class at the top level of a module.

    Attributes:
        methods: with the number of arguments that a call must give.
        attributes: annotated or set in the class, or set in its methods.
    """

    name: str
    file: str
    bases: tuple[str, ...]
    methods: dict[str, int]
    attributes: frozenset[str] = frozenset()

    @property
    def is_protocol(self) -> bool:
        """True if it declares an interface that others implement without inheriting from it."""
        return "Protocol" in self.bases

    @property
    def members(self) -> frozenset[str]:
        """Its own methods and attributes."""
        return self.attributes | self.methods.keys()


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

    A class is left out if one of its base classes has the method, or if it has all members of a protocol
    with the method, one of these classes or one in `STANDARD`.
    """
    known = list(classes)
    by_name = {each.name: each for each in known}
    protocols = [_members(each, by_name) for each in known if each.is_protocol]
    owners: dict[str, list[str]] = defaultdict(list)
    for each in known:
        if each.is_protocol:
            continue
        own = _members(each, by_name)
        inherited = frozenset().union(
            *(base.members for base in _ancestors(each, by_name)),
            *(EXTERNAL.get(name, ()) for name in each.bases),
        )
        implemented = frozenset().union(*(members for members in protocols if members <= own))
        for method, arguments in each.methods.items():
            is_standard = method in STANDARD and not arguments
            if not (method.startswith("_") or is_standard or method in inherited | implemented):
                owners[method].append(each.name)
    many = [(method, sorted(found)) for method, found in owners.items() if len(found) > most]
    return dict(sorted(many, key=lambda item: (-len(item[1]), item[0])))


def _class_found(node: ast.ClassDef, path: Path) -> ClassFound:
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    methods = {each.name: _required_arguments(each.args) for each in functions}
    targets: list[ast.expr] = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    targets += [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
    attributes = {each.id for each in targets if isinstance(each, ast.Name)}
    for inner in (inner for function in functions for inner in ast.walk(function)):
        if not isinstance(inner, ast.Attribute) or not isinstance(inner.ctx, ast.Store):
            continue
        if isinstance(inner.value, ast.Name) and inner.value.id == "self":
            attributes.add(inner.attr)
    file = str(path.relative_to(ROOT))
    return ClassFound(node.name, file, tuple(map(_base_name, node.bases)), methods, frozenset(attributes))


def _required_arguments(arguments: ast.arguments) -> int:
    """Return the number of arguments besides `self` that have no default."""
    keywords = sum(default is None for default in arguments.kw_defaults)
    return max(len(arguments.args) - 1 - len(arguments.defaults), 0) + keywords


def _members(found: ClassFound, by_name: dict[str, ClassFound]) -> frozenset[str]:
    """Return all methods and attributes, those of base classes too, without those of every class."""
    members = found.members.union(*(base.members for base in _ancestors(found, by_name)))
    return frozenset(name for name in members if not name.startswith("__"))


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
