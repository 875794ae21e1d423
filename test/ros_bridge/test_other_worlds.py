"""Worlds that are loaded and robots that come into a run, and what a recording keeps of it."""

import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PointStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_msgs.msg import String

from ros_bridge.cli.__main__ import main

VISITOR = 'DEF VISITOR Robot { name "visitor" translation 9 8 7 children GPS { name "gps" } }'


def set_seed(client: Any, seed: int) -> Any:
    value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=seed)
    request = SetParameters.Request(parameters=[Parameter(name="seed", value=value)])
    return client.call("set_parameters", request, SetParameters).results[0]


@pytest.mark.parametrize("seed", [None, 5])
def test_a_reset_takes_a_robot_back_also_with_another_seed_and_a_replay_agrees(
    seed: int | None,
    simulate: Callable[..., Any],
    world_file: Callable[..., Path],
    client: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bag = tmp_path / "bag"
    run = simulate(world_file(), mode="realtime", record=str(bag))
    client.speak(String, "/odesim/import_node").publish(String(data=VISITOR))
    client.until(lambda: client.node.count_publishers("/visitor/gps"), "the visitor")
    if seed is not None:
        assert set_seed(client, seed).successful
    client.call("reset")
    client.until(lambda: not client.node.count_publishers("/visitor/gps"), "its end")
    places = client.listen(PointStamped, "/robot1/gps")
    client.until(lambda: len(places) > 5, "the robot that was there before")
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines
    assert main(["replay", str(bag)]) == 0, capsys.readouterr().out


def test_a_world_whose_controller_is_not_there_runs_and_says_so_once(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any, tmp_path: Path
) -> None:
    run = simulate(world_file(), mode="realtime", allow_imported_controllers=True)
    places = client.listen(PointStamped, "/robot1/gps")
    other = tmp_path / "other" / "worlds" / "other.wbt"
    other.parent.mkdir(parents=True)
    text = world_file("nobody", sync=True).read_text(encoding="utf-8")
    other.write_text(text.replace('name "robot1"', 'name "robot9"'), encoding="utf-8")
    client.until(lambda: places, "the first world")
    client.speak(String, "/odesim/load_world").publish(String(data=str(other)))
    there = client.listen(PointStamped, "/robot9/gps")
    client.until(lambda: len(there) > 3, "time that goes on")
    run.send(signal.SIGINT)
    assert run.wait() == 1, run.lines
    (line,) = run.says('no controller "nobody"')
    assert str(other.parents[1]) in line and "[ERROR]" in line


def test_an_included_world_that_is_loaded_starts_its_controllers(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    run = simulate(world_file(), mode="realtime")
    places = client.listen(PointStamped, "/robot1/gps")
    client.until(lambda: places, "the first world")
    client.speak(String, "/odesim/load_world").publish(String(data="devices/pen"))
    truth = client.listen(Odometry, "/turtle/ground_truth")
    client.until(lambda: truth and abs(truth[-1].twist.twist.linear.x) > 0.01, "its robot drives")
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines
    assert not run.says("not started")


@pytest.mark.parametrize("name, on_ros", [("robot-1", "robot_1_2"), ("é", "e"), ("机器人", "robot1")])
def test_a_robot_whose_name_ros_cannot_have_comes_under_another(
    name: str, on_ros: str, simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    file = world_file()
    file.write_text(file.read_text(encoding="utf-8").replace('"robot1"', '"robot 1"'), encoding="utf-8")
    run = simulate(file, mode="realtime")
    places = client.listen(PointStamped, "/robot_1/gps")
    client.until(lambda: places, "the robot that was there before")
    text = f'Robot {{ name "{name}" children [ GPS {{ }} ] }}'
    client.speak(String, "/odesim/import_node").publish(String(data=text))
    client.until(lambda: client.node.count_publishers(f"/{on_ros}/gps"), "the robot that came")
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines


@pytest.mark.parametrize("name", ["x" * 300])
def test_a_robot_without_a_name_on_ros_does_not_come(
    name: str, simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    file = world_file()
    file.write_text(file.read_text(encoding="utf-8").replace('"robot1"', '"robot 1"'), encoding="utf-8")
    run = simulate(file, mode="realtime")
    places = client.listen(PointStamped, "/robot_1/gps")
    text = f'Robot {{ name "{name}" children [ GPS {{ }} ] }}'
    client.speak(String, "/odesim/import_node").publish(String(data=text))
    client.until(lambda: run.says("~/import_node: refused"), "the refusal")
    before = len(places)
    client.until(lambda: len(places) > before + 5, "the robot that was there before")
    client.speak(String, "/odesim/import_node").publish(String(data=VISITOR))
    client.until(lambda: client.node.count_publishers("/visitor/gps"), "the visitor")
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines


def test_a_second_simulation_in_the_domain_is_said_once(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    runs = [simulate(world_file(), mode="realtime") for _ in range(2)]
    client.until(lambda: all(run.says("/clock: found another publisher") for run in runs), "both warnings")


def test_an_unknown_parameter_is_named_with_the_nearest(
    simulate: Callable[..., Any], world_file: Callable[..., Path], client: Any
) -> None:
    simulate(world_file(), mode="paused")
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=2.0)
    request = SetParameters.Request(parameters=[Parameter(name="sped", value=value)])
    answer = client.call("set_parameters", request, SetParameters).results[0]
    assert not answer.successful
    assert answer.reason == 'found no parameter "sped" (did you mean "speed"?)'


ONE = """odesim:
  ros__parameters:
    contacts: stiff
    sampling_period: 0.04
    robots: {robot1: {gps: {sampling_period: 0.2, topic: first_place}}}
"""
TWO = """odesim:
  ros__parameters:
    robots: {robot9: {gps: {topic: place}}}
"""


def test_a_world_that_is_loaded_has_its_own_parameters_and_a_replay_agrees(
    simulate: Callable[..., Any],
    world_file: Callable[..., Path],
    client: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first world's file names a robot and periods that the second world could not have."""
    worlds, config, bag = tmp_path / "lab" / "worlds", tmp_path / "lab" / "config", tmp_path / "bag"
    text = world_file().read_text(encoding="utf-8")
    other = text.replace('name "robot1"', 'name "robot9"').replace("basicTimeStep 4", "basicTimeStep 32")
    assert other.count("robot9") == other.count("basicTimeStep 32") == 1
    for folder in (worlds, config):
        folder.mkdir(parents=True)
    for name, each, parameters in (("one", text, ONE), ("two", other, TWO)):
        (worlds / f"{name}.wbt").write_text(each, encoding="utf-8")
        (config / f"{name}.yaml").write_text(parameters, encoding="utf-8")
    run = simulate(worlds / "one.wbt", mode="realtime", record=str(bag))
    load = client.speak(String, "/odesim/load_world")
    first = client.listen(PointStamped, "/robot1/first_place")  # its file names the topic
    client.until(lambda: first, "the robot of the first world")
    load.publish(String(data=str(worlds / "two.wbt")))
    second = client.listen(PointStamped, "/robot9/place")
    client.until(lambda: len(second) > 3, "the robot of the second world")
    load.publish(String(data=str(worlds / "one.wbt")))
    client.until(lambda: not client.node.count_publishers("/robot9/place"), "the first world again")
    count = len(first)
    client.until(lambda: len(first) > count + 3, "its robot")
    stamps = [each.header.stamp.sec + 1e-9 * each.header.stamp.nanosec for each in first[count:]]
    assert {round(b - a, 6) for a, b in pairwise(stamps)} == {0.2}
    run.send(signal.SIGINT)
    assert run.wait() == 0, run.lines
    assert not run.says("refused")
    assert main(["replay", str(bag)]) == 0, capsys.readouterr().out
