"""A run is saved as a snapshot by a service, and another process goes on from it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rosgraph_msgs.msg import Clock

from ros_bridge.cli.__main__ import main
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot_file import world_of

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "ball" translation 0 0 5 boundingObject Sphere { radius 0.1 } physics Physics { }
  children GPS { name "gps" } }
"""


def test_a_run_goes_on_from_the_snapshot_of_another(
    simulate: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    world = tmp_path / "w.wbt"
    world.write_text(WORLD, encoding="utf-8")
    first = simulate(world, mode="paused")
    for _ in range(5):
        assert client.call("step").success
    client.until(lambda: "0.04 s" in client.call("save_snapshot").message, "the fifth step")
    client.call("quit")
    assert first.wait() == 0
    file = tmp_path / "w.snapshot"
    assert world_of(file) == str(world)
    expected = Simulation.from_snapshot(file)
    assert expected.time_ns == 40_000_000
    expected.step(5)

    simulation = simulate(world, snapshot=str(file), mode="paused")
    times = client.listen(Clock, "/clock")
    client.until(lambda: times and times[-1].clock.nanosec == 40_000_000, "the clock of the snapshot")
    for _ in range(5):
        assert client.call("step").success
    client.until(lambda: times[-1].clock.nanosec == 80_000_000, "five more steps")
    second = tmp_path / "second.snapshot"
    assert client.call("save_snapshot").success
    file.rename(second)
    found = Simulation.from_snapshot(second)
    assert found.robot("ball").frame.pose() == expected.robot("ball").frame.pose()
    assert client.call("reset").success
    client.until(lambda: times[-1].clock.nanosec == 0, "the start of the world")
    client.call("quit")
    assert simulation.wait() == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["wall_avoiders"], "--from: found a WORLD, expected none: a snapshot has its own"),
        (["--seed", "3"], "--from: found --seed, expected none: a snapshot has its own"),
        (["--record", "bag"], "--from: found --record, expected none: a bag begins with the start"),
    ],
)
def test_what_a_snapshot_has_itself_is_not_given(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--from", "nowhere.snapshot", *words]) == 2
    assert line in capsys.readouterr().err


def test_a_snapshot_that_cannot_be_opened_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "w.snapshot"
    file.write_bytes(b"PK")
    assert main(["run", "--from", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{file}: found no snapshot of odesim") and said.count("\n") == 1
