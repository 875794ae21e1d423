from pathlib import Path

import pytest

from ros_bridge.parameters.parameter_file import read_parameter_file, values_from_overrides
from sim_core.base.errors import ConfigError


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "p.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_values_know_their_place(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "odesim:\n  ros__parameters:\n    speed: 2.0\n"
        "    robots:\n      r 1:\n        d.x:\n          topic: t\n",
    )
    values = read_parameter_file(file)
    assert [(value.path, value.value) for value in values] == [
        (("speed",), 2.0),
        (("robots", "r 1", "d.x", "topic"), "t"),
    ]
    assert values[1].where == f"{file}:7:robots.r 1.d.x.topic"


@pytest.mark.parametrize("node", ["odesim", "/odesim", "/**"])
def test_our_nodes_are_read_and_others_passed_over(tmp_path: Path, node: str) -> None:
    text = f"{node}:\n  ros__parameters: {{speed: 2.0}}\nother:\n  ros__parameters: {{gain: 1}}\n"
    assert [value.path for value in read_parameter_file(write(tmp_path, text))] == [("speed",)]


def test_dotted_names_are_the_same_as_nested_ones(tmp_path: Path) -> None:
    nested = write(tmp_path, "odesim: {ros__parameters: {robots: {r: {controllers: 2}}}}")
    first = read_parameter_file(nested)[0]
    dotted = write(tmp_path, "odesim: {ros__parameters: {robots.r.controllers: 2}}")
    assert read_parameter_file(dotted)[0].path == first.path
    assert values_from_overrides({"robots.r.controllers": 2}, "-p")[0].path == first.path


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert read_parameter_file(write(tmp_path, "# nothing\n")) == []


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("odesim:\n  speed: 2\n", 2, 'found "speed" in "odesim", expected ros__parameters'),
        ("odesim:\n  ros__parameters:\n    speed: [1\n", 4, ""),
        ("- 1\n", 1, "found no table"),
        ("odesim:\n  ros__parameters:\n    speed: 1.0\n    speed: 2.0\n", 4, "a second time"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        read_parameter_file(file)
    assert str(caught.value).startswith(f"{file}:{line}:")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_binary_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read: No such file"):
        read_parameter_file(tmp_path / "none.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(ConfigError, match=r"b\.yaml"):
        read_parameter_file(tmp_path / "b.yaml")
