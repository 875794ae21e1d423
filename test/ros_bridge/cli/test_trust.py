"""Whose controllers and plug-ins run: one's own; those from elsewhere, when the user trusts them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from foreign import forget, new_home, project, started

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.trust import as_trusted, ask
from ros_bridge.node.startup import add_robots
from ros_bridge.parameters.options import RunOptions
from sim_core.base import trust
from sim_core.base.trust import permission_of_world, trust_issues_of_world
from sim_core.scene import load_scene
from sim_core.session.load_world import load_world

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return new_home(tmp_path, monkeypatch)


def may_start(world: Path, assume_yes: bool) -> bool:
    ask(trust_issues_of_world(world), assume_yes)
    return permission_of_world(world) is not None


@pytest.mark.parametrize(("answer", "agrees"), [("y", True), ("", False), ("n", False)])
def test_at_a_terminal_it_is_asked(answer: str, agrees: bool, home: Path) -> None:
    world = project(home / "Downloads" / "theirs")
    code = (
        "from ros_bridge.cli.trust import ask\n"
        "from sim_core.base.trust import trust_issues_of_world, permission_of_world\n"
        f"ask(trust_issues_of_world({str(world)!r}), False)\n"
        f"print(permission_of_world({str(world)!r}) is not None)"
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
    assert done.stdout.strip() == str(agrees)
    assert b"Trust it from now on? [y/N]" in said
    assert may_start(world, assume_yes=False) is agrees


def clean(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has run of a project, and it is not trusted."""
    forget(monkeypatch)
    for name in started(folder):
        (folder / name).unlink()


SHORT = ("--mode", "fast", "--duration", "0.04")


@pytest.mark.parametrize(
    "words",
    [
        ("run", "WORLD", *SHORT),
        ("animate", "WORLD", "OUT.html", *SHORT),
        ("run", "--from", "SNAPSHOT", *SHORT[:2], "--duration", "0.08"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_run_leaves_out_what_is_not_trusted(
    words: tuple[str, ...], home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    names = {"WORLD": world, "OUT.html": home / "out.html", "SNAPSHOT": home / "s.snapshot"}
    if "SNAPSHOT" in words:
        trust.trust(folder)
        sim = load_world(world)
        sim.step()
        sim.snapshot().save(names["SNAPSHOT"])
        clean(folder, monkeypatch)
    command = [str(names.get(word, word)) for word in words]
    assert main(command) == 0
    assert started(folder) == set()
    assert capfd.readouterr().err.count("its controllers and its physics plug-in are left out") == 1
    assert main([*command, "--trust"]) == 0
    assert started(folder) == {"controller", "plugin"}


def test_the_world_of_a_snapshot_is_the_one_that_is_asked_about(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its head cannot name a trusted world, and its state another one."""
    world, mine = project(home / "Downloads" / "theirs"), project(home / "mine")
    folder = world.parent.parent
    trust.trust(folder)
    sim = load_world(world)
    sim.step()
    file, forged = sim.snapshot().save(home / "s.snapshot"), home / "forged.snapshot"
    clean(folder, monkeypatch)
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(forged, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "snapshot.json":
                data = json.dumps({**json.loads(data), "world": str(mine)}).encode()
            target.writestr(name, data)
    assert main(["run", "--from", str(forged), *SHORT]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"{forged}: found snapshot.json of the world {mine}, expected {world}")
    assert started(folder) == started(mine.parent.parent) == set()


def test_a_replay_runs_the_plug_in_of_a_trusted_world_only(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the run would be another one: it is not begun."""
    world = project(home / "Downloads" / "theirs")
    folder, bag = world.parent.parent, str(home / "bag")
    assert main(["run", str(world), *SHORT, "--record", bag, "--trust"]) == 0
    clean(folder, monkeypatch)
    capfd.readouterr()
    assert main(["replay", bag]) == 2
    assert started(folder) == set()
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"{world}: its controllers and its physics plug-in would run: it lies in")
    for picture in ("plot", "info"):
        assert main(["bag", picture, bag]) == 0
    assert started(folder) == set()
    assert main(["replay", bag, "--trust"]) == 0
    assert started(folder) == {"plugin"}


@pytest.mark.parametrize(("ros", "runs"), [("false", {"plugin"}), ("true", {"plugin", "controller"})])
def test_a_sweep_is_not_begun_without_trust(
    ros: str, runs: set[str], home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    spec = home / "sweep.yaml"
    spec.write_text(f"world: {world}\nduration: 0.04\nros: {ros}\n", encoding="utf-8")
    words = ["batch", str(spec), "-j", "1"]
    assert main(words) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert f"--trust trusts {folder}" in line and started(folder) == set()
    assert main([*words, "--trust"]) == 0
    assert started(folder) == runs


EXTERN = """#VRML_SIM R2025a utf8
WorldInfo { }
Robot { name "r" controller "<extern>" }
"""


def test_the_plugins_of_a_urdf_file_are_programs_too(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of one file from elsewhere are left out, those of another one stay."""
    package = home / "Downloads" / "robots" / "package"
    urdf, mine, world = package / "resource" / "r.urdf", tmp_path / "mine.urdf", tmp_path / "w.wbt"
    urdf.parent.mkdir(parents=True)
    (package / "package.xml").touch()
    world.write_text(EXTERN, encoding="utf-8")
    for file, kind in ((urdf, "a.B"), (mine, "c.D")):
        file.write_text(f'<robot name="r"><webots><plugin type="{kind}"/></webots></robot>')
    options = RunOptions(str(world), urdf=[f"{urdf}@r", f"{mine}@r"])

    def plugins(assume_yes: bool) -> list[str]:
        scene = load_scene(world)
        add_robots(scene, as_trusted(options, assume_yes))
        return [each.type_name for each in scene.plugins]

    assert plugins(assume_yes=False) == ["c.D"]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{urdf}: its Python plugins are left out") and str(package) in line
    assert plugins(assume_yes=True) == ["a.B", "c.D"] == plugins(assume_yes=False)


XACRO = (
    """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${'b' + 'ase'}"/></robot>"""
)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "WORLD"),
        ("info", "WORLD"),
        ("convert", "WORLD", "OUT.wbt"),
        ("shot", "WORLD", "OUT.png", "--size", "16x16"),
        ("map", "WORLD", "OUT"),
    ],
    ids=lambda words: words[0],
)
def test_xacro_from_elsewhere_is_not_evaluated_without_trust(
    words: tuple[str, ...], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, world = home / "Downloads" / "robots", tmp_path / "w.wbt"
    urdf = folder / "urdf" / "r.urdf"
    urdf.parent.mkdir(parents=True)
    urdf.write_text(XACRO, encoding="utf-8")
    world.write_text("#VRML_SIM R2025a utf8\nSolid { boundingObject Box { } }\n", encoding="utf-8")
    command = [word.replace("WORLD", str(world)).replace("OUT", str(tmp_path / "out")) for word in words]
    command += ["--urdf", str(urdf)]
    assert main(command) == 2
    said = capsys.readouterr()
    lines = [line for line in (said.out + said.err).splitlines() if "xacro" in line]
    assert len(lines) == 1 and f"--trust trusts {folder}" in lines[0]
    assert main([*command, "--trust"]) == 0


def test_what_does_not_look_like_xacro_is_never_evaluated(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """XML can write both the prefix and the expression otherwise; then it is URDF, also with arguments."""
    file = home / "Downloads" / "robots" / "r.urdf.xacro"
    file.parent.mkdir(parents=True)
    file.write_text(XACRO.replace("xacro=", "x=").replace("$", "&#36;"), encoding="utf-8")
    assert main(["spawn", "-file", str(file), "-arg", "a:=1"]) == 2
    assert capsys.readouterr().err == f"{file}: found plain URDF, but arguments for xacro: a:=1\n"
