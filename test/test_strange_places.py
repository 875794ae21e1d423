"""Homes that cannot be written, users without a name, odd paths, other languages, a proxy that refuses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 54321
"""A number that no user has here, as in a container that is started with --user."""
PROGRAM = """
import sys
from ros_bridge.cli.__main__ import main
for words in COMMANDS:
    print("code", main(words), flush=True)
"""
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 title "Übung ğİı" }
EXTERNPROTO "MISSING"
Solid { name "Iİıi" boundingObject Box { size 1 1 1 } physics Physics { } }
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a world for everybody, whose name has blanks and letters that are not English."""
    with TemporaryDirectory(prefix="Übung mit Räumen ") as name:
        made = Path(name)
        made.chmod(0o777)
        (made / "wörld.wbt").write_text(WORLD.replace('EXTERNPROTO "MISSING"\n', ""), encoding="utf-8")
        yield made


def odesim(folder: Path, environment: dict[str, str], *commands: list[str], **how: int) -> str:
    """What commands say, one after the other, each followed by its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", f"COMMANDS = {commands!r}\n{PROGRAM}"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        check=False,
        **how,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


LANGUAGES = {"C": {"LC_ALL": "C"}, "Turkish": {"LANG": "tr_TR.UTF-8"}, "none": {"LC_ALL": "xx_XX.ISO-8859-1"}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_odd_paths_and_languages_change_nothing(folder: Path, language: str) -> None:
    commands = (["check", "wörld.wbt"], ["convert", "wörld.wbt", "zwei Wörter.x3d"], ["info", "wörld.wbt"])
    said = odesim(folder, LANGUAGES[language] | {"HOME": str(folder)}, *commands)
    assert "Traceback" not in said and said.count("code 0") == len(commands)
    assert "Übung ğİı" in (folder / "zwei Wörter.x3d").read_text(encoding="utf-8")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("home", [{"HOME": "/proc"}, {}])
def test_who_has_no_home_may_use_it(folder: Path, home: dict[str, str]) -> None:
    if subprocess.run(["/usr/bin/env", sys.executable, "-c", ""], user=NOBODY, cwd="/").returncode:
        pytest.skip("another user cannot read Python here")
    commands = (
        ["list"],
        ["convert", "wörld.wbt", "a.x3d"],
    )  # others would compile kernels, which take a minute
    said = odesim(folder, home, *commands, user=NOBODY, group=NOBODY)
    assert "Traceback" not in said and said.count("code 0") == len(commands)


@pytest.fixture
def refusing() -> Iterator[str]:
    """The address of a proxy where nobody listens."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{made.getsockname()[1]}"


def test_a_proxy_that_refuses_is_said_in_a_line(folder: Path, refusing: str) -> None:
    url = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects/none/Missing.proto"
    (folder / "far.wbt").write_text(WORLD.replace("MISSING", url) + "Missing { }\n", encoding="utf-8")
    environment = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    environment |= dict.fromkeys(("https_proxy", "HTTPS_PROXY"), refusing)
    said = odesim(folder, environment, ["check", "far.wbt", "--download"])
    assert "Traceback" not in said and "code 2" in said
    assert [line for line in said.splitlines() if "Missing.proto" in line and "refused" in line]
