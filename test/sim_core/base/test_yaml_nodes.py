"""YAML from users: documents that stand for too much are refused before values are created, with the
place."""

from __future__ import annotations

import ast
from itertools import chain
from pathlib import Path

import pytest

from sim_core.base.errors import ConfigError
from sim_core.base.limits import VARIABLE
from sim_core.base.yaml_nodes import DEEPEST, LONGEST_NUMBER, read_yaml, read_yaml_file

ROOT = Path(__file__).resolve().parents[3]
DOUBLED = "\n".join(["x0: &x0 [1]", *(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]" for n in range(1, 60))])
"""Line n stands for 3 · 2ⁿ⁻¹ - 1 values: the 17th exceeds 200,000 in all."""
REFUSED = {
    "doubling": (DOUBLED, r"f:17:\d+: found too many values, expected at most 200000 .*yaml_values"),
    "a list in itself": ("a: &a [1, *a]", r"f:1:11: found \*a within what it names"),
    "a table in itself": ("a: &a\n  b: *a", r"f:2:6: found \*a within what it names"),
    "merged with itself": ("a: &a {<<: *a}", r"f:1:12: found \*a within what it names"),
    "an anchor of nothing": ("a: *b", "f:1:4: found undefined alias 'b'"),
    "lists in lists": ("[" * 900, rf"f:1:{DEEPEST + 1}: found one more level, expected at most {DEEPEST}"),
    "very many lists in lists": ("[" * 20_000, "f:1:.*(found one more level|exceeded maximum nesting depth)"),
    "tables in tables": ("{a: " * 20_000, rf"expected at most {DEEPEST} within"),
    "lists below lists": ("- " * 20_000, rf"expected at most {DEEPEST} within"),
    "a number of base 60": ("a: 1" + ":1" * 9000, f"f:1:4: found a number of 18001 .* {LONGEST_NUMBER}"),
    "an object": ("a: !!python/object/apply:os.system [ls]", "f:1:4: could not determine a constructor"),
    "two documents": ("a: 1\n---\nb: 2", "f:2:1: found another document"),
    "a date that is none": ("a: 2001-99-99", "f: .*month must be in"),
    "a tab": ("a:\n\t- b", "f:2:1: found character that cannot start any token"),
    "a control character": ("a: \x01", "f: .*control characters are not allowed"),
    "half a character": ("a: \ud800", "f: .*surrogates not allowed"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_in_one_line(what: str) -> None:
    text, said = REFUSED[what]
    with pytest.raises(ConfigError, match=said) as error:
        read_yaml(text, "f")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: &a [1, 2]\nb: [*a, *a]", {"a": [1, 2], "b": [[1, 2], [1, 2]]}),
        ("a: &a {x: 1}\nb: {<<: *a, y: 2}", {"a": {"x": 1}, "b": {"x": 1, "y": 2}}),
        ("[" * DEEPEST + "]" * DEEPEST, None),
        ("9" * LONGEST_NUMBER, int("9" * LONGEST_NUMBER)),
    ],
)
def test_documents_within_the_limits_are_read(text: str, value: object) -> None:
    found = read_yaml(text, "f")
    assert found == value or (value is None and isinstance(found, list))


def test_the_size_of_a_file_is_checked_before_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1  # text", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, "yaml_bytes=12")
    assert read_yaml_file(file, "YAML") == {"a": 1}
    monkeypatch.setenv(VARIABLE, "yaml_bytes=11")
    with pytest.raises(ConfigError, match="found 12 bytes, expected at most 11"):
        read_yaml_file(file, "YAML")
    for name, said in (("none", "No such file"), ("a\0b", "embedded null")):
        with pytest.raises(ConfigError, match=said):
            read_yaml_file(tmp_path / name, "YAML")


def test_all_modules_use_this_reader() -> None:
    """Except the schema, which comes with odesim and is read ten times as often."""
    allowed = {"sim_core/base/yaml_nodes.py", "sim_core/scene/node_types.py"}
    found = set()
    sources = [(ROOT / folder).rglob("*.py") for folder in ("sim_core", "ros_bridge", "launch")]
    for path in chain(*sources):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in ("yaml.load", "yaml.safe_load", "yaml.load_all", "yaml.safe_load_all", "yaml.compose"):
                found.add(str(path.relative_to(ROOT)))
    assert found <= allowed
