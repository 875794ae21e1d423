"""Sound files: a round trip, and refused files."""

from __future__ import annotations

import warnings
import wave
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import CommandError
from sim_core.devices.sound.sound_file import read_clip

FRAMES = np.array([[0.0, 1.0], [0.5, -1.0], [-0.25, 0.125], [1.0, 0.0]])
MODULES = {"wav": "wave", "aiff": "aifc", "au": "sunau"}
ENDINGS = {ending: module for ending, module in MODULES.items() if find_spec(module) is not None}
"""Python has had the other two until 3.12."""


def write(path: Path, frames: np.ndarray, width: int, rate: int = 8000) -> None:
    """Write a file with the standard library's own writer of the format."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        module = import_module(ENDINGS[path.suffix[1:]])
    whole = np.rint(frames.ravel() * (2 ** (8 * width - 1) - 1)).astype(int).tolist()
    if path.suffix == ".wav":
        shift = 128 if width == 1 else 0
        raw = [(each + shift).to_bytes(width, "little", signed=width > 1) for each in whole]
    else:
        raw = [each.to_bytes(width, "big", signed=True) for each in whole]
    with path.open("wb") as file, module.open(file, "wb") as sound:
        sound.setnchannels(1 if frames.ndim == 1 else 2)
        sound.setsampwidth(width)
        sound.setframerate(rate)
        if path.suffix == ".au":
            sound.setcomptype("NONE", "")
        sound.writeframes(b"".join(raw))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_what_was_written_is_read(tmp_path: Path, ending: str, width: int) -> None:
    file = tmp_path / f"s.{ending}"
    error = 2.0 ** (1 - 8 * width)
    write(file, FRAMES, width)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = read_clip(file)
    assert clip.rate == 8000
    assert clip.frames == pytest.approx(FRAMES, abs=2 * error)
    write(file, FRAMES[:, 0], width)
    assert read_clip(file).frames == pytest.approx(FRAMES[:, [0, 0]], abs=2 * error)


def test_what_is_no_sound_is_refused(tmp_path: Path) -> None:
    def refused(name: str, data: bytes, match: str) -> None:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CommandError, match=match):
            read_clip(tmp_path / name)

    for ending in ENDINGS:
        refused(f"text.{ending}", b"this is no sound at all, whatever its name says", "expected a PCM")
        refused(f"empty.{ending}", b"", "expected a PCM")
    refused("song.mp3", b"ID3", "found the ending .mp3, expected one of .wav")
    with pytest.raises(CommandError, match=r"No such file .*expected a sound file"):
        read_clip(tmp_path / "none.wav")


def test_too_many_channels_and_no_frames_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.wav"
    for channels, count, match in ((3, 4, "found 3 channels"), (1, 0, "found 0 frames")):
        with wave.open(str(file), "wb") as sound:
            sound.setparams((channels, 2, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(2 * channels * count))
        with pytest.raises(CommandError, match=match):
            read_clip(file)


def test_a_file_that_ends_too_early_gives_what_there_is(tmp_path: Path) -> None:
    file = tmp_path / "s.wav"
    write(file, FRAMES, 2)
    file.write_bytes(file.read_bytes()[:-5])
    assert read_clip(file).frames == pytest.approx(FRAMES[:2], abs=1e-4)
