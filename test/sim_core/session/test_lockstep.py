import pytest

from sim_core.base.alarm import NEVER
from sim_core.session.lockstep import LockStep, Verdict, WaitState

STEP = 5
PERIOD = 20


@pytest.fixture
def two_robots() -> LockStep:
    lockstep = LockStep()
    lockstep.add_robot("a", PERIOD)
    lockstep.add_robot("b", 2 * PERIOD, controllers=2)
    return lockstep


def test_without_robots_there_is_no_wait() -> None:
    lockstep = LockStep()
    assert lockstep.missing(0) == []
    assert lockstep.next_ns == NEVER


def test_all_controllers_of_all_robots_are_awaited_at_the_start(two_robots: LockStep) -> None:
    assert two_robots.missing(0) == ["a", "b"]
    assert two_robots.receive("a", "", 0, 0, "A") is Verdict.ANSWER
    assert two_robots.missing(0) == ["b"]
    two_robots.receive("b", "second", 0, 0, "B2")
    assert two_robots.missing(0) == ["b"]
    two_robots.receive("b", "first", 0, 0, "B1")
    assert two_robots.missing(0) == []


def test_the_order_of_commands_does_not_depend_on_arrival(two_robots: LockStep) -> None:
    two_robots.receive("b", "second", 0, 0, "B2")
    two_robots.receive("b", "first", 0, 0, "B1")
    two_robots.receive("a", "", 0, 0, "A")
    assert two_robots.take_commands(0) == [("a", "A"), ("b", "B1"), ("b", "B2")]


def test_the_same_controller_answering_twice_counts_once(two_robots: LockStep) -> None:
    two_robots.receive("b", "first", 0, 0, "old")
    two_robots.receive("b", "first", 0, 0, "new")
    assert two_robots.missing(0) == ["a", "b"]
    assert two_robots.take_commands(0) == [("b", "new")]


def test_robots_are_awaited_at_the_multiples_of_their_own_period(two_robots: LockStep) -> None:
    awaited = {}
    for now in range(0, 100, STEP):
        missing = two_robots.missing(now)
        if missing:
            awaited[now] = missing
        for name, controllers in (("a", [""]), ("b", ["1", "2"])):
            if name in missing:
                for controller in controllers:
                    two_robots.receive(name, controller, now, now, None)
        assert two_robots.missing(now) == []
        two_robots.take_commands(now)
        assert two_robots.next_ns == (now // PERIOD + 1) * PERIOD
    assert awaited == {0: ["a", "b"], 20: ["a"], 40: ["a", "b"], 60: ["a"], 80: ["a", "b"]}


def test_an_answer_to_an_earlier_time_is_a_command_and_not_an_answer(two_robots: LockStep) -> None:
    assert two_robots.receive("a", "", 0, PERIOD, "late") is Verdict.COMMAND
    assert "a" in two_robots.missing(PERIOD)


def test_a_repetition_of_an_answer_changes_nothing(two_robots: LockStep) -> None:
    two_robots.receive("a", "", 0, 0, "A")
    two_robots.take_commands(0)
    assert two_robots.receive("a", "", 0, STEP, "A") is Verdict.REPEATED


def test_a_stamp_from_the_future_is_refused(two_robots: LockStep) -> None:
    assert two_robots.receive("a", "", STEP, 0, "?") is Verdict.FUTURE
    assert "a" in two_robots.missing(0)


def test_the_robot_of_a_dead_controller_is_not_awaited(two_robots: LockStep) -> None:
    two_robots.controller_ended("b")
    two_robots.receive("a", "", 0, 0, None)
    assert two_robots.missing(0) == []


def test_a_robot_left_behind_is_awaited_again_once_it_answers_the_present(two_robots: LockStep) -> None:
    two_robots.stop_waiting_for(["a"])
    assert two_robots.missing(PERIOD) == []
    two_robots.receive("a", "", 0, PERIOD, None)
    assert two_robots.missing(PERIOD) == []
    two_robots.receive("a", "", PERIOD, PERIOD, None)
    two_robots.take_commands(PERIOD)
    assert two_robots.missing(2 * PERIOD) == ["a", "b"]


def test_a_reset_awaits_all_again(two_robots: LockStep) -> None:
    two_robots.receive("a", "", 0, 0, None)
    two_robots.take_commands(0)
    two_robots.clear_answers()
    assert two_robots.missing(0) == ["a", "b"]
    assert two_robots.receive("a", "", 0, 0, None) is Verdict.ANSWER


def test_a_controller_is_confirmed_by_its_first_answer() -> None:
    lockstep = LockStep()
    lockstep.add_robot("a", PERIOD, wait_state=WaitState.UNCONFIRMED)
    assert lockstep.missing(0) == ["a"] and lockstep.is_unconfirmed("a")
    lockstep.receive("a", "", 0, 0, None)
    assert not lockstep.is_unconfirmed("a")
    lockstep.take_commands(0)
    assert lockstep.missing(PERIOD) == ["a"]


def test_a_free_robot_is_waited_for_once_it_answers_two_control_times_in_a_row() -> None:
    lockstep = LockStep()
    lockstep.add_robot("a", PERIOD, wait_state=WaitState.UNCONFIRMED)
    lockstep.set_free("a")
    for stamp in (0, 2 * PERIOD, 5 * PERIOD):  # as from a timer with another period, even if it is in time
        lockstep.receive("a", "", stamp, stamp, None)
        assert lockstep.missing(stamp + PERIOD) == [] and not lockstep.waits_for("a")
    lockstep.receive(
        "a", "", 6 * PERIOD, 9 * PERIOD + STEP, None
    )  # late, because the simulation did not wait
    assert lockstep.joined == ["a"] and lockstep.waits_for("a")
    lockstep.take_commands(9 * PERIOD + STEP)
    assert lockstep.missing(10 * PERIOD) == ["a"]


def test_a_free_robot_with_two_controllers_joins_when_both_answer_in_a_row() -> None:
    lockstep = LockStep()
    lockstep.add_robot("a", PERIOD, controllers=2, wait_state=WaitState.FREE)
    for controller in ("left", "right"):
        assert not lockstep.waits_for("a")
        for stamp in (PERIOD, 2 * PERIOD):
            lockstep.receive("a", controller, stamp, 2 * PERIOD + STEP, None)
    assert lockstep.is_attached("a")


def test_an_extern_robot_is_free_again_when_its_controller_on_the_socket_leaves() -> None:
    lockstep = LockStep()
    lockstep.add_robot("a", PERIOD, wait_state=WaitState.FREE)
    lockstep.set_elsewhere("a", True)
    assert lockstep.waits_for("a") and lockstep.missing(0) == []
    lockstep.set_elsewhere("a", False)
    assert not lockstep.waits_for("a") and lockstep.missing(0) == []


def test_a_step_without_waits_still_applies_early_answers() -> None:
    lockstep = LockStep()
    lockstep.add_robot("free", PERIOD, wait_state=WaitState.FREE)
    lockstep.add_robot("on the socket", STEP)
    lockstep.set_elsewhere("on the socket", True)
    assert lockstep.take_commands(0) == []
    assert lockstep.next_ns == NEVER
    assert lockstep.receive("free", "", PERIOD, PERIOD, "now") is Verdict.ANSWER
    assert lockstep.take_commands(PERIOD) == [("free", "now")]
    lockstep.receive("free", "", 2 * PERIOD, 2 * PERIOD, "again")
    assert lockstep.take_commands(2 * PERIOD) == [("free", "again")]
    assert lockstep.next_ns == 3 * PERIOD  # two in a row: the simulation waits for it from now on
