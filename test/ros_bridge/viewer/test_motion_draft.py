"""Poses in order, and the motion file made from them."""

import math

import numpy as np
import pytest

from ros_bridge.viewer.motion_draft import MotionDraft, parse_positions, positions_text
from sim_core.session.players.motion import parse_motion

WAVE = (
    "#WEBOTS_MOTION,V1.0,shoulder,elbow\n00:00:000,rest,0.0,0.5\n00:01:000,up,*,1.5\n00:03:000,down,1.0,*\n"
)


def test_a_motion_file_is_opened_changed_and_saved() -> None:
    draft = MotionDraft.from_motion(parse_motion(WAVE))
    assert draft.text() == WAVE
    at = draft.insert_pose(0, {"shoulder": 0.25}, 500)  # between the first two, shifting the later ones
    assert [pose.time for pose in draft.poses] == [0, 500, 1500, 3500]
    draft.replace_pose(at, 700, "turn", parse_positions("shoulder 0.3\nelbow *\n"))
    at = draft.swap(at, 1)
    assert [(pose.time, pose.name) for pose in draft.poses[1:3]] == [(700, "up"), (1500, "turn")]
    assert draft.swap(0, -1) == 0
    draft.set_step(200)
    assert [pose.time for pose in draft.poses] == [0, 200, 400, 600]
    draft.remove_pose(0)
    assert [pose.time for pose in draft.poses] == [0, 200, 400]
    read = parse_motion(draft.text())
    assert read.joints == ("elbow", "shoulder")
    assert read.poses == ("up", "turn", "down")
    expected = [[1.5, math.nan], [math.nan, 0.3], [math.nan, 1.0]]
    np.testing.assert_array_equal(read.path.positions, expected)


def test_a_motor_that_a_pose_leaves_out_goes_on_its_way() -> None:
    draft = MotionDraft.from_motion(parse_motion(WAVE))
    path = draft.path(reverse=False)
    np.testing.assert_allclose(path.positions, [[0.0, 0.5], [1.0 / 3.0, 1.5], [1.0, 1.5]])
    back = draft.path(reverse=True)
    assert back.times_ns == (0, 2 * 10**9, 3 * 10**9)
    np.testing.assert_allclose(back.positions, path.positions[::-1])


@pytest.mark.parametrize(
    ("time", "name", "words"),
    [(1000, "late", "found the time 1000 ms, expected one after -1"), (0, "a,b", "without commas")],
)
def test_what_no_file_can_hold_is_refused(time: int, name: str, words: str) -> None:
    draft = MotionDraft.from_motion(parse_motion(WAVE))
    with pytest.raises(ValueError, match=words):
        draft.replace_pose(0, time, name, {})
    assert draft.text() == WAVE


def test_positions_are_lines_of_a_name_and_a_number() -> None:
    text = positions_text({"left wheel": 0.5}, ("left wheel", "arm"))
    assert text == "left wheel 0.5\narm *"
    assert parse_positions(text) == {"left wheel": 0.5}
    with pytest.raises(ValueError, match='found "arm up", expected the name of a motor and its position'):
        parse_positions("arm up")
    with pytest.raises(ValueError, match="found no pose with a motor"):
        MotionDraft().text()
