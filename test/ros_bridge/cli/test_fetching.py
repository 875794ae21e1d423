"""Missing PROTO files: a run goes on without them, and asks once for each project at a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.fetching import AGREED, REFUSED, may_download, project_of
from sim_core.base.errors import SceneErrors
from sim_core.session.load_world import load_world

ROOT = Path(__file__).resolve().parents[3]
WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "https://example.org/protos/A.proto"
WorldInfo { }
A { size 1 }
"""
QUESTION = b"now and later? [y/N]"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A world without its PROTO, of a user who has answered nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("WEBOTS_HOME", "ODESIM_PROTO_PATH"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "project/worlds/w.wbt"
    file.parent.mkdir(parents=True)
    file.write_text(WORLD)
    return file


def at_a_terminal(world: Path, answer: str, network: bool = True) -> tuple[str, bytes]:
    """What `may_download` returns, and what the terminal shows."""
    code = (
        "from pathlib import Path\n"
        "from ros_bridge.cli import fetching\n"
        f"fetching._has_network = lambda: {network}\n"
        f"print(fetching.may_download(Path({str(world)!r}), False))"
    )
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        check=True,
        timeout=60,
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the other end is closed
        while more := os.read(ours, 4096):
            said += more
    os.close(ours)
    return done.stdout.strip(), said


@pytest.mark.parametrize(("answer", "agrees"), [("y", True), ("", False)])
def test_at_a_terminal_it_is_asked_once_for_a_project(world: Path, answer: str, agrees: bool) -> None:
    result, said = at_a_terminal(world, answer)
    assert result == str(agrees)
    assert QUESTION in said and b"1 PROTO (A) are missing" in said
    assert (AGREED if agrees else REFUSED).file.read_text().split() == [str(project_of(world))]
    other = world.with_name("other.wbt")
    other.write_text(WORLD)
    result, said = at_a_terminal(other, "n" if agrees else "y")
    assert (result, QUESTION in said) == (str(agrees), False)
    assert may_download(other, False) is agrees  # without a terminal the answer holds too


def test_without_terminal_or_network_nothing_is_asked(world: Path) -> None:
    assert may_download(world, False) is False
    result, said = at_a_terminal(world, "y", network=False)
    assert (result, said.count(QUESTION)) == ("False", 0)
    assert not AGREED.file.exists() and not REFUSED.file.exists()


def test_the_project_is_the_folder_above_worlds(tmp_path: Path) -> None:
    assert project_of(tmp_path / "p/worlds/w.wbt") == tmp_path / "p"
    assert project_of(tmp_path / "p/w.wbt") == tmp_path / "p"


def test_commands_go_on_without_it_unless_they_are_strict(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(world)]) == 0
    assert capfd.readouterr().err.count("PROTO A is missing, its node is empty") == 1
    assert main(["info", str(world), "--strict"]) == 2
    assert "w.wbt:4:1: PROTO A: not on this machine" in capfd.readouterr().err
    assert main(["check", str(world)]) == 2
    with pytest.raises(SystemExit):
        main(["run", str(world), "--skip-missing"])


def test_a_program_is_refused_what_it_has_not_asked_for(world: Path) -> None:
    with pytest.raises(SceneErrors, match="lenient=True"):
        load_world(world)
    sim = load_world(world, lenient=True)
    assert [each.type_name for each in sim.scene.nodes] == ["WorldInfo", "Group"]
    assert sum("PROTO A is missing" in str(each) for each in sim.scene.warnings) == 1
    sim.close()
