import re
from pathlib import Path

import pytest

from ros_bridge.parameters.parameter_file import namespace_of, read_parameter_file, values_from_overrides
from sim_core.base.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]


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


NAMES = {
    # As rcl's rcl_yaml_param_parser: what a file says of a node in the namespaces "", "/robot1", "/a/robot1".
    "robot1:\n  odesim:": (None, 2.0, None),
    "/robot1/odesim:": (None, 2.0, None),
    "/robot1:\n  odesim:": (None, 2.0, None),
    "a:\n  robot1:\n    odesim:": (None, None, 2.0),
    "/**:": (2.0, 2.0, 2.0),
    "'**':": (2.0, 2.0, 2.0),
    "/*:": (2.0, None, None),
    "/*/odesim:": (None, 2.0, None),
    "/**/odesim:": (2.0, 2.0, 2.0),
    "/**:\n  odesim:": (2.0, 2.0, 2.0),
    "robot1:\n  '**':": (None, 2.0, None),
    "robot1:\n  '*':": (None, 2.0, None),
    "other:\n  '**':": (None, None, None),
    "robot1:\n  ros__parameters: {speed: 9.0}\n  odesim:": (None, 2.0, None),
    "/robot1/odesim:\n  ros__parameters: {speed: 9.0}\n/**:": (2.0, 2.0, 2.0),  # the last one wins
    "/**:\n  ros__parameters: {speed: 9.0}\nrobot1:\n  odesim:": (9.0, 2.0, 9.0),
    "/**/odesim:\n  ros__parameters: {speed: 9.0}\n/*/odesim:": (9.0, 2.0, 9.0),
    "odesim:": (2.0, 2.0, 2.0),  # our own: without a namespace it is this node wherever it is
}


@pytest.mark.parametrize(("head", "expected"), NAMES.items())
def test_nodes_in_namespaces_are_read_as_ros_reads_them(
    tmp_path: Path, head: str, expected: tuple[float | None, ...]
) -> None:
    file = write(tmp_path, f"{head}\n{' ' * 8}ros__parameters: {{speed: 2.0}}\n")
    for namespace, speed in zip(("/", "/robot1", "/a/robot1"), expected, strict=True):
        values = read_parameter_file(file, namespace)
        found = {value.path: value.value for value in values}  # a later one wins
        assert found == ({} if speed is None else {("speed",): speed}), namespace


@pytest.mark.parametrize("head", [head for head in NAMES if head != "odesim:"])
def test_the_table_is_that_of_ros(tmp_path: Path, head: str) -> None:
    import rclpy
    from rclpy._rclpy_pybind11 import RCLError
    from rclpy.node import Node

    file = write(tmp_path, f"{head}\n{' ' * 8}ros__parameters: {{speed: 2.0}}\n")
    context = rclpy.Context()
    try:
        rclpy.init(context=context, args=["--ros-args", "--params-file", str(file)])
    except RCLError as error:
        if "creating param namespace" in str(error):  # a node's name that is a namespace too
            pytest.skip("rcl before Kilted does not read this file")
        raise
    try:
        for namespace, speed in zip(("", "/robot1", "/a/robot1"), NAMES[head], strict=True):
            node = Node(
                "odesim",
                namespace=namespace,
                context=context,
                start_parameter_services=False,
                automatically_declare_parameters_from_overrides=True,
            )
            found = node.get_parameter("speed").value if node.has_parameter("speed") else None
            node.destroy_node()
            assert found == speed, namespace
    finally:
        rclpy.shutdown(context=context)


FILES = sorted(each for each in (ROOT / "config").rglob("*.yaml") if each.name != "map.yaml")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_ros_reads_the_files_that_are_shipped(file: Path) -> None:
    """Also where libyaml is 0.1.7, which knows no `::` between braces."""
    import rclpy

    context = rclpy.Context()
    rclpy.init(context=context, args=["--ros-args", "--params-file", str(file)])
    rclpy.shutdown(context=context)
    assert not re.search(r"[{,][^}\n]*::", file.read_text(encoding="utf-8"))


def test_the_namespace_of_a_run_is_known_before_there_is_a_node() -> None:
    assert namespace_of(["-r", "__ns:=/lab", "-p", "speed:=2"]) == "/lab"
    assert namespace_of(["-p", "speed:=2"]) == ""


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
        ("a:\n  odesim:\n    speed: 2\n", 3, 'found "speed" in "a/odesim", expected ros__parameters'),
        ("ros__parameters:\n  speed: 2\n", 1, "expected the name of a node"),
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
