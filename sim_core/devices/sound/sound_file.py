"""Sound files in the formats of Python's standard library: WAV, AIFF, AU; PCM, mono or stereo."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import CommandError
from sim_core.base.limits import limit, limit_text

READERS = {".wav": "wave", ".aif": "aifc", ".aiff": "aifc", ".aifc": "aifc", ".au": "sunau", ".snd": "sunau"}
"""Module for each file name extension; Python 3.13 and later have no `aifc` and `sunau`."""


class Clip(NamedTuple):
    """A sound; a full-scale sine has amplitude 1."""

    frames: FloatArray
    """(n, 2) left and right, from -1 to 1; equal for a mono sound."""
    rate: int
    """Frames per second."""


def read_clip(path: Path) -> Clip:
    """Read a sound file.

    Raises:
        CommandError: the file does not exist, is not a sound file, or has an unsupported format.
    """
    kind = path.suffix.lower()
    if kind not in READERS:
        raise CommandError(
            f"{path}: found the ending {kind or 'of no file'}, expected one of {', '.join(READERS)}"
        )
    reader = _module(kind, path)
    try:
        with path.open("rb") as file, reader.open(file, "rb") as sound:
            return _decode(sound, path, kind)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}, expected a sound file") from None
    except CommandError:
        raise
    except Exception as error:  # Python's readers raise other errors than documented for truncated files
        text = str(error) or "a truncated file"
        raise CommandError(f"{path}: found {text}, expected a PCM {kind[1:].upper()} file") from None


def _module(kind: str, path: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return import_module(READERS[kind])
        except ImportError:
            raise CommandError(
                f"{path}: this version of Python cannot read {kind} files, expected a .wav file"
            ) from None


def _decode(sound: Any, path: Path, kind: str) -> Clip:
    channels, width, rate, count = sound.getparams()[:4]
    compression = sound.getcomptype()
    if compression not in ("NONE", b"NONE") or channels not in (1, 2) or not 1 <= width <= 4 or rate < 1:
        raise CommandError(
            f"{path}: found {channels} channels of {8 * width} bits, compression {compression}, "
            "expected mono or stereo PCM of 8 to 32 bits"
        )
    if not 0 < count <= limit("sound_frames"):
        raise CommandError(f"{path}: found {count} frames, expected 1 and {limit_text('sound_frames')}")
    data = np.frombuffer(sound.readframes(count), np.uint8)
    raw = data[: len(data) // (width * channels) * (width * channels)].reshape(-1, width)
    if not len(raw):
        raise EOFError
    if kind != ".wav":
        raw = raw[:, ::-1]  # the most significant byte comes first in these formats
    values = np.zeros((len(raw), 4), np.uint8)
    values[:, 4 - width :] = raw
    if kind == ".wav" and width == 1:
        values[:, 3] ^= 0x80  # only 8-bit WAV has unsigned samples
    samples = values.view("<i4")[:, 0] / 2.0**31
    frames = samples.reshape(-1, channels)
    return Clip(np.repeat(frames, 3 - channels, axis=1), rate)
