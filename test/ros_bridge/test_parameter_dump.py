"""What `ros2 param dump` writes of a running simulation can be given back to it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.parameter import parameter_value_to_python

from ros_bridge.control.fields.parameters import FieldParameters
from ros_bridge.parameters.parameter_file import read_parameter_file
from ros_bridge.parameters.parameters import build_parameters
from sim_core.base.errors import ConfigError
from sim_core.scene import load_scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
DEF BALL Solid { translation 0 0 5 boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 2 }
  children Shape { appearance DEF LOOK PBRAppearance { baseColor 1 1 1 } geometry Sphere { radius 0.1 } } }
Robot { name "robot" translation 1 2 3 customData "1.0" children GPS { name "gps" } }
"""


def dump(client: Any) -> dict[str, Any]:
    """As ros2cli's verb `dump` does it: all that is listed, nested at the dots of the names."""
    names = sorted(client.call("list_parameters", ListParameters.Request(), ListParameters).result.names)
    values = client.call("get_parameters", GetParameters.Request(names=names), GetParameters).values
    top: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        *tables, last = name.split(".")
        table = top
        for each in tables:
            table = table.setdefault(each, {})
        plain = parameter_value_to_python(value)
        table[last] = plain if isinstance(plain, (str, bool, int, float)) else list(plain)
    return {"/odesim": {"ros__parameters": top}}


def loaded(world: Path, *files: Path) -> FieldParameters:
    """A world that begins with what files of `--params` say."""
    scene = load_scene(world)
    values = [value for file in files for value in read_parameter_file(file)]
    parameters = build_parameters(values, {"robot": ["gps"]})
    sim = Simulation(scene, parameters.simulation)
    fields = FieldParameters(Session(sim))
    fields.set_initial(parameters.fields)
    return fields


def test_dump_load_run(simulate: Any, client: Any, tmp_path: Path) -> None:
    """A ball that has fallen lies there again, and the next dump is the same; a reset keeps it so."""
    world, file = tmp_path / "w.wbt", tmp_path / "d.yaml"
    world.write_text(WORLD, encoding="utf-8")
    given = ["-p", "LOOK.baseColor:=[0.5, 0.25, 1.0]", "-p", "robots.robot.gps.qos_depth:=3"]
    first = simulate(world, mode="paused", duration=100.0, ros_args=given)
    for _ in range(3):
        client.call("step")
    written = dump(client)
    fields = written["/odesim"]["ros__parameters"]
    assert fields["BALL"]["translation"][2] < 5.0
    assert fields["LOOK"]["baseColor"] == [0.5, 0.25, 1.0]
    assert [] in fields["robot"].values()  # of which rclpy does not know the type
    client.call("quit")
    assert first.wait() == 0
    file.write_text(yaml.dump(written, default_flow_style=False), encoding="utf-8")
    again = simulate(world, ros_args=["--params-file", str(file)])
    assert dump(client) == written, again.lines
    client.call("reset")
    assert dump(client) == written
    client.call("quit")
    assert again.wait() == 0
    assert not again.says("[WARN]")
    ball = loaded(world, file).get("BALL.translation")
    assert ball is not None and list(ball.value) == fields["BALL"]["translation"]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (
            "BAL.translation",
            [0.0, 0.0, 1.0],
            'no node "BAL", expected robots, a DEF name or a robot (did',
        ),
        ("BALL.translatio", [0.0, 0.0, 1.0], 'no field "translatio" in Solid'),
        ("BALL.translation", [0.0, 1.0], "BALL.translation"),
        ("speed", [], "found [], expected a number above 0"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, value: Any, says: str) -> None:
    world, file = tmp_path / "w.wbt", tmp_path / "d.yaml"
    world.write_text(WORLD, encoding="utf-8")
    file.write_text(f"/odesim:\n  ros__parameters:\n    {name}: {value}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(says)) as raised:
        loaded(world, file)
    assert str(raised.value).startswith(f"{file}:3:{name}: ")


def test_an_empty_list_in_a_file_of_ros_is_named_too(simulate: Any, tmp_path: Path) -> None:
    world, file = tmp_path / "w.wbt", tmp_path / "d.yaml"
    world.write_text(WORLD, encoding="utf-8")
    file.write_text("odesim:\n  ros__parameters:\n    speed: []\n", encoding="utf-8")
    run = simulate(world, ros_args=["--params-file", str(file)])
    assert run.wait() == 2
    assert "--ros-args:speed: found none, expected a number above 0" in run.says("[FATAL]")[0]
