import pytest

from ros_bridge.controllers.wall_follower import decide

STRAIGHT, SPIN_RIGHT, CURVE_RIGHT, CURVE_LEFT = (4.0, 4.0), (4.0, -4.0), (4.0, 2.0), (2.0, 4.0)


@pytest.mark.parametrize(
    ("front", "left", "speeds"),
    [
        (2.0, 1.0, STRAIGHT),
        (1.0, 0.4, STRAIGHT),
        (1.0, 1.6, STRAIGHT),
        (0.99, 1.0, SPIN_RIGHT),
        (0.5, 0.1, SPIN_RIGHT),  # the front goes first
        (2.0, 0.39, CURVE_RIGHT),
        (2.0, 1.61, CURVE_LEFT),
    ],
)
def test_the_rules_of_the_thesis(front: float, left: float, speeds: tuple[float, float]) -> None:
    assert decide(front, left) == speeds
