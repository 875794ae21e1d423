"""Radiance pictures (.hdr, RGBE; G. Ward, Real Pixels, Graphics Gems II, 1991): light without upper limit."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray, Pixels
from sim_core.base.errors import SceneError
from sim_core.base.limits import limit, limit_text
from sim_core.scene.meshes.node_files import FileReference

_HEAD = re.compile(rb"#\?(?:[^\n]+\n)+\n-Y (\d{1,6}) \+X (\d{1,6})\n")
_NARROWEST, _WIDEST = 8, 0x7FFF
"""Widths of pictures whose rows may be run-length encoded."""


class RadianceError(Exception):
    """A file is not a usable Radiance picture; never leaves this module."""


def mean_light(file: FileReference) -> FloatArray:
    """Return the mean red, green and blue of the picture that a node names, (3,).

    Raises:
        SceneError: its file is missing or not a Radiance picture.
    """
    path = file.find_file()
    try:
        found = path.stat()
        return _mean(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except RadianceError as error:
        reason = str(error)
    raise SceneError(*file.source, f'{file.what} "{file.url}": {reason}')


def decode(data: bytes) -> Float32Array:
    """Return the light of a picture, (height, width, 3) linear red, green and blue, the top row first.

    Raises:
        RadianceError: it is no Radiance picture of this form, it ends early, or it is too large.
    """
    head = _HEAD.match(data)
    if head is None or b"32-bit_rle_rgbe" not in head[0]:
        raise RadianceError("no picture, expected Radiance (.hdr) with 32-bit_rle_rgbe and -Y +X")
    height, width = int(head[1]), int(head[2])
    if width * height > limit("picture_pixels"):
        raise RadianceError(f"{width} x {height} pixels, expected {limit_text('picture_pixels')}")
    pixels, at = np.zeros((height, width, 4), np.uint8), head.end()
    try:
        for row in pixels:
            at = _read_row(data, at, row)
    except (IndexError, ValueError):
        raise RadianceError(f"ends after {len(data)} bytes, or a row is invalid") from None
    scale = np.where(pixels[..., 3:] > 0, np.exp2(pixels[..., 3:] - 136.0), 0.0)
    return (pixels[..., :3] * scale).astype(np.float32)


def _read_row(data: bytes, at: int, row: Pixels) -> int:
    """Read the pixels of a row, (width, 4); return where the next one begins."""
    width = len(row)
    is_packed = data[at : at + 2] == b"\x02\x02" and data[at + 2] < 128
    if not (is_packed and _NARROWEST <= width <= _WIDEST):
        end = at + 4 * width
        row[:] = np.frombuffer(data[at:end], np.uint8).reshape(width, 4)
        return end
    if data[at + 2] << 8 | data[at + 3] != width:
        raise ValueError(width)
    at += 4
    for channel in row.T:
        filled = 0
        while filled < width:
            count = data[at]
            is_run = count > 128
            count -= 128 * is_run
            values = data[at + 1 : at + 2] if is_run else data[at + 1 : at + 1 + count]
            channel[filled : filled + count] = np.frombuffer(values, np.uint8)
            filled += count
            at += 1 + len(values)
    return at


@lru_cache(maxsize=64)
def _mean(path: Path, _modified: int, size: int) -> FloatArray:
    if size > limit("picture_bytes"):
        raise RadianceError(f"{size} bytes, expected {limit_text('picture_bytes')}")
    mean: FloatArray = decode(path.read_bytes()).mean(axis=(0, 1), dtype=float)
    mean.flags.writeable = False
    return mean
