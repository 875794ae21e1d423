"""A rendered checkerboard is where CameraInfo says, and OpenCV's calibration returns CameraInfo's numbers."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from checkerboard import boards, cells, inner_corners
from pictures import needs_gl
from sensor_msgs.msg import CameraInfo

from ros_bridge.devices.cameras import camera_info
from sim_core.sensing.picture_view import LensModel, PictureView


def projected(info: CameraInfo, points: np.ndarray) -> np.ndarray:
    """(n, 2) pixels of points in the axes of the device, by OpenCV."""
    optical = np.stack([-points[:, 1], -points[:, 2], points[:, 0]], axis=1)
    k, d = np.array(info.k).reshape(3, 3), np.array(info.d)
    pixels, _ = cv2.projectPoints(optical, np.zeros(3), np.zeros(3), k, d)
    return pixels.reshape(-1, 2)


@needs_gl
def test_a_checkerboard_calibrates_to_camera_info(tmp_path: Path) -> None:
    device, found = boards(tmp_path, "")
    assert len(found) >= 10
    info = CameraInfo()
    camera_info(info, device.view)
    middles, is_white = cells()
    offsets = []
    for seen in found:
        points = inner_corners() @ seen.turn.T + seen.place
        offsets.append(seen.corners - projected(info, points))
        pixels = np.rint(projected(info, middles @ seen.turn.T + seen.place)).astype(int)
        inside = ((pixels >= 0) & (pixels < (640, 480))).all(axis=1)
        columns, rows = pixels[inside].T
        assert ((seen.picture[rows, columns, 1] > 100) == is_white[inside]).all()
    off = np.linalg.norm(offsets, axis=2)
    assert off.max() < 0.5 and np.median(off) < 0.15
    assert abs(np.mean(offsets, axis=(0, 1))).max() < 0.03  # and on the whole they are not off
    board = inner_corners()
    flat = np.stack([-board[:, 1], -board[:, 2], 0 * board[:, 0]], axis=1).astype(np.float32)
    images = [seen.corners.astype(np.float32).reshape(-1, 1, 2) for seen in found]
    error, k, d, _, _ = cv2.calibrateCamera([flat] * len(images), images, (640, 480), None, None)
    assert error < 0.2
    assert k[0, 0] == pytest.approx(info.k[0], rel=0.005)
    assert k[1, 1] == pytest.approx(info.k[4], rel=0.005)
    assert k[:2, 2] == pytest.approx([info.k[2], info.k[5]], abs=2.0)
    assert abs(d.ravel()[:2]).max() < 0.05


LENSES = [
    "radialCoefficients -0.35 0.1",
    "radialCoefficients 0.25 0 tangentialCoefficients 0.02 -0.015",
]


@needs_gl
@pytest.mark.parametrize("lens", LENSES)
def test_a_lens_bends_as_camera_info_says(tmp_path: Path, lens: str) -> None:
    device, found = boards(tmp_path, f"lens Lens {{ {lens} }}")
    assert len(found) >= 8
    info = CameraInfo()
    camera_info(info, device.view)
    assert info.distortion_model == "plumb_bob" and any(info.d)
    bent, plain = [], []
    straight = CameraInfo(k=info.k, d=[0.0] * 5)
    for seen in found:
        points = inner_corners() @ seen.turn.T + seen.place
        bent.append(np.linalg.norm(seen.corners - projected(info, points), axis=1))
        plain.append(np.linalg.norm(seen.corners - projected(straight, points), axis=1))
    assert np.max(bent) < 0.6 and np.median(bent) < 0.15
    assert np.max(plain) > 3.0  # it does bend


def test_a_lens_that_is_not_in_the_middle_has_no_model() -> None:
    info = CameraInfo()
    lens = LensModel(centre=(0.4, 0.5), radial=(0.1, 0.0))
    camera_info(info, PictureView(64, 48, 1.0, 0.01, np.inf, lens=lens))
    assert info.distortion_model == "" and len(info.d) == 0
