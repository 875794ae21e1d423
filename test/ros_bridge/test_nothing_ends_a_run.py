"""Whatever comes in on any surface is refused in one line, and the world goes on unchanged."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import Twist, WrenchStamped
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Float64, String
from std_srvs.srv import Trigger

from ros_bridge.controller_api.server import running_servers
from webots_api.controller.connection import PROTOCOL
from webots_api.controller.wire import Incoming, pack, receive

DEEP = "[" * 5000
LONG = "n" * 300
HALF = "\ud800"
"""Half of a surrogate pair, which no UTF-8 can hold."""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0 }
DEF BALL Solid { translation 0 0 5 boundingObject Sphere { radius 0.1 } model "calm"
  physics Physics { density -1 mass 2 } }
Robot { name "boss" supervisor TRUE synchronization FALSE customData "calm" children [
  Display { name "screen" width 4 height 4 } Emitter { name "emitter" } Receiver { name "receiver" }
  HingeJoint { jointParameters HingeJointParameters { position 0 }
    device RotationalMotor { name "motor" } endPoint Solid { name "arm" } } ] }
"""

TEXTS = [
    f'Robot {{ name "{LONG}" children GPS {{ name "gps" }} }}',
    f'Robot {{ name "r" children GPS {{ name "{LONG}" }} }}',
    f"# file {'f' * 300}.wbo\nx",
    "# file /dev/zero\nx",
    "# file /dev/null\nx",
    "# file \0\nx",
    f"# into BALL.children[{'9' * 5000}]\nSolid {{ }}",
    f"# into {'A' * 5000}.children\nSolid {{ }}",
    'EXTERNPROTO "https://[::1" Thing { }',
    'EXTERNPROTO "~nouser/x.proto" x { }',
    f'EXTERNPROTO "{"p" * 300}.proto" {"p" * 300} {{ }}',
    'EXTERNPROTO "\0.proto" Thing { }',
    'WorldInfo { physics "wind" }',
    "Solid { translation 1e999 0 0 }",
    "Solid { translation nan 0 0 }",
    "Solid { children " + "Group { children " * 3000 + "}" * 3000 + " }",
    DEEP,
    "{" * 5000,
    "",
    "\0",
    "#VRML_SIM",
    '"',
    "USE NOBODY",
]
"""What cannot be imported."""
LABELS = [
    "2001-99-99",
    "{number: 2001-99-99}",
    f"{{text: '{LONG}', x: .nan}}",
    '{text: "\\ud800"}',
    '{text: a, font: "\\udfff"}',
    "{number: .inf, text: a}",
    "{number: 1e400, text: a}",
    "{number: 0, text: a, colour: 7}",
    "{number: 0, text: a, colour: [[1], 2, 3]}",
    "{[1]: 2}",
    "{1: 2}",
    "!!python/object:os.system {}",
    "0x" + "f" * 5000,
    DEEP,
    "[" * 900,
    "",
    "\0",
    "&a [*a]",
]
WORLDS = ["/dev/zero", "/dev/null", "/dev/tty", "/", LONG, f"/tmp/{LONG}.wbt", "\0", "", "~nouser/x.wbt"]
BAD_WORLDS = [
    f'Robot {{ name "{LONG}" children GPS {{ name "gps" }} }}',
    'Solid { name "without end',
    "Solid { translation 0 0 1 } }",
]
NODES = ["", "NOBODY", "#" + "9" * 5000, LONG, "BALL." * 3000, "root[" + "9" * 5000 + "]", "\0", "root[-1]"]


def value(kind: int, **fields: Any) -> ParameterValue:
    return ParameterValue(type=kind, **fields)


def numbers(*each: float) -> ParameterValue:
    return value(8, double_array_value=list(each))


def text(words: str) -> ParameterValue:
    return value(4, string_value=words)


BYTES = value(5, byte_array_value=[b"\x00"] * 7)
PARAMETERS: list[tuple[str, ParameterValue]] = [
    ("BALL.pose", BYTES),
    ("BALL.pose", numbers(0, 0, 0, 1e308, 1e308, 1e308, 1e308)),
    ("BALL.pose", numbers(0, 0, 0, 0, 0, 0, 0)),
    ("BALL.pose", numbers(float("nan"), 0, 0, 0, 0, 0, 1)),
    ("BALL.pose", text("1 2 3")),
    ("BALL.translation", BYTES),
    ("BALL.translation", numbers(float("inf"), 0, 0)),
    ("BALL.translation", text(DEEP)),
    ("BALL.translation", value(3, double_value=1.0)),
    ("BALL.translation", value(9, string_array_value=["1", "2", "3"])),
    ("BALL.rotation", numbers(0, 0, 1, float("inf"))),
    ("BALL.rotation", text("0 0 1 1e999")),
    ("BALL.name", value(2, integer_value=1)),
    ("BALL.locked", BYTES),
    ("BALL.nothing", numbers(1)),
    ("BALL.children", text("Solid { }")),
    ("BALL.vrml", text("Solid { }")),
    ("BALL." + LONG, text("x")),
    (LONG + ".name", text("x")),
    ("BALL.translation", value(99)),
    ("BALL.translation", value(0)),
    ("mode", text(LONG)),
    ("speed", value(3, double_value=float("nan"))),
    ("seed", value(2, integer_value=-(2**63))),
    ("shot_file", text("\0.png")),
    ("world", text("/dev/zero")),
]
HEARD = ["BALL.nothing", "#" + "9" * 5000 + ".pose", "." * 5000, LONG + ".vrml", "root.pose", "\0.\0"]

BOTH = {"do": "call", "commands": []}
SOCKET: list[Any] = [
    {},
    {"do": HALF},
    {"do": "hello"},
    {"do": "step"},
    {"do": "step", "ms": float("inf"), "commands": []},
    {"do": "step", "ms": 0, "commands": [[10**30, "x"]]},
    {"do": "step", "ms": 0, "commands": [[0, HALF, {}]]},
    {"do": "step", "ms": 0, "commands": [[0, [], {}]]},
    {"do": "step", "ms": 0, "commands": [[-1, "custom", HALF]]},
    {"do": "step", "ms": 0, "commands": [[-1, "battery", float("nan")], [-1, "motion", 9, "play"]]},
    {"do": "step", "ms": 0, "commands": [[0, "set_color", HALF], [1, "send", "x"], [2, "enable", 1e400]]},
    *({"do": "step", "ms": 0, "commands": [[tag, "nonsense", 1]]} for tag in range(-2, 7)),
    BOTH,
    {**BOTH, "name": [], "with": []},
    {**BOTH, "name": "nobody", "with": []},
    {**BOTH, "name": "carry_out", "with": {}},
    {**BOTH, "name": "node_from_def", "with": [[]]},
    {**BOTH, "name": "node_from_id", "with": [1e400]},
    {**BOTH, "name": "has_file", "with": [LONG]},
    {**BOTH, "name": "has_file", "with": [HALF]},
    {**BOTH, "name": "motion_open", "with": ["/dev/zero"]},
    {**BOTH, "name": "save_picture", "with": [0, "image", "\0.png", 10**9]},
    {**BOTH, "name": "world_load", "with": ["/dev/zero"]},
    {**BOTH, "name": "world_load", "with": [HALF]},
    {**BOTH, "name": "set_mode", "with": [10**30]},
    {**BOTH, "name": "label", "with": [0, HALF, 0, 0, 0.1, 0, 0, "Arial"]},
    {**BOTH, "name": "export_image", "with": [HALF, 1]},
    {**BOTH, "name": "movie_start", "with": ["\0.mp4", [10**9, 10**9], 1, 1.0]},
]


class Driven:
    """A paused simulation of WORLD."""

    def __init__(self, simulation: Any, client: Any) -> None:
        self.process, self.client = simulation, client
        client.call("step")
        self._clients: dict[str, Any] = {}
        self.text = self.now()

    def ask(self, name: str, request: Any = None, kind: Any = Trigger) -> Any:
        """The answer of a service, by a client that is kept."""
        made = self._clients.get(name)
        if made is None:
            made = self._clients[name] = self.client.node.create_client(kind, f"/odesim/{name}")
            self.client.until(made.service_is_ready, f"the service {name}")
            self.client.call(name, request, kind)  # from here on both know each other
        future = made.call_async(request or kind.Request())
        self.client.until(future.done, f"the answer of {name} to {request!r:.200}")
        return future.result()

    def now(self) -> str:
        """The world as it is."""
        return str(self.ask("world_text").message)

    def goes_on(self, what: object) -> None:
        """The simulation makes a step, and the world is as it was."""
        assert self.process.process.poll() is None, f"{what!r:.200}: {self.process.lines[-10:]}"
        before = self.step()
        self.client.until(lambda: self.step() > before, f"a step after {what!r:.200}")
        assert self.now() == self.text, f"{what!r:.200}"

    def step(self) -> float:
        found = re.search(r"from (\S+) s", self.ask("step").message)
        assert found is not None
        return float(found[1])

    def refusals(self) -> int:
        return len(self.process.says("refused"))

    def refuses(self, publisher: Any, message: Any) -> None:
        """A message is refused in one line."""
        before = self.refusals()
        publisher.publish(message)
        self.client.until(lambda: self.refusals() > before, f"a refusal of {message!r:.200}")
        self.goes_on(message)


@pytest.fixture
def driven(tmp_path: Path, simulate: Callable[..., Any], client: Any) -> Iterator[Driven]:
    world = tmp_path / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    simulation = simulate(world, mode="paused")
    made = Driven(simulation, client)
    yield made
    assert not simulation.says("Traceback"), simulation.says("Traceback")
    client.call("quit")
    assert simulation.wait() == 0


def send_texts(driven: Driven, folder: Path) -> None:
    bad = [folder / f"bad{number}.wbt" for number in range(3)]
    for file, words in zip(bad, BAD_WORLDS, strict=True):
        file.write_text(f"#VRML_SIM R2025a utf8\n{words}", encoding="utf-8")
    for name, messages in (
        ("import_node", TEXTS),
        ("label", LABELS),
        ("load_world", [*WORLDS, *map(str, bad)]),
        ("remove_node", NODES),
    ):
        publisher = driven.client.speak(String, f"/odesim/{name}")
        for each in messages:
            driven.refuses(publisher, String(data=each))


def set_parameters(driven: Driven) -> None:
    for name, given in PARAMETERS:
        request = SetParameters.Request(parameters=[Parameter(name=name, value=given)])
        results = driven.ask("set_parameters", request, SetParameters).results
        assert not any(each.successful for each in results), name
        driven.goes_on((name, given))
    for name in HEARD:
        driven.ask("get_parameters", GetParameters.Request(names=[name]), GetParameters)
        driven.goes_on(name)


def send_commands(driven: Driven) -> None:
    nan, endless = float("nan"), float("inf")
    twist = Twist()
    twist.linear.x = nan
    wrench = WrenchStamped()
    wrench.header.frame_id, wrench.wrench.force.x = "BALL", nan
    for topic, message in (
        ("/boss/motor/position", Float64(data=nan)),
        ("/boss/motor/velocity", Float64(data=endless)),
        ("/boss/motor/effort", Float64(data=-endless)),
        ("/boss/joint_command", JointState(name=["motor", "motor"], position=[nan])),
        ("/boss/screen/image", Image(width=2**32 - 1, height=2**32 - 1, encoding=LONG, step=1)),
        ("/odesim/wrench", wrench),
    ):
        driven.refuses(driven.client.speak(type(message), topic), message)


def talk_as_controllers(driven: Driven) -> None:
    pid = str(driven.process.process.pid)
    place = next(path for path in running_servers() if path.parent.name == pid)

    def connect() -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.settimeout(20.0)
        made.connect(str(place))
        return made

    with connect() as boss:
        incoming = Incoming()
        boss.sendall(pack({"do": "hello", "robot": "boss", "protocol": PROTOCOL}))
        assert "devices" in receive(boss, incoming)
        for message in SOCKET:
            boss.sendall(pack(message))
            assert receive(boss, incoming) is not None, message
            driven.goes_on(message)
    short = (b"\0\0\0\x04\0\0\0\0{{{{", b"\0\0\0\x02\0\0\0\0\xff\xff")
    for raw in (b"", b"\0" * 8, b"\xff" * 64, *short, pack(7), pack([])):
        with connect() as other:
            other.sendall(raw)
            other.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                other.recv(1)  # until the simulation has given it up
        driven.goes_on(raw)


def test_nothing_that_comes_in_ends_a_run_or_changes_its_world(driven: Driven, tmp_path: Path) -> None:
    send_texts(driven, tmp_path)
    send_commands(driven)
    set_parameters(driven)
    talk_as_controllers(driven)
