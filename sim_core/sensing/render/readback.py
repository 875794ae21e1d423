"""Transfer of pictures from the graphics card to memory while the next ones are drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class PendingPixels(NamedTuple):
    """Pixels that are being transferred.

    Attributes:
        buffer: OpenGL buffer with the pixels.
        target: array for the pixels.
    """

    buffer: Any
    target: NDArray[np.generic]


class Readback:
    """Copies framebuffers into arrays in two parts, between which OpenGL continues drawing."""

    def __init__(self, context: Any) -> None:
        self._gl = context
        self._free: dict[int, list[Any]] = {}

    def begin_copy(self, framebuffer: Any, layer: str, target: NDArray[np.generic]) -> PendingPixels:
        """Start the transfer of a layer; later drawing does not change its pixels."""
        free = self._free.setdefault(target.nbytes, [])
        buffer = free.pop() if free else self._gl.buffer(reserve=target.nbytes)
        components = 1 if layer == "depth" else 4
        dtype = "f1" if target.dtype == np.uint8 else "f4"
        framebuffer.read_into(buffer, components=components, dtype=dtype, alignment=1)
        return PendingPixels(buffer, target)

    def finish_copy(self, unread: PendingPixels) -> None:
        """Wait for the pixels, and write them into their array."""
        unread.buffer.read_into(unread.target)
        self._free[unread.target.nbytes].append(unread.buffer)
