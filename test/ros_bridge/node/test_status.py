import math

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from ros_bridge.node.run_mode import RunMode, SpeedMeter
from ros_bridge.node.status import fill_status


def test_the_speed_is_sim_time_by_wall_time_between_two_looks() -> None:
    meter = SpeedMeter()
    assert meter.measure(10.0, 0) == 0.0
    assert meter.measure(11.0, 3_000_000_000) == 3.0
    assert meter.measure(13.0, 4_000_000_000) == 0.5
    meter.discard_last()
    assert meter.measure(14.0, 0) == 0.0


def filled(mode: str, wanted: float, speed: float, waits: list[str]) -> DiagnosticStatus:
    message = DiagnosticArray()
    run = RunMode(mode, wanted, 8_000_000)
    run.speed, run.pacer.lost = speed, 0.25
    fill_status(message, 1_500_000_000, run, waits)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1, 500_000_000)
    return message.status[0]


def test_a_good_run_is_ok_and_a_slow_or_waiting_one_a_warning() -> None:
    assert filled("realtime", 1.0, 0.99, []).level == DiagnosticStatus.OK
    assert filled("fast", 1.0, 0.5, []).level == DiagnosticStatus.OK
    assert filled("realtime", 2.0, 1.2, []).level == DiagnosticStatus.WARN
    waiting = filled("fast", 1.0, 0.0, ["robot1", "robot2"])
    assert (waiting.level, waiting.message) == (DiagnosticStatus.WARN, "Waiting for robot1, robot2")
    assert {row.key: row.value for row in waiting.values}["lost_wall_time"] == "0.250"


def test_only_a_paced_run_has_time_to_spare() -> None:
    run = RunMode("realtime", 2.0, 8_000_000)
    assert run.delay(10.0, 1.0) == 0.0
    assert run.spare(10.001) == pytest.approx(0.003)
    assert run.spare(10.02) == 0.0
    run.set_mode("fast")
    assert run.spare(10.0) is None
    run.set_mode("paused")
    assert run.spare(10.0) == math.inf
    run.request_step()
    assert run.spare(10.0) is None
