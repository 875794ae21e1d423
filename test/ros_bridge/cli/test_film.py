"""`odesim movie`, `odesim animate` and the services that do the same while a simulation runs."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pictures import needs_gl
from PIL import Image
from processes import ODESIM, finished
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from waiting import wait_until

from ros_bridge.control.recording_services import check_recordings
from ros_bridge.parameters.options import RecordingOptions, RunOptions
from sim_core.base.errors import ConfigError

av = pytest.importorskip("av", reason="needs the Python package av")
ROOT = Path(__file__).resolve().parents[3]


def frames(file: Path) -> int:
    with av.open(str(file)) as video:
        return sum(1 for _ in video.decode(video=0))


def odesim(*words: str | Path, folder: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    done = finished(*ODESIM, *words, folder=folder)
    done.stdout += done.stderr
    return done


@needs_gl
def test_a_movie_and_an_animation_of_one_run(world_file: Callable[..., Path], tmp_path: Path) -> None:
    """The mode is fast, for nobody would be left behind."""
    movie, page = tmp_path / "m.mp4", tmp_path / "a.html"
    small = ["--size", "64x48", "--duration", "2", "--fps", "10", "--speed", "2"]
    done = odesim("movie", world_file(), movie, *small)
    assert done.returncode == 0 and "step 4 ms, fast" in done.stdout
    assert "10 pictures of 64x48" in done.stdout and frames(movie) == 10
    done = odesim("run", world_file(), "--mode", "fast", "--duration", "0.2", "--animation", page)
    assert done.returncode == 0 and "6 frames, 0.20 s" in done.stdout
    assert page.read_text(encoding="utf-8").startswith("<!")


@needs_gl
def test_ctrl_c_leaves_a_movie_that_can_be_played(world_file: Callable[..., Path], tmp_path: Path) -> None:
    file = tmp_path / "m.mp4"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "ros_bridge.cli", "movie", str(world_file()), str(file)),
            *("--duration", "1000", "--size", "64x48"),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        wait_until(lambda: file.exists() and file.stat().st_size >= 2000, "some of the film")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30.0)
    finally:
        process.kill()
    assert process.returncode == 0, out
    assert "Traceback" not in out
    assert f"{frames(file)} pictures of 64x48" in out


@pytest.mark.parametrize(
    ("movie", "how", "text"),
    [
        ("m", {}, "found the ending ''"),
        ("/dev/null/m.mp4", {}, "there is no folder /dev/null"),
        ("m.mp4", {"size": "63x48"}, "width: found 63, expected an even number"),
        ("m.mp4", {"size": "big"}, "expected WIDTHxHEIGHT"),
        ("m.mp4", {"fps": 0.0}, "fps: found 0"),
        ("m.mp4", {"quality": 0}, "quality: found 0"),
        ("m.mp4", {"speed": float("nan")}, "speed: found nan"),
    ],
)
def test_what_cannot_be_filmed_is_refused_before_the_world_is_loaded(
    movie: str, how: dict[str, Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=re.escape(text)):
        check_recordings(RunOptions("none.wbt", movie=RecordingOptions(movie, **how)))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["movie", "W", "m.mov"], "m.mov: found the ending '.mov', expected .mp4, .webm, .avi or .gif\n"),
        (["animate", "W", "a.wva"], "a.wva: found the ending '.wva', expected .html or .htm\n"),
    ],
)
def test_the_commands_say_it_in_one_line(
    words: list[str], text: str, world_file: Callable[..., Path], tmp_path: Path
) -> None:
    done = odesim(*(str(world_file()) if word == "W" else word for word in words), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, text)


def set_parameter(client: Any, name: str, value: str) -> Any:
    text = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=text)])
    return client.call("set_parameters", request, SetParameters).results[0]


@needs_gl
def test_services_take_pictures_and_record(
    world_file: Callable[..., Path], simulate: Callable[..., Any], client: Any, tmp_path: Path
) -> None:
    simulate(world_file(), mode="paused")
    shot, movie, page = tmp_path / "s.png", tmp_path / "m.mp4", tmp_path / "a.html"
    for name, value in (
        ("shot_file", shot),
        ("movie_file", movie),
        ("animation_file", page),
        ("picture_size", "64x48"),
    ):
        assert set_parameter(client, name, str(value)).successful
    answer = client.call("shot")
    assert answer.success and str(shot) in answer.message
    assert Image.open(shot).size == (64, 48)
    assert client.call("start_movie").success and client.call("start_animation").success
    again = client.call("start_movie")
    assert not again.success and "is being recorded" in again.message
    for _ in range(3):
        assert client.call("step").success
    stopped = client.call("stop_movie")
    assert stopped.success and "1 pictures of 64x48" in stopped.message
    assert frames(movie) == 1
    assert client.call("stop_animation").success and page.stat().st_size > 100_000
    assert not client.call("stop_animation").success
    assert set_parameter(client, "movie_file", str(tmp_path / "none" / "m.mp4")).successful
    refused = client.call("start_movie")
    assert not refused.success and "there is no folder" in refused.message
