"""Depths as a picture of Radiance, read back as its format says."""

import numpy as np
import pytest

from ros_bridge.controller_api.picture_files import radiance


def test_depths_come_back_from_a_hdr_file() -> None:
    """value = mantissa/256·2^(exponent - 128); what is infinite is at the farthest, or 0."""
    depths = np.array([[0.5, 1.0, 3.7], [0.0123, np.inf, -np.inf]], np.float32)
    head, _, pixels = radiance(depths, 12.0).partition(b"\n\n-Y 2 +X 3\n")
    assert head.decode() == "#?RADIANCE\nFORMAT=32-bit_rle_rgbe"
    rgbe = np.frombuffer(pixels, np.uint8).reshape(2, 3, 4).astype(float)
    assert (rgbe[..., 0] == rgbe[..., 1]).all() and (rgbe[..., 0] == rgbe[..., 2]).all()
    got = rgbe[..., 0] / 256.0 * 2.0 ** (rgbe[..., 3] - 128.0)
    want = np.nan_to_num(depths.astype(float), posinf=12.0, neginf=0.0)
    assert got == pytest.approx(want, rel=1 / 128)
    assert got[0, 0] == 0.5 and got[1, 2] == 0.0
