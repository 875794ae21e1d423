"""Radiance pictures against their format: a pixel (r, g, b, e) is the light (r, g, b)·2^(e-136)."""

import numpy as np
import pytest

from sim_core.scene.meshes.radiance_files import RadianceError, decode

HEAD = b"#?RADIANCE\n# by hand\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=2\n\n"
PIXELS = b"".join(bytes((0, 128, 255, 128 + k)) for k in range(8))
LIGHT = [[0.0, 0.5 * 2.0**k, 255 / 256 * 2.0**k] for k in range(8)]


def test_rows_of_pixels() -> None:
    light = decode(HEAD + b"-Y 2 +X 4\n" + PIXELS)
    assert light.shape == (2, 4, 3)
    assert light.reshape(8, 3).tolist() == LIGHT


def test_an_exponent_of_0_is_black() -> None:
    assert not decode(HEAD + b"-Y 1 +X 1\n" + bytes((9, 9, 9, 0))).any()


def test_rows_in_runs_and_in_packets_that_differ() -> None:
    """Each row begins with 2, 2 and its width; then each channel in packets: 128 + n and a value, n and n
    values."""
    runs = bytes((136, 0)) + bytes((133, 128, 131, 128)) + bytes((136, 255))
    exponents = bytes((8, *range(128, 136)))
    row = bytes((2, 2, 0, 8)) + runs + exponents
    light = decode(HEAD + b"-Y 3 +X 8\n" + row + PIXELS + row)
    assert [each.tolist() for each in light] == [LIGHT] * 3


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x89PNG", "expected Radiance"),
        (HEAD + b"+Y 1 +X 1\n" + bytes(4), "expected Radiance"),
        (HEAD.replace(b"rgbe", b"xyze") + b"-Y 1 +X 1\n" + bytes(4), "expected Radiance"),
        (HEAD + b"-Y 2 +X 4\n" + PIXELS[:-1], "ends after"),
        (HEAD + b"-Y 1 +X 8\n" + bytes((2, 2, 0, 8, 136, 0)), "ends after"),
        (HEAD + b"-Y 1 +X 8\n" + bytes((2, 2, 0, 9)) + bytes(40), "a row is invalid"),
        (HEAD + b"-Y 1 +X 8\n" + bytes((2, 2, 0, 8)) + bytes(40), "a row is invalid"),
        (HEAD + b"-Y 99999 +X 99999\n", "99999 x 99999 pixels"),
    ],
)
def test_what_is_not_such_a_picture_is_refused(data: bytes, text: str) -> None:
    with pytest.raises(RadianceError, match=text):
        decode(data)


def test_depths_that_odesim_writes_are_read() -> None:
    from ros_bridge.controller_api.picture_files import radiance

    depths = np.array([[0.5, 1.0, 3.75], [0.0, 8.0, 100.0]], np.float32)
    assert np.array_equal(decode(radiance(depths, 100.0))[..., 1], depths)
