"""Whose controllers and plug-ins run: one's own; those from elsewhere, when they are trusted."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.trust import ORIGIN, as_trusted, from_elsewhere, may_start, trusted_file, whose
from ros_bridge.parameters.options import RunOptions

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "from pathlib import Path\nPath({mark!r}).touch()\n"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physics "code" }
Robot { name "r" controller "code" }
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where nothing is trusted yet, with a folder of downloads."""
    folder = tmp_path / "home"
    (folder / "Downloads").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DOWNLOAD_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def project(folder: Path) -> Path:
    """A world whose controller and plug-in leave a mark."""
    for place, mark in (("controllers/code", "controller"), ("plugins/physics/code", "plugin")):
        (folder / place).mkdir(parents=True)
        step = "" if mark == "controller" else "def step(api):\n    pass\n"
        text = PROGRAM.format(mark=str(folder / mark)) + step
        (folder / place / "code.py").write_text(text, encoding="utf-8")
    world = folder / "worlds" / "w.wbt"
    world.parent.mkdir()
    world.write_text(WORLD, encoding="utf-8")
    return world


def started(folder: Path) -> set[str]:
    return {name for name in ("controller", "plugin") if (folder / name).exists()}


def test_what_one_wrote_oneself_is_trusted_wherever_it_lies(home: Path, tmp_path: Path) -> None:
    for folder in (home / "mine", tmp_path / "mine"):
        assert may_start(project(folder), says_so=False)


def test_a_download_is_not(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = project(home / "Downloads" / "theirs")
    assert not may_start(world, says_so=False)
    (line,) = capsys.readouterr().err.splitlines()
    assert str(world) in line and "left out" in line and f"--trust trusts {world.parent.parent}" in line


def _in_a_folder_of_ones_own_name(home: Path, patch: pytest.MonkeyPatch) -> Path:
    (home / ".config").mkdir()
    text = '# made by xdg-user-dirs\nXDG_DOWNLOAD_DIR="$HOME/Load"\n'
    (home / ".config" / "user-dirs.dirs").write_text(text, encoding="utf-8")
    return project(home / "Load" / "theirs")


def _said_by_the_environment(home: Path, patch: pytest.MonkeyPatch) -> Path:
    patch.setenv("XDG_DOWNLOAD_DIR", str(home / "there"))
    return project(home / "there" / "theirs")


def _in_the_cache(home: Path, patch: pytest.MonkeyPatch) -> Path:
    return project(home / ".cache" / "odesim" / "theirs")


def _by_url(home: Path, patch: pytest.MonkeyPatch) -> Path:
    world = project(home / "theirs")
    try:
        os.setxattr(world, ORIGIN, b"https://example.org/w.wbt")
    except OSError:
        pytest.skip("this file system keeps no marks")
    return world


@pytest.mark.parametrize(
    "make",
    [_in_a_folder_of_ones_own_name, _said_by_the_environment, _in_the_cache, _by_url],
    ids=lambda make: make.__name__,
)
def test_other_ways_to_come_from_elsewhere(
    make: Callable[[Path, pytest.MonkeyPatch], Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make(home, monkeypatch).resolve()
    assert from_elsewhere(world, world.parent.parent)
    assert not may_start(world, says_so=False)
    assert may_start(world, says_so=True)


def test_what_belongs_to_another_user(tmp_path: Path) -> None:
    owner = tmp_path.stat().st_uid
    assert whose(tmp_path, owner + 1) == (
        "belongs to another user" if owner else ""
    )  # the administrator's is not
    assert whose(tmp_path, owner) == "" == whose(tmp_path / "nowhere", owner)


def test_who_may_write_does_not_count(home: Path) -> None:
    world = project(home / "on_a_disk_of_another_system")
    for path in (world, *world.parent.parent.rglob("*")):
        path.chmod(0o777)
    assert may_start(world, says_so=False)


def test_a_project_that_one_stands_in_is_trusted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = project(home / "Downloads" / "theirs")
    monkeypatch.chdir(world.parent)
    assert may_start(world, says_so=False)
    monkeypatch.chdir(home)
    assert not may_start(world, says_so=False)


def test_a_world_without_programs_needs_no_trust(home: Path) -> None:
    world = home / "Downloads" / "theirs" / "worlds" / "w.wbt"
    world.parent.mkdir(parents=True)
    world.write_text(WORLD, encoding="utf-8")
    assert may_start(world, says_so=False)


def test_trust_is_remembered_for_the_project_and_no_other(home: Path) -> None:
    first, second = (project(home / "Downloads" / name) for name in ("first", "second"))
    assert may_start(first, says_so=True)
    assert trusted_file().read_text(encoding="utf-8").split() == [str(first.resolve().parent.parent)]
    assert may_start(first, says_so=False) and not may_start(second, says_so=False)


@pytest.mark.parametrize(("answer", "agrees"), [("y", True), ("", False), ("n", False)])
def test_at_a_terminal_it_is_asked(answer: str, agrees: bool, home: Path) -> None:
    world = project(home / "Downloads" / "theirs")
    code = f"from ros_bridge.cli.trust import may_start\nprint(may_start({str(world)!r}, False))"
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
    assert done.stdout.strip() == str(agrees)
    assert b"Trust it from now on? [y/N]" in said
    assert may_start(world, says_so=False) is agrees


def test_a_run_leaves_out_what_is_not_trusted(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    words = ["run", str(world), "--mode", "fast", "--duration", "0.04"]
    assert main(words) == 0
    assert started(folder) == set()
    assert "its controllers and its physics plug-in are left out" in capfd.readouterr().err
    assert main([*words, "--trust"]) == 0
    assert started(folder) == {"controller", "plugin"}


def test_the_plugins_of_a_urdf_file_are_programs_too(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its project is its package; a file that names none needs no trust."""
    package = home / "Downloads" / "robots" / "package"
    urdf = package / "resource" / "r.urdf"
    urdf.parent.mkdir(parents=True)
    (package / "package.xml").touch()
    world = str(project(tmp_path / "mine"))
    urdf.write_text('<robot name="r"><webots/></robot>')
    options = RunOptions(world, urdf=[f"{urdf}@r"])
    assert as_trusted(options, says_so=False) == options
    urdf.write_text('<robot name="r"><webots><plugin type="a.B"/></webots></robot>')
    without = as_trusted(options, says_so=False)
    assert (without.driver_plugins, without.controllers) == (False, True)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{urdf}: its Python plugins are left out") and str(package) in line
    assert as_trusted(options, says_so=True).driver_plugins
    assert as_trusted(options, says_so=False).driver_plugins
