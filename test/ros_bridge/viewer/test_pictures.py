"""Conversion of images of all encodings to red, green, blue."""

import numpy as np
import pytest
from sensor_msgs.msg import Image

from ros_bridge.viewer.picture_panel import enlarged, pixels_of

RED_GREEN = np.array([[[255, 0, 0], [0, 255, 0]]], np.uint8)


def image(encoding: str, pixels: np.ndarray, padding: int = 0) -> Image:
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, -1).view(np.uint8)
    rows = np.pad(rows, ((0, 0), (0, padding)))
    return Image(
        height=height, width=width, encoding=encoding, step=rows.shape[1], data=rows.tobytes(), is_bigendian=0
    )


@pytest.mark.parametrize("padding", [0, 3])
def test_colours_in_any_order(padding):
    np.testing.assert_array_equal(pixels_of(image("rgb8", RED_GREEN, padding)), RED_GREEN)
    np.testing.assert_array_equal(pixels_of(image("bgr8", RED_GREEN[:, :, ::-1].copy(), padding)), RED_GREEN)
    alpha = np.full((1, 2, 1), 9, np.uint8)
    bgra = np.concatenate((RED_GREEN[:, :, ::-1], alpha), axis=2)
    np.testing.assert_array_equal(pixels_of(image("bgra8", bgra, padding)), RED_GREEN)


def test_grey_is_equal_in_all_colours():
    grey = np.array([[0, 128], [255, 7]], np.uint8)
    np.testing.assert_array_equal(pixels_of(image("mono8", grey)), np.stack([grey] * 3, axis=2))
    words = np.array([[0, 65535]], "<u2")
    np.testing.assert_array_equal(pixels_of(image("mono16", words))[0, :, 0], [0, 255])


def test_depth_is_white_near_dark_far_and_black_where_nothing_is():
    depth = np.array([[1.0, 3.0, np.inf, np.nan]], "<f4")
    np.testing.assert_array_equal(pixels_of(image("32FC1", depth))[0, :, 0], [255, 30, 0, 0])
    nothing = np.full((1, 2), np.inf, "<f4")
    assert not pixels_of(image("32FC1", nothing)).any()


def test_what_cannot_be_shown_is_nothing():
    assert pixels_of(image("bayer_rggb8", RED_GREEN)) is None
    assert pixels_of(Image()) is None
    short = image("rgb8", RED_GREEN)
    short.data = short.data[:-1]
    assert pixels_of(short) is None


def test_small_pictures_are_enlarged_pixel_by_pixel():
    big = enlarged(RED_GREEN, 5)
    assert big.shape == (3, 6, 3)
    np.testing.assert_array_equal(big[::3, ::3], RED_GREEN)
    assert enlarged(RED_GREEN, 2) is RED_GREEN
