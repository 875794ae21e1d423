"""Several programs drive one robot of an X3D world, which waits for as many as are announced."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from webots_api.controller.connection import PROTOCOL
from webots_api.controller.wire import Incoming, pack, receive

WHEEL = """<Motor objectName="{0}" translation="{1} 0 0" rotation="1 0 0 0"><Solid mu="5">
<Cylinder radius="0.2" height="0.02"/></Solid></Motor>"""
WORLD = f"""<X3D><Scene><World><Robot objectName="r" translation="0 0.3 0">
<Solid><Box size="1 0.2 1"/></Solid>{WHEEL.format("left", 0.6)}{WHEEL.format("right", -0.6)}
<GPS objectName="gps"/></Robot></World></Scene></X3D>"""
SETTINGS = "odesim: { ros__parameters: { robots: { r: { controllers: 2 } } } }"


class Program:
    """A connection of a program that drives one motor."""

    def __init__(self, path: Path, motor: str) -> None:
        self.peer = socket.socket(socket.AF_UNIX)
        self.peer.connect(str(path))
        self._incoming = Incoming()
        self.send({"do": "hello", "robot": "r", "protocol": PROTOCOL})
        self.hello = self.receive()
        names = [each["name"] for each in self.hello["devices"]]
        self.motor, self.gps = names.index(motor), names.index("gps")

    def send(self, message: dict[str, Any]) -> None:
        self.peer.sendall(pack(message))

    def receive(self) -> Any:
        return receive(self.peer, self._incoming)

    def step(self, *commands: list[Any]) -> None:
        self.send({"do": "step", "ms": 50, "commands": list(commands)})


def test_several_programs_drive_one_robot(tmp_path: Path, simulate: Callable[..., Any], client: Any) -> None:
    """It stands at time 0 until both that are announced are there; a third may come, and go."""
    world = tmp_path / "worlds" / "mine.x3d"
    for file, text in ((world, WORLD), (tmp_path / "config" / "mine.yaml", SETTINGS)):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    sim = simulate(world, mode="fast", duration=0.25, wait_extern=True)
    folder = Path("/tmp")
    client.until(lambda: list(folder.glob(f"odesim-*/{sim.process.pid}/controllers")), "the socket")
    path = next(folder.glob(f"odesim-*/{sim.process.pid}/controllers"))
    first = Program(path, "left")
    first.step([first.motor, "set_velocity", 3.0], [first.motor, "position", 5], [first.gps, "enable", 5])
    first.peer.settimeout(0.3)
    with pytest.raises(TimeoutError):
        first.receive()
    first.peer.settimeout(None)
    second = Program(path, "right")
    assert second.hello["time"] == 0.0
    second.step([second.motor, "set_velocity", 1.0], [second.motor, "position", 5])
    for program, speed in ((first, 3.0), (second, 1.0)):
        answer = program.receive()
        assert answer["time"] == 0.05
        assert answer["positions"] == [[program.motor, pytest.approx(0.05 * speed, rel=0.2)]]
    third = Program(path, "left")
    assert third.hello["time"] == 0.05
    with contextlib.closing(third.peer):
        third.step([third.gps, "enable", 5])
        for program in (first, second):
            program.step()
        assert [program.receive()["time"] for program in (first, second, third)] == [0.1] * 3
    for program in (first, second):
        program.step()
    answers = [program.receive() for program in (first, second)]
    assert [answer["time"] for answer in answers] == [0.15] * 2
    assert [number for number, _ in answers[0]["readings"]] == [first.gps]
    for program in (first, second):
        program.step()
    assert [program.receive()["time"] for program in (first, second)] == [0.2] * 2
    first.peer.close()
    second.peer.close()
    client.until(lambda: sim.says("no answer from r"), "that it is waited for again")
