"""Whose code is run: the start world's, and none of a world that is looked at or comes later."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from foreign import new_home
from std_msgs.msg import String

from ros_bridge.cli.__main__ import main

MARK = "from pathlib import Path\nwith Path({file!r}).open('a') as file:\n    file.write('{word} ')\n"
PLUGIN = MARK + "def step(api):\n    pass\n"
CONTROLLER = MARK + "import signal\nsignal.pause()\n"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 physics "{plugin}" }}
Robot {{ name "own" controller "{controller}" synchronization {sync} }}
Viewpoint {{ position -3 0 1 }}
Solid {{ name "floor" children Shape {{ geometry Box {{ }} }} }}
"""


class Project:
    """Two worlds, each with a plug-in and a controller that write down that they were run."""

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.first, self.second = (self._world(folder, word) for word in ("first", "second"))

    def _world(self, folder: Path, word: str) -> Path:
        for kind, code in (("plugins/physics", PLUGIN), ("controllers", CONTROLLER)):
            file = folder / kind / word / f"{word}.py"
            file.parent.mkdir(parents=True)
            file.write_text(code.format(file=str(self.marks), word=f"{kind[:4]}:{word}"), encoding="utf-8")
        world = folder / "worlds" / f"{word}.wbt"
        world.parent.mkdir(exist_ok=True)
        sync = "FALSE" if word == "first" else "TRUE"
        world.write_text(WORLD.format(plugin=word, controller=word, sync=sync), encoding="utf-8")
        return world

    def run(self) -> list[str]:
        """What has been run."""
        return self.marks.read_text(encoding="utf-8").split() if self.marks.exists() else []


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ("check", "WORLD"),
        ("info", "WORLD"),
        ("info", "--json", "WORLD"),
        ("convert", "WORLD", "OUT.wbt"),
        ("convert", "WORLD", "OUT.x3d"),
        ("shot", "WORLD", "OUT.png", "--size", "16x16", "--time", "0.016"),
        ("list",),
    ],
)
def test_who_looks_at_a_world_runs_nothing_of_it(
    project: Project, tmp_path: Path, command: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    words = [
        each.replace("WORLD", str(project.first)).replace("OUT", str(tmp_path / "out")) for each in command
    ]
    assert main(words) == 0
    assert project.run() == []
    said = capfd.readouterr()
    assert ('physics plug-in "first" is not run' in said.err) == (command[0] == "shot")


def test_a_check_still_reads_the_plug_in(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = project.first.parents[1] / "plugins/physics/first/first.py"
    plugin.write_text("def step(api:\n", encoding="utf-8")
    assert main(["check", str(project.first)]) == 2
    assert f"{plugin}:1: physics plug-in" in capsys.readouterr().err


@pytest.mark.parametrize("allowed", [False, True])
def test_what_comes_while_a_world_runs_starts_nothing_unless_allowed(
    project: Project, simulate: Callable[..., Any], client: Any, allowed: bool
) -> None:
    simulation = simulate(project.first, mode="paused", allow_imported_controllers=allowed)

    def started(word: str, times: int = 1) -> Any:
        return client.until(lambda: project.run().count(word) >= times, f"{word} in {project.run()}")

    started("cont:first")
    importer = client.speak(String, "/odesim/import_node")
    importer.publish(String(data='Robot { name "new" controller "second" synchronization FALSE }'))
    if allowed:
        started("cont:second")
    else:
        (line,) = client.until(lambda: simulation.says('new: controller "second" is not started'), "a line")
        assert "--allow-imported-controllers" in line
    shell = f'"-c" "echo shell >> {project.marks}"'
    importer.publish(String(data=f'Robot {{ controller "/bin/sh" controllerArgs [ {shell} ] }}'))
    client.until(lambda: simulation.says("found controller '/bin/sh', a path"), "the refusal of a path")
    client.speak(String, "/odesim/load_world").publish(String(data=str(project.second)))
    if allowed:
        started("cont:second", 2)
        started("plug:second")
    else:
        (line,) = client.until(lambda: simulation.says("second.wbt: not started"), "a line")
        assert 'controller "second", physics plug-in "second"' in line and "--allow-" in line
        client.call("step")
        client.until(lambda: "from 0.0" in client.call("step").message, "steps that wait for nobody")
        assert not any("second" in each for each in project.run())
    client.speak(String, "/odesim/load_world").publish(String(data=str(project.first)))  # one's own again
    started("cont:first", 2)
    client.call("revert")
    started("cont:first", 3)
    assert "shell" not in project.run()
    client.call("quit")
    assert simulation.wait() == 0


def test_a_download_that_is_loaded_starts_nothing(
    project: Project,
    tmp_path: Path,
    simulate: Callable[..., Any],
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is allowed of imports is not trust; the gate is asked with the world that comes."""
    theirs = Project(new_home(tmp_path, monkeypatch) / "Downloads" / "theirs")
    simulation = simulate(project.first, mode="paused", allow_imported_controllers=True)
    client.until(lambda: "cont:first" in project.run(), "the first world's controller")
    client.speak(String, "/odesim/load_world").publish(String(data=str(theirs.second)))
    client.until(lambda: simulation.says(f"{theirs.second}: its controllers"), "the line")
    client.call("step")
    client.until(lambda: "from 0.0" in client.call("step").message, "steps that wait for nobody")
    assert theirs.run() == []
    client.call("quit")
    assert simulation.wait() == 0
