"""Python plugins of webots_ros2's driver: a class drives a robot, and errors are reported in one line."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from std_srvs.srv import Trigger

from ros_bridge.processes.plugin_host import folders_above, host_command, main
from ros_bridge.topics.names import SimulationAddress
from sim_core.scene.scene import DriverPlugin

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" supervisor TRUE controller "<extern>" }
Viewpoint { position -3 0 1 }
"""
URDF = '<robot name="any"><webots><plugin type="{}"><height>2.5</height></plugin></webots></robot>'
MOVER = """
class Mover:
    def init(self, webots_node, properties):
        self.robot, self.height, self.steps = webots_node.robot, float(properties["height"]), 0
        print("init at", self.robot.getTime(), type(self.robot).__name__)

    def step(self):
        self.steps += 1
        field = self.robot.getSelf().getField("translation")
        field.setSFVec3f([self.steps, 0.0, self.height])
        print("step", self.steps, "at", round(self.robot.getTime(), 3), field.getSFVec3f())

    def stop(self):
        print("over after", self.steps)
"""
ASKED = """
import rclpy
from std_srvs.srv import Trigger

class Asked:
    def init(self, webots_node, properties):
        print("begins")
        rclpy.init()
        self.node = rclpy.create_node("asked")
        self.robot = webots_node.robot
        self.node.create_service(Trigger, "where", self.answer)

    def answer(self, _, response):
        response.success, response.message = True, f"{self.robot.getName()} at {self.robot.getTime() > 0}"
        return response

    def step(self):
        rclpy.spin_once(self.node, timeout_sec=0)
"""


@pytest.fixture
def package(tmp_path: Path) -> Callable[..., Path]:
    """Return a ROS package as in a workspace: its URDF file, with a plugin of a class in this source."""

    def make(source: str, type_name: str) -> Path:
        (tmp_path / "package.xml").write_text("<package/>")
        for name, text in (("__init__.py", ""), ("drivers.py", source)):
            (tmp_path / "made_here").mkdir(exist_ok=True)
            (tmp_path / "made_here" / name).write_text(text)
        urdf = tmp_path / "resource" / "r.urdf"
        urdf.parent.mkdir(exist_ok=True)
        urdf.write_text(URDF.format(type_name))
        (tmp_path / "worlds").mkdir(exist_ok=True)
        (tmp_path / "worlds" / "w.wbt").write_text(WORLD)
        return urdf

    return make


@pytest.fixture
def run(tmp_path: Path, package: Callable[..., Path], simulate: Callable[..., Any]) -> Callable[..., Any]:
    """Run the world with such a plugin; return the process."""

    def start(source: str, type_name: str, **options: Any) -> Any:
        urdf = package(source, type_name)
        return simulate(tmp_path / "worlds" / "w.wbt", mode="fast", urdf=[str(urdf)], **options)

    return start


def test_a_plugin_is_called_once_at_the_start_and_after_each_step(run: Callable[..., Any]) -> None:
    """It is in lock-step from the start, although the robot is <extern>."""
    sim = run(MOVER, "made_here.drivers.Mover", duration=0.024)
    assert sim.wait() == 0, sim.lines
    lines = [line.split(" r: ", 1)[1] for line in sim.says(" r: ")]
    assert lines[:3] == [
        "init at 0.0 Supervisor",
        "step 1 at 0.008 [1.0, 0.0, 2.5]",
        "step 2 at 0.016 [2.0, 0.0, 2.5]",
    ]
    assert lines[-2] == "over after 3" or lines[-1] == "over after 3"


def test_devices_that_are_always_on_are_on_before_a_plugin_begins(
    tmp_path: Path, simulate: Callable[..., Any], package: Callable[..., Path]
) -> None:
    """Devices are enabled as by the driver of webots_ros2; without `alwaysOn` the plugin enables them."""
    source = """
class Reader:
    def init(self, webots_node, properties):
        self.on, self.off = (webots_node.robot.getDevice(name) for name in ("on", "off"))

    def step(self):
        print("read", self.on.getSamplingPeriod(), self.off.getSamplingPeriod(), self.on.getValues()[0])
"""
    urdf = package(source, "made_here.drivers.Reader")
    tag = '<device reference="on" type="GPS"><ros><alwaysOn>true</alwaysOn><updateRate>50</updateRate></ros>'
    urdf.write_text(urdf.read_text().replace("<webots>", f"<webots>{tag}</device>"))
    gps = 'GPS { name "on" translation 3 0 0 } GPS { name "off" }'
    text = WORLD.replace("supervisor TRUE", f"children [ {gps} ]")
    (tmp_path / "worlds" / "w.wbt").write_text(text)
    sim = simulate(tmp_path / "worlds" / "w.wbt", mode="fast", urdf=[str(urdf)], duration=0.032)
    assert sim.wait() == 0, sim.lines
    lines = [line.split(" r: ", 1)[1] for line in sim.says(" r: read")]
    assert lines[:3] == ["read 24 0 nan", "read 24 0 nan", "read 24 0 3.0"]


def test_a_plugin_has_nodes_of_its_own(run: Callable[..., Any], client: Any) -> None:
    """Its node is outside the robot's namespace, as in webots_ros2."""
    sim = run(ASKED, "made_here.drivers.Asked")
    service = client.node.create_client(Trigger, "/where")
    client.until(service.service_is_ready, "the plugin's service")
    future = service.call_async(Trigger.Request())
    client.until(future.done, "its answer")
    assert future.result().message == "r at True"
    client.call("reset")
    client.until(lambda: len(sim.says("r: begins")) == 2, "the plugin to begin anew")
    client.call("quit")
    assert sim.wait() == 0


WRONG = {
    "made_here.drivers.Nobody": (
        "class Somebody: pass",
        'no class "Nobody" in .*drivers.py, expected one of',
    ),
    "made_here.nowhere.Any": ("", 'no module "made_here.nowhere", expected one on PYTHONPATH'),
    "made_elsewhere.drivers.Any": ("", 'no module "made_elsewhere", expected one on PYTHONPATH .* or in .*'),
    "made_here.drivers.Lacks": ("import not_there_at_all", "import raised .*not_there_at_all.*drivers.py:1"),
    "made_here.drivers.Half": ("class Half:\n    def init(self, a, b): pass", r"no method step\(\)"),
    "made_here.drivers.Bad": ("class Bad:\n  x = (", r"import raised .*drivers.py:2"),
    "made_here.drivers.Args": (
        "class Args:\n  def __init__(self, x): pass\n  def init(self, a, b): pass\n  def step(self): pass",
        r"Args\(\) raised TypeError: .*missing 1 required",
    ),
}


@pytest.mark.parametrize(("type_name", "source", "line"), [(key, *value) for key, value in WRONG.items()])
def test_a_plugin_that_is_not_there_is_one_line(
    type_name: str,
    source: str,
    line: str,
    package: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    urdf = package(source, type_name)
    plugin = DriverPlugin("r", type_name, {}, {}, str(urdf), f"{urdf}:1:2")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    for name in [each for each in sys.modules if each.startswith("made_")]:
        monkeypatch.delitem(sys.modules, name)
    command = host_command([plugin], SimulationAddress())
    with pytest.raises(SystemExit) as ended:
        main(command[command.index("-m") + 2 :])
    for name in [each for each in sys.modules if each.startswith("made_")]:
        del sys.modules[name]
    assert ended.value.code == 1
    assert re.fullmatch(
        f'{re.escape(plugin.where)}: plugin "{type_name}": {line}.*\n', capsys.readouterr().err
    )


def test_a_plugin_that_fails_ends_and_says_where(run: Callable[..., Any]) -> None:
    """The run continues without it; the exit code reports the failure."""
    source = MOVER.replace("self.steps += 1", "self.steps += 1; 1 // (3 - self.steps)")
    sim = run(source, "made_here.drivers.Mover", duration=1.0)
    assert sim.wait() == 1
    (line,) = sim.says("ZeroDivisionError")
    assert 'plugin "made_here.drivers.Mover": step() raised ZeroDivisionError' in line
    assert line.rstrip().endswith("drivers.py:8")
    assert not sim.says("Traceback")
    assert sim.says('controller "made_here.drivers.Mover" ended: exit code 1')


def test_modules_are_looked_for_up_to_the_package(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "r.urdf"
    file.parent.mkdir(parents=True)
    assert folders_above(file) == [str(tmp_path / "a" / "b"), str(tmp_path / "a")]
    (tmp_path / "package.xml").touch()
    assert folders_above(file) == [str(tmp_path / "a" / "b"), str(tmp_path / "a"), str(tmp_path)]


def test_the_command_line_has_the_namespace_of_the_simulation() -> None:
    plugin = DriverPlugin("r", "a.B", {"x": "1"}, {}, "/p/r.urdf", "/p/r.urdf:1:2")
    command = host_command([plugin], SimulationAddress("/lab", ("/clock:=/lab/clock",)))
    assert command[-4:] == ["-r", "__ns:=/lab", "-r", "/clock:=/lab/clock"]
    (told,) = json.loads(command[4])
    assert (told["type"], told["properties"], told["folders"]) == ("a.B", {"x": "1"}, ["/p", "/"])
