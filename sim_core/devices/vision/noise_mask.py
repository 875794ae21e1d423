"""Noise mask: the picture `noiseMaskUrl` that is laid over each picture of a Camera, each time shifted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import Float32Array
from sim_core.base.errors import SceneError
from sim_core.devices.noise import Noise, device_seed
from sim_core.model.device_spec import NodeSpec
from sim_core.scene.meshes.picture_files import picture_of


class NoiseMask:
    """A picture that is laid over others, repeated where it is smaller (Webots reference, Camera).

    Each pixel of the camera becomes c·(1 - a) + m·a, m and a being the colour, as it is in the file, and the
    opacity of the mask's pixel. Row and column of the mask at the picture's upper left corner are drawn again
    for each picture, all of them equally likely, from the seed and the sim time alone.
    """

    def __init__(self, mask: NDArray[np.uint8], seed: int) -> None:
        """Prepare a mask: (height, width, 4) red, green, blue and opacity, of any size."""
        opacity = mask[..., 3:].astype(np.float32) / 255.0
        self._added: Float32Array = mask[..., 2::-1] * opacity  # blue, green, red
        self._left: Float32Array = 1.0 - opacity
        self._noise = Noise(device_seed(seed, "noise mask"))

    def corner(self, time_ns: int) -> tuple[int, int]:
        """Return row and column of the mask on the first pixel at this sim time."""
        height, width = self._left.shape[:2]
        first, second = self._noise.normals(time_ns, 2)
        return _evenly(first, height), _evenly(second, width)

    def apply(self, time_ns: int, picture: NDArray[Any]) -> Float32Array:
        """Lay the mask over a picture, (height, width, 3 or 4), of blue, green and red, 0 to 255; return
        (height, width, 3)."""
        row, column = self.corner(time_ns)
        rows = (np.arange(picture.shape[0]) + row) % self._left.shape[0]
        columns = (np.arange(picture.shape[1]) + column) % self._left.shape[1]
        part = np.ix_(rows, columns)
        return picture[..., :3] * self._left[part] + self._added[part]


def noise_mask_of(spec: NodeSpec, projection: str, seed: int) -> tuple[NoiseMask | None, list[SceneError]]:
    """Return the mask of a Camera, and a warning if it is set but not used.

    Args:
        spec: record of the Camera.
        projection: of its pictures; masks apply to planar ones only, as in Webots.
        seed: seed of the device.
    """
    mask = spec["noiseMaskUrl"]
    if mask is None:
        return None, []
    if projection != "planar":
        what = f'{spec.type_name}.noiseMaskUrl with the projection "{projection}"'
        return None, [SceneError(*spec.source, what, '"planar": the mask is not used in other pictures')]
    try:
        return NoiseMask(picture_of(mask), seed), []
    except SceneError as error:
        return None, [error]


def _evenly(normal: float, count: int) -> int:
    """Convert a normally distributed number to a whole number from 0 to count - 1, all equally likely."""
    return min(count - 1, int(count * 0.5 * (1.0 + math.erf(normal / math.sqrt(2.0)))))
