"""Input of the user in the axes of a world's file."""

from ros_bridge.controller_api.user_input import input_in_file
from sim_core.scene.axes import NUE_TO_ENU
from webots_api.controller.user_input import KEYS, MOUSE

EAST, NORTH, UP = 1.0, 2.0, 3.0


def test_the_point_below_the_mouse_is_in_the_axes_of_the_file():
    state = [1, 0, 0, 0.25, 0.5, EAST, NORTH, UP]
    assert input_in_file(MOUSE, state, NUE_TO_ENU) == [1, 0, 0, 0.25, 0.5, NORTH, UP, EAST]


def test_what_has_no_point_stays():
    for kind, value in ((MOUSE, [0, 0, 0, 0.25, 0.5, None, None, None]), (KEYS, [1, 2, 3, 4, 5, 6, 7, 8])):
        assert input_in_file(kind, value, NUE_TO_ENU) == value
