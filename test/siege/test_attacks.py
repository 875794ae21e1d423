"""Files that once led to a traceback: each is read, or refused in lines that name it."""

from __future__ import annotations

import wave
from pathlib import Path

import pytest

from ros_bridge.cli.__main__ import main
from sim_core.base.errors import OdesimError
from sim_core.devices.sound.sound_file import read_clip

HEAD = "#VRML_SIM R2025a utf8\n"
FILES = {
    "a rotation about nearly no axis": ("w.wbt", HEAD + "Solid { rotation 0 0 1e-300 1 }"),
    "a rotation about the smallest number": ("w.wbt", HEAD + "Solid { rotation 5e-324 0 0 1 }"),
    "a radar that sees nothing": (
        "w.wbt",
        HEAD + "Robot { children Radar { minRange 1e308 maxRange -1 horizontalFieldOfView 1e-320 } }",
    ),
    "a radar of no frequency": (
        "w.wbt",
        HEAD + "Robot { children Radar { frequency 0 transmittedPower 1e308 } }",
    ),
    "a resolution of 0": (
        "w.wbt",
        HEAD + "Robot { children [ GPS { resolution 0 } Gyro { resolution 5e-324 } ] }",
    ),
    "a resolution that overflows": ("w.wbt", HEAD + "Robot { children Compass { resolution 1e-308 } }"),
    "a child far away": ("w.wbt", HEAD + "Solid { children Solid { translation -1e308 0 0 } }"),
    "an include by a broken address": ("w.wbt", HEAD + 'EXTERNPROTO "https://[::1"\nSolid { }'),
    "an include of nobody": ("w.wbt", HEAD + 'EXTERNPROTO "~nouser/x.proto"\nSolid { }'),
    "parameters of comments only": ("p.yaml", "# nothing\n# at all\n"),
    "a date as a number": (
        "p.yaml",
        "odesim:\n  ros__parameters:\n    seed: 2001-01-01\n    speed: 2001-99-99\n",
    ),
    "a sweep of dates": ("s.yaml", "world: wall_follower\nduration: 2001-01-01\nseeds: [2001-99-99]\n"),
    "a sweep of comments only": ("s.yaml", "# nothing\n"),
}
COMMANDS = {
    ".wbt": ("check", "{}"),
    ".yaml": (
        "run",
        "wall_follower",
        "--mode",
        "fast",
        "--duration",
        "0.01",
        "--no-controllers",
        "--params",
        "{}",
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_a_file_that_is_not_as_it_should_be(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    name, text = FILES[what]
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    command = ("batch", "{}") if "sweep" in what else COMMANDS[file.suffix]
    code = main([word.format(file) for word in command])
    said = capfd.readouterr().err
    assert "Traceback" not in said
    if code and command[0] != "run":
        assert code in (1, 2) and all(str(file) in line for line in said.splitlines() if line.strip())
    if "date" in what and command[0] == "run":
        assert code == 2 and len([line for line in said.splitlines() if str(file) in line]) >= 1


def test_a_torn_sound(tmp_path: Path) -> None:
    whole = tmp_path / "whole.wav"
    with wave.open(str(whole), "wb") as made:
        made.setparams((1, 2, 8000, 0, "NONE", ""))
        made.writeframes(bytes(range(200)))
    data = whole.read_bytes()
    for length in range(len(data)):
        torn = tmp_path / "torn.wav"
        torn.write_bytes(data[:length])
        try:
            read_clip(torn)
        except OdesimError as error:
            assert len(str(error).splitlines()) == 1
