"""Read ROS 2 parameter files into flat values with their positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ros_bridge.parameters.controllers import PREFIX, in_file
from sim_core.base.errors import ConfigError
from sim_core.base.yaml_nodes import compose_file
from sim_core.scene import Scene

NODE_NAME = "odesim"
_NULL = "tag:yaml.org,2002:null"
OF_RCLPY = ("use_sim_time", "start_type_description_service", "qos_overrides")
"""First parts of the names of parameters that every rclpy node has, which are not ours."""
_PARAMETERS = "ros__parameters"


class Value(NamedTuple):
    """A parameter's value, and its position for messages."""

    path: tuple[str, ...]
    """Parts of the name: ("robots", "robot1", "sampling_period")."""
    value: Any
    where: str
    """`file:line:name`, or the option that set it."""


def read_parameter_file(path: str | Path, namespace: str = "") -> list[Value]:
    """Return the parameters of the node `odesim` in a file, in file order: a later one wins, as in ROS.

    Names of nodes may be in namespaces, nested or with slashes, and contain the wildcards `*`, for one name,
    and `**`, for any number of names. `odesim` without a namespace means this node in any namespace.
    Parameters of other nodes are ignored: one file may serve a whole launch. Those of ros2_control's
    controllers, which a `controller_manager` names, begin with `controllers`.

    Args:
        path: of the file.
        namespace: of this node, such as `/lab`; empty or `/`: none.

    Raises:
        ConfigError: the file cannot be read, or is not of the form `node: ros__parameters: name: value`.
    """
    root = compose_file(path, "a parameter file")
    if root is None:
        return []
    values: list[Value] = []
    others: dict[str, list[Value]] = {}
    for name, content in _nodes((), root, str(path)):
        found = list(_leaves((), content, str(path)))
        if _is_ours(name, f"{namespace.rstrip('/')}/{NODE_NAME}"):
            values += found
        else:
            others.setdefault(name, []).extend(found)
    return values + [
        Value((PREFIX, each.controller, *each.name.split(".")), each.value, each.where)
        for each in in_file(others)
    ]


def world_values(scene: Scene) -> list[Value]:
    """Return the settings in a world's files for robots, devices and mode, as parameters.

    Names of parameters that apply only in one layout are preceded by `layout` and that layout's name.
    """
    values = []
    for item in scene.device_settings:
        of = ("layout", item.layout) if item.layout else ()
        robot = ("robots", item.robot) if item.robot else ()
        path = (*of, *robot, *filter(None, item.device.split(".")), item.name)
        values.append(Value(path, item.value, item.where))
    info = scene.world_info
    if info.is_set("runRealTime") and not info["runRealTime"]:
        values.append(Value(("mode",), "fast", f"{info.where}: WorldInfo.runRealTime"))
    return values


def parameter_text(values: Iterable[Value]) -> str:
    """Return a parameter file with these values; of two with one name the last."""
    root: dict[str, Any] = {}
    for each in values:
        *parts, name = each.path
        holder = root
        for part in parts:
            holder = holder.setdefault(part, {})
        holder[name] = list(each.value) if isinstance(each.value, tuple) else each.value
    text: str = yaml.safe_dump({NODE_NAME: {_PARAMETERS: root}}, sort_keys=False)
    return text


def values_from_overrides(overrides: Mapping[str, Any], where: str) -> list[Value]:
    """Return parameters with dotted names, as set by `-p robots.robot1.controllers:=2`."""
    return [Value(tuple(name.split(".")), value, f"{where}:{name}") for name, value in overrides.items()]


def namespace_of(ros_args: Sequence[str]) -> str:
    """Return the namespace that ROS arguments give this node; empty: none."""
    rules = [word.partition(":=") for word in ros_args]
    return next((place for name, _, place in rules[::-1] if name in ("__ns", f"{NODE_NAME}:__ns")), "")


def _nodes(spaces: tuple[str, ...], node: yaml.Node, file: str) -> Iterator[tuple[str, yaml.Node]]:
    """Yield the names of nodes, with namespaces and without a leading slash, and their parameters."""
    name = "/".join(spaces)
    for key, content in _entries(node, file, f"{name}: {_PARAMETERS}: …" if spaces else "names of nodes"):
        is_value = isinstance(content, yaml.ScalarNode) and content.tag != _NULL
        if key == _PARAMETERS and spaces:
            yield name, content
        elif key == _PARAMETERS or (spaces and is_value):
            place = f"{file}:{node.start_mark.line + 1}"
            expected = _PARAMETERS if spaces else f"the name of a node: {_PARAMETERS}: …"
            raise ConfigError(f'{place}: found "{key}" in "{name}", expected {expected}')
        else:
            yield from _nodes((*spaces, key.strip("/")), content, file)


def _is_ours(name: str, own: str) -> bool:
    """Return whether a name with wildcards matches this node, as in rcl (rcl_yaml_param_parser)."""
    if name == NODE_NAME:
        return True
    pattern = re.escape(f"/{name}").replace(r"/\*\*", r"(/\w+)*").replace(r"/\*", r"/\w+")
    return re.fullmatch(pattern, own) is not None


def _leaves(path: tuple[str, ...], node: yaml.Node, file: str) -> Iterator[Value]:
    if isinstance(node, yaml.MappingNode) or not path:
        for key, content in _entries(node, file, "names of parameters"):
            parts = tuple(key.split(".")) if not path else (key,)  # `robots.robot1.controllers: 2` is legal
            yield from _leaves(path + parts, content, file)
        return
    where = f"{file}:{node.start_mark.line + 1}:{'.'.join(path)}"
    try:
        value = yaml.SafeLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, TypeError) as error:  # for example an invalid date
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{where}: found {str(node.value)[:100]!r}, expected a value: {problem}") from None
    yield Value(path, value, where)


def _entries(node: yaml.Node, file: str, expected: str) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.ScalarNode) and node.tag == _NULL:
        return
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{file}:{node.start_mark.line + 1}: found no table, expected {expected}")
    seen: set[str] = set()
    for key, content in node.value:
        name = str(key.value)
        if name in seen:
            raise ConfigError(
                f'{file}:{key.start_mark.line + 1}: found "{name}" a second time, expected it once'
            )
        seen.add(name)
        yield name, content
