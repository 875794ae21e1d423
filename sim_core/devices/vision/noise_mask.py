"""The picture that a Camera's `noiseMaskUrl` lays over its own, elsewhere each time."""

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
    """A picture, pixel on pixel, side by side with itself where it is smaller (Webots reference, Camera).

    Each pixel of the camera becomes c·(1 - a) + m·a, m and a being the colour, as it is in the file, and the
    opacity of the mask's pixel. Row and column of the mask that are at the picture's upper left corner are
    drawn anew for each picture, all of them equally likely, from the seed and the sim time alone.
    """

    def __init__(self, mask: NDArray[np.uint8], seed: int) -> None:
        """Take a mask: (height, width, 4) red, green, blue and opacity, of any size."""
        opacity = mask[..., 3:].astype(np.float32) / 255.0
        self._added: Float32Array = mask[..., 2::-1] * opacity  # blue, green, red
        self._left: Float32Array = 1.0 - opacity
        self._noise = Noise(device_seed(seed, "noise mask"))

    def corner(self, time_ns: int) -> tuple[int, int]:
        """Row and column of the mask that lie on the first pixel at this sim time."""
        height, width = self._left.shape[:2]
        first, second = self._noise.normals(time_ns, 2)
        return _evenly(first, height), _evenly(second, width)

    def over(self, time_ns: int, picture: NDArray[Any]) -> Float32Array:
        """(height, width, 3) a picture of blue, green and red, 0 to 255, under the mask."""
        row, column = self.corner(time_ns)
        rows = (np.arange(picture.shape[0]) + row) % self._left.shape[0]
        columns = (np.arange(picture.shape[1]) + column) % self._left.shape[1]
        part = np.ix_(rows, columns)
        return picture[..., :3] * self._left[part] + self._added[part]


def noise_mask_of(spec: NodeSpec, projection: str, seed: int) -> tuple[NoiseMask | None, list[SceneError]]:
    """The mask of a Camera, and in a line why there is none although one is asked for.

    Args:
        spec: of the Camera.
        projection: of its pictures; there are masks for planar ones only, as in Webots.
        seed: of the device.
    """
    mask = spec["noiseMaskUrl"]
    if mask is None:
        return None, []
    if projection != "planar":
        what = f'{spec.type_name}.noiseMaskUrl with the projection "{projection}"'
        return None, [SceneError(*spec.source, what, '"planar": the mask is left out')]
    try:
        return NoiseMask(picture_of(mask), seed), []
    except SceneError as error:
        return None, [error]


def _evenly(normal: float, count: int) -> int:
    """A whole number from 0 to count - 1, all equally likely, from a normally distributed one."""
    return min(count - 1, int(count * 0.5 * (1.0 + math.erf(normal / math.sqrt(2.0)))))
