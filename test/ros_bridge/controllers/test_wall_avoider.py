import itertools

import pytest

from ros_bridge.controllers.wall_avoider import decide

FREE = 2.0
STRAIGHT, TURN_RIGHT, TURN_LEFT = (5.0, 5.0), (2.0, -2.0), (-2.0, 2.0)


@pytest.mark.parametrize(
    ("front", "left", "right", "speeds"),
    [
        (FREE, FREE, FREE, STRAIGHT),
        (0.96, 0.6, 0.6, STRAIGHT),
        (0.95, FREE, FREE, TURN_RIGHT),
        (FREE, 0.4, FREE, TURN_RIGHT),
        (FREE, FREE, 0.4, TURN_LEFT),
        (FREE, 0.3, 0.4, TURN_RIGHT),
        (FREE, 0.4, 0.3, TURN_LEFT),
        (FREE, 0.5, FREE, STRAIGHT),  # the limit itself is free on the sides
        (FREE, 0.3, 0.3, STRAIGHT),  # the thesis has no rule for a tie
        (0.5, FREE, 0.3, TURN_RIGHT),  # the front goes first
    ],
)
def test_the_rules_of_the_thesis(
    front: float, left: float, right: float, speeds: tuple[float, float]
) -> None:
    assert decide(front, left, right) == speeds


def test_without_anything_ahead_it_is_the_same_in_a_mirror() -> None:
    distances = [0.1, 0.3, 0.5, 0.7, FREE]
    for left, right in itertools.product(distances, distances):
        assert decide(FREE, left, right) == decide(FREE, right, left)[::-1]
