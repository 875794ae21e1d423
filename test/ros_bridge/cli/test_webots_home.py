"""A folder in the place of Webots: what is in it, and that its `webots` takes Webots' arguments."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from processes import ReadProcess

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.webots import odesim_arguments
from ros_bridge.cli.webots_home import make_webots_home
from ros_bridge.controller_api.libcontroller import find_libcontroller
from sim_core.base.errors import ConfigError

ALWAYS = ["--wait-extern", "--download"]
ROS = [
    *("--ros-args", "-r", "__ns:=/odesim", "-r", "/clock:=/odesim/clock", "-r", "/tf:=/odesim/tf"),
    *("-r", "/tf_static:=/odesim/tf_static"),
]
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Viewpoint { }
Robot { name "my_robot" controller "<extern>" }
"""


@pytest.fixture(autouse=True)
def webots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of Webots, in WEBOTS_HOME."""
    home = tmp_path / "installed"
    for file in ("lib/controller/libController.so", "lib/controller/libcar.so", "lib/webots/libOther.so",
                 "lib/controller/python/controller/wb.py", "include/controller/c/webots/robot.h",
                 "projects/robots/A.proto"):  # fmt: skip
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("R2025a")
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    return home


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # as the launch files of webots_ros2 say it: by default, with gui:=false, with a stream, in mode pause
        (["", "--port=1234", "", "", "", "", "w.wbt", "--batch", "--mode=realtime"],
         ["w.wbt", "--mode", "realtime", "--webots-protocol", "1234", *ALWAYS]),
        (["", "--port=1235", "--no-rendering", "--stdout", "--stderr", "--minimize", "w.wbt", "--batch",
          "--mode=fast"], ["w.wbt", "--mode", "fast", "--webots-protocol", "1235", *ALWAYS]),
        (["--stream", "--port=1234", "", "", "", "", "w.wbt", "--batch", "--mode=pause"],
         ["w.wbt", "--mode", "paused", "--webots-protocol", "1234", *ALWAYS, "--viewer"]),
        (["--stream=mjpeg", "w.wbt"],
         ["w.wbt", "--mode", "realtime", "--webots-protocol", "1234", *ALWAYS, "--viewer"]),
        ([], ["--mode", "realtime", "--webots-protocol", "1234", *ALWAYS]),
    ],
)  # fmt: skip
def test_arguments_of_webots(given: list[str], expected: list[str]) -> None:
    assert odesim_arguments(given) == ["run", *expected, *ROS]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--bach"], r'found --bach, .* that odesim has \(did you mean "--batch"\?\)'),
        (["--mode=slow"], "found --mode=slow, expected one of realtime, fast, pause"),
        (["--mode"], "found --mode=, expected one of realtime, fast, pause"),
        (["--port=0"], "found --port=0, expected a number from 1 to 65535"),
        (["--port=x"], "found --port=x, expected a number from 1 to 65535"),
        (["a.wbt", "b.wbt"], "found the worlds a.wbt, b.wbt, expected one"),
    ],
)
def test_arguments_that_are_refused(given: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        odesim_arguments(given)


def links(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).as_posix(): path.resolve()
        for path in folder.rglob("*") if path.is_symlink()
    }  # fmt: skip


def test_what_is_in_the_folder(tmp_path: Path, webots: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a home"
    assert main(["webots-home", str(folder)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"# {folder}: made, with libController R2025a, {webots}/lib/controller"
    assert said[1] == f"export WEBOTS_HOME='{folder}'"
    assert (folder / "resources/version.txt").read_text() == "R2025a\n"
    assert os.access(folder / "webots", os.X_OK)
    assert links(folder) == {
        "projects": webots / "projects",
        "include/controller": webots / "include/controller",
        "lib/controller/libController.so": webots / "lib/controller/libController.so",
        "lib/controller/libcar.so": webots / "lib/controller/libcar.so",
        "lib/controller/python": webots / "lib/controller/python",
    }


def test_made_anew_from_itself_and_without_webots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "home"
    make_webots_home(folder)
    before = links(folder)
    monkeypatch.setenv("WEBOTS_HOME", str(folder))
    found = make_webots_home(folder)
    assert links(folder) == before and found is not None and found.home == folder
    monkeypatch.delenv("WEBOTS_HOME")
    assert main(["webots-home", str(tmp_path / "bare")]) == 0
    assert "with no libController (set WEBOTS_HOME" in capsys.readouterr().out
    assert links(tmp_path / "bare") == {} and find_libcontroller() is None


def test_what_is_there_is_not_touched(webots: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["webots-home", str(webots)]) == 2
    assert capsys.readouterr().err == f"{webots}: found other files in it, expected a new folder\n"
    assert not (webots / "webots").exists() and not (webots / "resources").exists()


def test_it_runs_a_world_until_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, world = tmp_path / "home", tmp_path / "w.wbt"
    make_webots_home(folder)
    world.write_text(WORLD)
    user = f"odesim_test_{os.getpid()}"
    monkeypatch.setenv("USER", user)
    words = ["", "--port=1251", "", "--stdout", "", "", str(world), "--batch", "--mode=realtime"]
    run = ReadProcess(folder / "webots", *words)
    try:
        run.until_it_says("1 robot, step 16 ms, realtime")
        assert run.says(f"/tmp/webots/{user}/1251")
        run.send(signal.SIGINT)
        assert run.wait() == 0
        Path("/tmp/webots", user).rmdir()
    finally:
        run.end()


def test_wrong_arguments_are_one_line(tmp_path: Path) -> None:
    make_webots_home(tmp_path / "home")
    done = subprocess.run(
        [tmp_path / "home/webots", "--mode=slow"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")
