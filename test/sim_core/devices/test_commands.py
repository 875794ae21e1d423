"""Declarations of the commands of devices."""

import inspect
from typing import Any

import pytest

from sim_core.devices import DEVICES, Device, class_in
from sim_core.devices.commands import Bytes, CommandSpec, Integer, Number, Vector, command
from sim_core.devices.drawing.canvas import Canvas
from sim_core.devices.drawing.display import Display

KINDS = [class_in(module) for module in dict.fromkeys(DEVICES.values())]
SPECS: list[tuple[Any, CommandSpec]] = [
    (kind, spec) for kind in (*KINDS, Canvas) for spec in kind.commands.values() if hasattr(kind, spec.name)
]


class Post(Device):
    @command(data=Bytes(), times=Integer(optional=True))
    def send(self, data: bytes, times: int = 1) -> None:
        """Nothing to do."""


class FastPost(Post):
    @command(speed=Number("m/s"), path=Vector("m"), most=Number("m/s", optional=True))
    def carry(self, speed: float, path: list[float], most: float = 1.0) -> None:
        """Nothing to do."""


@pytest.mark.parametrize(
    ("kind", "spec"), SPECS, ids=[f"{kind.__name__}.{spec.name}" for kind, spec in SPECS]
)
def test_the_declaration_names_what_the_method_takes(kind: Any, spec: CommandSpec) -> None:
    _, *parameters = inspect.signature(spec.carry_out).parameters.values()
    assert [each.name for each in parameters] == list(spec.arguments)
    optional = [each.default is not each.empty for each in parameters]
    assert optional == [each.optional for each in spec.arguments.values()]
    method = getattr(kind, spec.name)
    assert getattr(method, "__wrapped__", method) is spec.carry_out  # not overridden without a declaration


def test_what_starts_with_set_is_declared() -> None:
    for kind in KINDS:
        setters = {name for name in dir(kind) if name.startswith("set_")} - {"set_power"}
        assert setters <= kind.commands.keys(), kind


def test_a_device_takes_the_commands_of_its_part() -> None:
    assert {name for name in Display.commands if not hasattr(Display, name)} == set(Canvas.commands)


def test_a_class_has_its_own_commands_and_those_of_its_base() -> None:
    assert list(Post.commands) == ["send"]
    assert list(FastPost.commands) == ["send", "carry"]
    assert not Device.commands
    assert FastPost.commands["carry"].disturbed == ["speed", "path"]


def test_arguments_are_found_by_place_and_by_name() -> None:
    send = Post.commands["send"]
    assert send.bind((b"a",), {}) == {"data": b"a"}
    assert send.bind((), {"times": 2, "data": b"a"}) == {"data": b"a", "times": 2}
    for values, named in (((), {}), ((b"a", 1, 2), {}), ((b"a",), {"data": b"b"}), ((b"a",), {"time": 1})):
        with pytest.raises(TypeError, match=r"send: found .*, expected data, \[times\]"):
            send.bind(values, named)
