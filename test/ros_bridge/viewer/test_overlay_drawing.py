"""Conversion of the simulation's overlay markers to arrays."""

import numpy as np
from visualization_msgs.msg import Marker

from ros_bridge.overlays.primitives import MarkerMaker, Primitives
from ros_bridge.viewer.scene.overlay_drawing import overlay_drawing


def test_what_was_marked_is_drawn() -> None:
    red = np.arange(12.0).reshape(4, 3)
    green = 100.0 + np.arange(6.0).reshape(2, 3)
    dots = -np.arange(9.0).reshape(3, 3)
    marks = [
        Primitives("a", red, (1.0, 0.0, 0.0)),
        Primitives("b", green, (0.0, 1.0, 0.0)),
        Primitives("c", dots, (0.0, 0.0, 1.0), are_dots=True),
    ]
    found = overlay_drawing(MarkerMaker().markers(marks, 0))
    assert found.lines.reshape(-1, 3).tolist() == [*red.tolist(), *green.tolist()]
    assert found.line_colours[:, 0].tolist() == found.line_colours[:, 1].tolist()
    assert found.line_colours[:, 0].tolist() == [[255, 0, 0], [255, 0, 0], [0, 255, 0]]
    assert found.dots.tolist() == dots.tolist()
    assert found.dot_colours.tolist() == [[0, 0, 255]] * 3


def test_an_odd_point_and_other_markers_are_left_out() -> None:
    marker = MarkerMaker().markers([Primitives("a", np.zeros((3, 3)), (1.0, 0.0, 0.0))], 0)[1]
    found = overlay_drawing([Marker(type=Marker.CUBE), marker])
    assert (found.lines.shape, found.line_colours.shape, found.dots.shape) == ((1, 2, 3), (1, 2, 3), (0, 3))
