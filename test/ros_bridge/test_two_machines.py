"""What reaches a simulation from another machine: two network namespaces with a cable between them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from processes import ODESIM, ReadProcess, started

from ros_bridge.base import middleware
from ros_bridge.cli.__main__ import main

ADDRESSES = "10.77.19.1", "10.77.19.2"
ROUTED = "10.77.20.1", "10.77.21.1"
GATES = "10.77.20.254", "10.77.21.254"
"""Of two networks, each with a machine, and a router between them, which lets no multicast through."""
LIMIT = 30.0
LISTENER = """
import sys, time, rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
rclpy.init()
node = rclpy.create_node("far")
heard = []
node.create_subscription(Odometry, "/odom", heard.append, 10)
drive = node.create_publisher(Twist, "/cmd_vel", 10)
twist = Twist()
twist.linear.x = 0.1
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end and not (heard and heard[-1].pose.pose.position.x > 0.05):
    drive.publish(twist)
    rclpy.spin_once(node, timeout_sec=0.1)
print("moved", bool(heard) and heard[-1].pose.pose.position.x > 0.05, "heard", len(heard) > 0)
"""
CONTROLLER = """
from controller import Robot
robot = Robot()
print("drives", robot.getName())
for _ in range(5):
    robot.step(int(robot.getBasicTimeStep()))
print("drove")
"""
FORWARD = """
import socket, sys, threading
def pump(a, b):
    while data := a.recv(65536):
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
door = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("open", flush=True)
while True:
    far, _ = door.accept()
    near = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    for pair in ((far, near), (near, far)):
        threading.Thread(target=pump, args=pair, daemon=True).start()
"""
"""What `ssh -L` does, without its encryption."""


class Machines(NamedTuple):
    """Commands before a command: it runs on the one, on the other."""

    one: tuple[str, ...]
    other: tuple[str, ...]


class Network:
    """Namespaces, each with a loopback interface; they go with this process's test at `close`."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._ends = 0

    def machine(self) -> str:
        """A namespace's name."""
        name = f"odesim-{os.getpid()}-{id(self):x}-{len(self._names)}"
        _run("ip", "netns", "add", name)
        self._names.append(name)
        _run("ip", "-n", name, "link", "set", "lo", "up")
        return name

    def cable(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        """Connect two machines, each by its name and its address there."""
        self._ends += 2
        ends = [f"od{os.getpid()}x{self._ends + i}" for i in (0, 1)]
        first, second = one[0], other[0]
        _run("ip", "link", "add", ends[0], "netns", first, "type", "veth", "peer", ends[1], "netns", second)
        for (name, address), end in zip((one, other), ends, strict=True):
            _run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", end)
            _run("ip", "-n", name, "link", "set", end, "up")
        for (name, _), end in zip((one, other), ends, strict=True):
            _wait_for_carrier(name, end)

    def close(self) -> None:
        for name in self._names:
            with suppress(OSError, subprocess.SubprocessError):
                _run("ip", "netns", "del", name)


def _run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=LIMIT).stdout


def _wait_for_carrier(name: str, interface: str) -> None:
    """Fast DDS takes the interfaces that run when a node is made, and no others later."""
    end = time.monotonic() + LIMIT
    while "state UP" not in _run("ip", "-n", name, "-o", "link", "show", interface):
        assert time.monotonic() < end, f"no carrier at {interface} of {name}"
        time.sleep(0.01)


def on(name: str) -> tuple[str, ...]:
    return ("ip", "netns", "exec", name)


@contextmanager
def network() -> Iterator[Network]:
    """Skips the test where namespaces cannot be made."""
    made = Network()
    try:
        yield made
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or error
        pytest.skip(f"network namespaces cannot be made here: {str(reason).strip()}")
    finally:
        made.close()


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    """Two with a cable between them."""
    with network() as net:
        one, other = net.machine(), net.machine()
        net.cable((one, ADDRESSES[0]), (other, ADDRESSES[1]))
        yield Machines(on(one), on(other))


@pytest.fixture(scope="module")
def far_machines() -> Iterator[Machines]:
    """Two with a router between them."""
    with network() as net:
        router, *ends = (net.machine() for _ in range(3))
        for name, address, gate in zip(ends, ROUTED, GATES, strict=True):
            net.cable((name, address), (router, gate))
            _run(*on(name), "ip", "route", "add", "default", "via", gate)
        _run(*on(router), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        yield Machines(*map(on, ends))


@pytest.fixture
def start() -> Iterator[Callable[..., ReadProcess]]:
    yield from started(ReadProcess)


def reach(patch: pytest.MonkeyPatch, discovery: str) -> None:
    """The environment of a user who has set the range and no profile."""
    for name in middleware.PROFILES:
        patch.delenv(name, raising=False)
    patch.setenv(middleware.RANGE, discovery)


@pytest.mark.parametrize(("discovery", "found"), [("SUBNET", True), ("LOCALHOST", False)])
def test_topics_reach_the_other_machine_if_the_range_is_the_subnet(
    machines: Machines, start: Any, monkeypatch: pytest.MonkeyPatch, discovery: str, found: bool
) -> None:
    reach(monkeypatch, discovery)
    sim = start(*machines.one, *ODESIM, "run", "navigation")
    sim.until_it_says("running")
    seconds = LIMIT if found else 4.0
    far = start(*machines.other, sys.executable, "-c", LISTENER, str(seconds))
    assert far.wait(2.0 * LIMIT) == 0
    assert far.says("moved") == [f"moved {found} heard {found}"], (sim.lines, far.lines)


@pytest.mark.parametrize("peer", ["", ROUTED[0]])
def test_behind_a_router_the_other_machine_is_found_if_it_is_named(
    far_machines: Machines, start: Any, monkeypatch: pytest.MonkeyPatch, peer: str
) -> None:
    reach(monkeypatch, "SUBNET")
    sim = start(*far_machines.one, *ODESIM, "run", "navigation")
    sim.until_it_says("running")
    monkeypatch.setenv("ROS_STATIC_PEERS", peer)
    far = start(*far_machines.other, sys.executable, "-c", LISTENER, str(LIMIT if peer else 4.0))
    assert far.wait(2.0 * LIMIT) == 0
    assert far.says("moved") == [f"moved {bool(peer)} heard {bool(peer)}"]


def test_the_viewer_of_one_machine_shows_the_simulation_of_the_other(
    machines: Machines, start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach(monkeypatch, "SUBNET")
    sim = start(*machines.one, *ODESIM, "run", "navigation", "--duration", "4")
    viewer = start(*machines.other, *ODESIM, "view", "--port", "0", "--exit-with-simulation")
    viewer.until_it_says("http://127.0.0.1")
    assert sim.wait() == 0
    assert viewer.wait() == 0  # it has seen the simulation, and its end


def test_a_controller_reaches_the_port_of_the_other_machine_through_a_tunnel_alone(
    machines: Machines, start: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reach(monkeypatch, "LOCALHOST")
    (tmp_path / "drive.py").write_text(CONTROLLER)
    (tmp_path / "w.wbt").write_text(
        '#VRML_SIM R2025a utf8\nWorldInfo { }\nRobot { name "bot" controller "<extern>" }\n'
    )
    sim = start(*machines.one, *ODESIM, "run", tmp_path / "w.wbt", "--controller-port", "48231")
    sim.until_it_says("running")
    drive = [*machines.other, *ODESIM, "controller", "--simulation", f"tcp://{ADDRESSES[0]}:48231"]
    refused = start(*drive, "bot", tmp_path / "drive.py")
    assert refused.wait() != 0 and refused.says("48231") and not refused.says("Traceback")
    start(*machines.one, sys.executable, "-c", FORWARD, ADDRESSES[0], "48231").until_it_says("open")
    driver = start(*drive, "bot", tmp_path / "drive.py")
    assert driver.wait() == 0
    assert driver.lines == ["drives bot", "drove"]


@pytest.mark.parametrize("place", ["tcp://somewhere", "tcp://somewhere:99999", "17:4"])
def test_what_is_no_place_of_a_simulation_is_refused_in_one_line(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drive.py").write_text(CONTROLLER)
    assert main(["controller", "--simulation", place, "bot", str(tmp_path / "drive.py")]) == 2
    assert f"--simulation: found {place}, expected tcp://HOST:PORT" in capsys.readouterr().err
