"""Motion files: rows of the format, their errors, and the timing of playback."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.errors import CommandError, SceneErrors
from sim_core.scene import parse_scene
from sim_core.session.players.motion import Motion, find_motion, parse_motion, read_motion, write_motion
from sim_core.session.players.motion_player import MotionPlayer
from sim_core.session.players.trajectory import Trajectory
from sim_core.session.simulation import Simulation

STEP_NS = 10_000_000
WAVE = """#WEBOTS_MOTION,V1.0,a,b
00:00:000,start,0,0
00:01:000,up,1.0,*
00:02:000,down,-1.0,0.5
"""


def arm(physics: bool = False) -> Simulation:
    """Two hinges that reach their commanded position in one step: without physics and with a high
    acceleration."""
    joints = "".join(
        f"""HingeJoint {{ device RotationalMotor {{ name "{name}" maxVelocity 1e6 maxTorque 1e12 }}
        endPoint Solid {{ name "{name}" }} }}"""
        for name in "ab"
    )
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 10 }} Robot {{ name "r" controller "void" children [ {joints} ] }}"""
    return Simulation(parse_scene(text, "arm.wbt"))


def player(sim: Simulation, text: str = WAVE) -> MotionPlayer:
    robot = sim.robot("r")
    return MotionPlayer(parse_motion(text), robot.motors(), sim.playback)


def positions(sim: Simulation) -> tuple[float, float]:
    return sim.robot("r")["a"].position, sim.robot("r")["b"].position


def test_rows_are_read() -> None:
    motion = parse_motion(WAVE)
    assert motion.joints == ("a", "b")
    assert motion.path.times_ns == (0, 1_000_000_000, 2_000_000_000)
    assert motion.poses == ("start", "up", "down")
    assert np.array_equal(motion.path.positions, [[0, 0], [1, math.nan], [-1, 0.5]], equal_nan=True)
    assert motion.duration == 2.0


@pytest.mark.parametrize(("text", "ms"), [("250", 250), ("3:007", 3007), ("02:03:004", 123004), ("0:0:5", 5)])
def test_forms_of_times(text: str, ms: int) -> None:
    assert parse_motion(f"#WEBOTS_MOTION,V1.0,a\n{text},p,0\n").path.times_ns == (ms * 1_000_000,)


def test_blanks_empty_lines_and_a_comma_at_the_end_do_not_matter() -> None:
    text = "#WEBOTS_MOTION,V1.0, a\r\n\n00:00:000, p , -0.8,\r\n\n"
    assert parse_motion(text).path.positions.tolist() == [[-0.8]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("#WEBOTS,V1.0,a\n", "1:1"),
        ("#WEBOTS_MOTION,V2.0,a\n", "1:16"),
        ("#WEBOTS_MOTION,V1.0\n0,p\n", "1:20"),
        ("#WEBOTS_MOTION,V1.0,a,a\n", "1:23"),
        ("#WEBOTS_MOTION,V1.0,a\n", "1:1"),
        ("#WEBOTS_MOTION,V1.0,a\n1.5,p,0\n", "2:1"),
        ("#WEBOTS_MOTION,V1.0,a\n5,p,0\n5,q,0\n", "3:1"),
        (f"#WEBOTS_MOTION,V1.0,a\n{'1' * 5000},p,0\n", "2:1"),
        ("#WEBOTS_MOTION,V1.0,a\n0,p,x\n", "2:5"),
        ("#WEBOTS_MOTION,V1.0,a\n0,p,nan\n", "2:5"),
        ("#WEBOTS_MOTION,V1.0,a\n0,p\n", "2:3"),
        ("#WEBOTS_MOTION,V1.0,a\n0,p,1,2\n", "2:7"),
    ],
)
def test_errors_name_their_place(text: str, place: str) -> None:
    with pytest.raises(SceneErrors) as caught:
        parse_motion(text, "f.motion")
    assert str(caught.value).splitlines()[0].startswith(f"f.motion:{place}: ")
    assert "expected" in str(caught.value)


def test_all_errors_of_a_file_are_reported() -> None:
    with pytest.raises(SceneErrors) as caught:
        parse_motion("#WEBOTS_MOTION,V1.0,a\n0,p,x\n1,q,y\n")
    assert len(caught.value.problems) == 2


names = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


@st.composite
def motions(draw: st.DrawFn) -> Motion:
    joints = tuple(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
    times = sorted(draw(st.sets(st.integers(0, 10**7), min_size=1, max_size=5)))
    number = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6))
    rows = [[draw(number) for _ in joints] for _ in times]
    path = Trajectory(tuple(time * 1_000_000 for time in times), np.array(rows))
    return Motion(joints, tuple(draw(names) for _ in times), path)


@given(motions())
def test_a_written_motion_is_read_back_equal(motion: Motion) -> None:
    again = parse_motion(write_motion(motion))
    assert (again.joints, again.poses) == (motion.joints, motion.poses)
    assert again.path.times_ns == motion.path.times_ns
    assert np.array_equal(again.path.positions, motion.path.positions, equal_nan=True)


def test_between_poses_positions_are_interpolated_linearly() -> None:
    path = parse_motion(WAVE).path
    assert path.positions_at(250_000_000)[0] == 0.25
    assert path.positions_at(1_500_000_000)[0] == 0.0
    assert np.isnan(path.positions_at(500_000_000)[1]) and np.isnan(path.positions_at(1_500_000_000)[1])
    assert path.positions_at(2_000_000_000)[1] == path.positions_at(7_000_000_000)[1] == 0.5
    assert path.positions_at(0).tolist() == [0.0, 0.0]


def test_a_motion_sends_the_pose_of_its_time_in_each_step() -> None:
    """Step k sends the pose of k·step: after the step the joint, which follows at once, is there."""
    sim = arm()
    wave = player(sim)
    wave.play()
    for k in range(201):
        sim.step()
        assert sim.robot("r")["a"].position == pytest.approx(
            wave.motion.path.positions_at(k * STEP_NS)[0], abs=1e-9
        )
    assert (wave.is_over, wave.is_playing) == (True, False)
    assert positions(sim) == pytest.approx((-1.0, 0.5))


def test_a_joint_with_a_star_keeps_its_target() -> None:
    sim = arm()
    sim.robot("r")["b"].set_position(0.3)
    player(sim, "#WEBOTS_MOTION,V1.0,a,b\n0,p,1,*\n").play()
    sim.step(2)
    assert positions(sim) == pytest.approx((1.0, 0.3))


def test_reverse_plays_from_the_end_to_the_beginning() -> None:
    sim = arm()
    wave = player(sim)
    wave.reverse = True
    wave.play()
    for k in range(201):
        sim.step()
        assert sim.robot("r")["a"].position == pytest.approx(
            wave.motion.path.positions_at((200 - k) * STEP_NS)[0], abs=1e-9
        )
    assert wave.is_over and not wave.is_playing
    wave.reverse = False
    assert not wave.is_over


def test_a_loop_begins_again_and_is_never_over() -> None:
    sim = arm()
    wave = player(sim)
    wave.loop = True
    wave.play()
    sim.step(201)
    assert positions(sim)[0] == pytest.approx(-1.0)
    sim.step(51)
    assert positions(sim)[0] == pytest.approx(0.5)
    assert wave.is_playing and not wave.is_over


def test_stop_keeps_the_time_and_play_goes_on_from_there() -> None:
    sim = arm()
    wave = player(sim)
    wave.play()
    sim.step(50)
    wave.stop()
    sim.step(30)
    assert wave.time == 0.5
    wave.play()
    sim.step()
    assert positions(sim)[0] == pytest.approx(0.5)


def test_the_time_can_be_set_within_the_motion() -> None:
    wave = player(arm())
    for asked, found in ((1.5, 1.5), (-1.0, 0.0), (9.0, 2.0)):
        wave.set_time(asked)
        assert wave.time == found
    assert wave.is_over


def test_joints_that_the_robot_lacks_are_ignored_but_not_all() -> None:
    sim = arm()
    assert player(sim, "#WEBOTS_MOTION,V1.0,a,tail\n0,p,1,1\n").ignored == ["tail"]
    with pytest.raises(CommandError, match="tail, expected some of a, b"):
        player(sim, "#WEBOTS_MOTION,V1.0,tail\n0,p,1\n")


def test_reset_stops_what_plays() -> None:
    sim = arm()
    wave = player(sim)
    wave.play()
    sim.step(20)
    sim.reset()
    sim.step(3)
    assert positions(sim) == (0.0, 0.0)
    assert (wave.time, wave.is_playing) == (0.0, False)


def test_a_robot_plays_a_file(tmp_path: Path) -> None:
    (tmp_path / "wave.motion").write_text(WAVE)
    sim = arm()
    wave = sim.robot("r").play_motion(tmp_path / "wave.motion", reverse=True)
    sim.run(3.0)
    assert wave.is_over
    with pytest.raises(SceneErrors, match=r"none\.motion: no such file"):
        read_motion(tmp_path / "none.motion")


def test_a_motion_is_found_beside_its_world_or_above(tmp_path: Path) -> None:
    world = tmp_path / "worlds" / "w.wbt"
    for folder in ("worlds/motions", "motions"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "motions" / "walk.motion").write_text(WAVE)
    assert find_motion("walk", world) == tmp_path / "motions" / "walk.motion"
    (tmp_path / "worlds" / "motions" / "walk.motion").write_text(WAVE)
    assert find_motion("walk.motion", world) == tmp_path / "worlds" / "motions" / "walk.motion"
    assert find_motion(str(tmp_path / "motions" / "walk.motion"), world).parent == tmp_path / "motions"
    with pytest.raises(SceneErrors, match=r"run: no such motion file, expected .*run\.motion or "):
        find_motion("run", world)
