import math
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log, Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.duration import Infinite
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, Range
from std_msgs.msg import Float64, Float64MultiArray
from visualization_msgs.msg import MarkerArray

from ros_bridge.topics.conversions import fill_time, time_of

STEP_NS = 4_000_000


def set_parameter(client: Any, name: str, **value: Any) -> Any:
    kind = {
        "double_value": ParameterType.PARAMETER_DOUBLE,
        "string_value": ParameterType.PARAMETER_STRING,
        "integer_value": ParameterType.PARAMETER_INTEGER,
    }[next(iter(value))]
    parameter = Parameter(name=name, value=ParameterValue(type=kind, **value))
    return client.call(
        "set_parameters", SetParameters.Request(parameters=[parameter]), SetParameters
    ).results[0]


def get_parameter(client: Any, name: str) -> ParameterValue:
    return client.call("get_parameters", GetParameters.Request(names=[name]), GetParameters).values[0]


def test_cmd_vel_drives_and_odometry_follows(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="realtime", speed=2.0)
    odometry = client.listen(Odometry, "/robot1/odom")
    truth = client.listen(Odometry, "/robot1/ground_truth")
    client.speak(Twist, "/robot1/cmd_vel").publish(_twist(0.3, 0.0))
    client.until(lambda: odometry and odometry[-1].pose.pose.position.x > 0.3, "0.3 m driven")
    assert odometry[-1].twist.twist.linear.x == pytest.approx(0.3, rel=0.02)
    assert truth[-1].pose.pose.position.x == pytest.approx(odometry[-1].pose.pose.position.x, abs=0.02)
    assert odometry[-1].child_frame_id == "robot1/base_link"


def test_lines_of_the_start_are_there_for_who_comes_late(world_file: Any, simulate: Any, client: Any) -> None:
    simulation = simulate(world_file(), mode="realtime")
    client.until(lambda: simulation.says("running"), "the start")
    late = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard: list[str] = []
    client.node.create_subscription(Log, "/rosout", lambda line: heard.append(line.msg), late)
    client.until(lambda: any("running" in line for line in heard), "the line of the start")
    writers = client.node.get_publishers_info_by_topic("/rosout")
    assert [each.qos_profile.lifespan for each in writers if each.node_name == "odesim"] == [Infinite]


def test_device_topics_command_motors(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="realtime")
    states = client.listen(JointState, "/robot1/joint_states")
    old = client.listen(JointState, "/old/joint_states")
    client.speak(Float64, "/robot1/lift/position").publish(Float64(data=0.2))
    client.speak(Float64, "/robot1/motor_left/velocity").publish(Float64(data=2.0))
    client.speak(Float64MultiArray, "/old/wheel_speeds").publish(Float64MultiArray(data=[1.0, -1.5]))

    def joint(messages: list[Any], name: str, field: str) -> float:
        return getattr(messages[-1], field)[list(messages[-1].name).index(name)]

    client.until(lambda: states and abs(joint(states, "lift", "position") - 0.2) < 0.01, "the lift at 0.2 m")
    client.until(lambda: abs(joint(states, "motor left", "velocity") - 2.0) < 0.1, "the motor at 2 rad/s")
    client.until(lambda: old and joint(old, "right wheel", "velocity") == -1.5, "the old wheel at -1.5 rad/s")
    assert joint(old, "left wheel", "velocity") == 1.0


def test_a_command_that_is_not_finite_is_refused_once_and_changes_nothing(
    world_file: Any, simulate: Any, client: Any
) -> None:
    simulation = simulate(world_file(), mode="realtime")
    states = client.listen(JointState, "/old/joint_states")
    speeds = client.speak(Float64MultiArray, "/old/wheel_speeds")
    speeds.publish(Float64MultiArray(data=[1.0, 1.0]))
    client.until(lambda: states and list(states[-1].velocity[:2]) == [1.0, 1.0], "wheels at 1 rad/s")
    for bad in (math.nan, math.inf, math.nan):
        speeds.publish(Float64MultiArray(data=[2.0, bad]))
    speeds.publish(Float64MultiArray(data=[2.0]))
    client.until(lambda: simulation.says("/old/wheel_speeds: refused: found nan"), "the warning")
    seen = len(states)
    client.until(lambda: len(states) > seen + 5, "more joint states")
    assert all(list(state.velocity[:2]) == [1.0, 1.0] for state in states[seen:])
    assert len(simulation.says("refused")) == 1


def test_a_command_past_a_limit_is_clamped_and_said_once(world_file: Any, simulate: Any, client: Any) -> None:
    simulation = simulate(world_file(), mode="realtime")
    states = client.listen(JointState, "/old/joint_states")
    speeds = client.speak(Float64MultiArray, "/old/wheel_speeds")
    for _ in range(3):
        speeds.publish(Float64MultiArray(data=[30.0, 1.0]))
    client.until(lambda: states and list(states[-1].velocity[:2]) == [10.0, 1.0], "the wheel at its limit")
    client.until(lambda: simulation.says("clamped"), "the line")
    assert len(simulation.says("clamped")) == 1


def test_pause_step_resume_reset_quit(world_file: Any, simulate: Any, client: Any) -> None:
    simulation = simulate(world_file(), mode="realtime")
    clock = client.listen(Clock, "/clock")
    client.until(lambda: clock and time_of(clock[-1].clock) > 100_000_000, "0.1 s of sim time")
    assert client.call("pause").success
    clock.clear()  # messages sent before the pause may still arrive
    client.until(
        lambda: len(clock) > 2 and len({time_of(message.clock) for message in clock[-3:]}) == 1,
        "a clock that stands",
    )
    paused_at = time_of(clock[-1].clock)
    assert client.call("step").success
    client.until(lambda: time_of(clock[-1].clock) != paused_at, "a step")
    clock.clear()
    client.until(lambda: len(clock) > 2, "the clock repeated")
    assert {time_of(message.clock) for message in clock} == {paused_at + STEP_NS}
    assert get_parameter(client, "mode").string_value == "paused"
    client.call("resume")
    client.until(lambda: time_of(clock[-1].clock) > paused_at + 100_000_000, "going on")
    clock.clear()
    assert client.call("reset").success
    client.until(lambda: any(time_of(message.clock) == 0 for message in clock), "time 0")
    assert client.call("physics_reset").success
    assert client.call("quit").success
    assert simulation.wait() == 0


def test_step_pauses_a_running_simulation(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="fast")
    client.call("step")
    assert get_parameter(client, "mode").string_value == "paused"


def test_parameters_are_checked_when_they_are_set(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="paused", ros_args=["-p", "speed:=3"])
    assert get_parameter(client, "speed").double_value == 3.0
    bad = set_parameter(client, "speed", double_value=-1.0)
    assert not bad.successful
    assert bad.reason == "speed: found -1.0, expected a number above 0"
    assert not set_parameter(client, "mode", string_value="fst").successful
    assert get_parameter(client, "speed").double_value == 3.0
    assert set_parameter(client, "speed", double_value=2.0).successful
    assert set_parameter(client, "mode", string_value="fast").successful
    clock = client.listen(Clock, "/clock")
    client.until(lambda: clock and time_of(clock[-1].clock) > 10**9, "the simulation running")


def test_a_new_seed_counts_from_the_next_reset(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="paused", seed=1, ros_args=["-p", "sampling_period:=0.02"])
    values = client.listen(Float64, "/robot1/ds/value")

    def first_readings() -> list[float]:
        values.clear()
        client.call("reset")
        for _ in range(10):
            client.call("step")
        client.until(lambda: len(values) >= 2, "two readings")
        return [message.data for message in values[:2]]

    with_one = first_readings()
    assert first_readings() == with_one
    assert set_parameter(client, "seed", integer_value=2).successful
    assert first_readings() != with_one
    assert set_parameter(client, "seed", integer_value=1).successful
    assert first_readings() == with_one


def test_markers_reach_those_who_come_late(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="realtime")
    clock = client.listen(Clock, "/clock")
    client.until(lambda: clock and time_of(clock[-1].clock) > 300_000_000, "some time")
    arrays = client.listen(MarkerArray, "/odesim/markers", latched=True)
    client.until(lambda: any(len(array.markers) >= 3 for array in arrays), "floor, wall and robot")
    everything = next(array for array in arrays if len(array.markers) >= 3)
    red = [marker for marker in everything.markers if marker.ns == "robot1"]
    assert (red[0].color.r, red[0].color.g) == (1.0, 0.0)
    assert red[0].pose.position.z == pytest.approx(0.1, abs=0.01)


def test_status_says_mode_and_speed(world_file: Any, simulate: Any, client: Any) -> None:
    simulate(world_file(), mode="realtime")
    arrays = client.listen(DiagnosticArray, "/odesim/status")
    client.until(lambda: len(arrays) > 3, "four of them")
    rows = {row.key: row.value for row in arrays[-1].status[0].values}
    assert rows["mode"] == "realtime"
    assert 0.0 < float(rows["speed"]) < 2.1
    assert float(rows["sim_time"]) > 0.0


KEPT = ("sim_time", "lost_wall_time")


@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_the_speed_is_kept(world_file: Any, simulate: Any, client: Any, speed: float) -> None:
    """Return the speed, corrected by the time that the simulation reports as lost on a busy machine."""
    simulate(world_file(), mode="realtime", speed=speed)
    rows: list[tuple[float, float]] = []

    def look(message: DiagnosticArray) -> None:
        values = {row.key: float(row.value) for row in message.status[0].values if row.key in KEPT}
        rows.append((time.monotonic(), values["sim_time"] / speed + values["lost_wall_time"]))

    client.node.create_subscription(DiagnosticArray, "/odesim/status", look, 200)

    def is_kept() -> bool:
        """Return the slope of sim time over wall time of the last seconds, one value per second."""
        wall, accounted = np.array(rows[-7:]).T if len(rows) >= 7 else (np.zeros(2), np.zeros(2))
        return bool(wall[0]) and bool(
            np.polyfit(wall - wall[0], accounted, 1)[0] == pytest.approx(1.0, rel=0.02)
        )

    client.until(is_kept, f"six seconds at the speed {speed}", limit=90.0)


IS_UNDER_NOHUP = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
"""If set, no process is ended by SIGHUP, as under `nohup`."""


@pytest.mark.parametrize(
    "numbers",
    [
        [signal.SIGINT],
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGTERM],
        pytest.param([signal.SIGHUP], marks=pytest.mark.skipif(IS_UNDER_NOHUP, reason="under nohup")),
    ],
)
@pytest.mark.parametrize("mode", ["fast", "paused"])
def test_one_signal_or_two_end_it_cleanly(
    world_file: Any, simulate: Any, client: Any, mode: str, numbers: list[int]
) -> None:
    simulation = simulate(world_file(), mode=mode)
    client.until(lambda: simulation.says(f"step 4 ms, {mode}"), "the start")
    for number in numbers:
        simulation.send(number)
    assert simulation.wait() == 0
    assert not simulation.says("Traceback")


def test_the_duration_ends_it(world_file: Any, simulate: Any) -> None:
    simulation = simulate(world_file(), mode="fast", duration=1.0)
    assert simulation.wait() == 0
    assert not simulation.says("ERROR")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"world": "none.wbt"}, "none.wbt"),
        ({"ros_args": ["-p", "sped:=1.0"]}, '--ros-args:sped: found no parameter "sped"'),
        ({"ros_args": ["-p"]}, "refused by rclpy"),
        ({"params": ["none.yaml"]}, "none.yaml: cannot be read"),
        ({"mode": "quick"}, '--mode: found "quick", expected realtime, fast or paused'),
    ],
)
def test_errors_are_one_line_and_exit_code_2(
    world_file: Any, simulate: Any, options: dict[str, Any], says: str
) -> None:
    options = dict(options)
    simulation = simulate(Path(options.pop("world", world_file())), **options)
    assert simulation.wait() == 2
    assert says in simulation.lines[-1]
    others = [line for line in simulation.lines[:-1] if "[WARN]" not in line and "[rcl]" not in line]
    assert others == []


def test_a_state_that_is_not_finite_ends_it_with_one_line_that_names_the_solid(
    world_file: Any, simulate: Any, client: Any
) -> None:
    world = world_file()
    world.write_text(world.read_text().replace("maxTorque 10 ", "maxTorque 1e15 "), encoding="utf-8")
    simulation = simulate(world, mode="realtime")
    client.speak(Float64, "/robot1/motor_left/effort").publish(Float64(data=1e15))
    assert simulation.wait() == 2
    (line,) = simulation.says("FATAL")
    assert "not finite" in line
    assert "wheel left" in line or "robot1" in line
    assert not simulation.says("Traceback")


class Controller:
    """Answers each reading of /robot1/ds in lock-step, and stores the robot's position."""

    WHEELS = ("motor left", "motor right")

    def __init__(
        self, client: Any, listen: bool = True, name: str = "test", wheels: tuple[str, ...] = WHEELS
    ) -> None:
        self.client = client
        self.name = name
        self.wheels = wheels
        self.track: list[tuple[int, float, float]] = []
        self._answers = client.node.create_publisher(JointState, "/robot1/joint_command", 10)
        client.node.create_subscription(Clock, "/clock", self._on_clock, 10)
        if listen:
            self.listen()

    def listen(self) -> None:
        """Read the position first: after the answer the simulation continues."""
        self.client.node.create_subscription(Odometry, "/robot1/ground_truth", self._on_truth, 10)
        self.client.node.create_subscription(Range, "/robot1/ds", self._on_range, 10)

    def _on_clock(self, message: Clock) -> None:
        if time_of(message.clock) == 0:
            self._answer(0, 0.0)

    def _on_range(self, message: Range) -> None:
        self._answer(time_of(message.header.stamp), message.range)

    def _on_truth(self, message: Odometry) -> None:
        pose = message.pose.pose
        self.track.append((time_of(message.header.stamp), pose.position.x, pose.orientation.z))

    def _answer(self, stamp_ns: int, distance: float) -> None:
        speeds = {"motor left": distance, "motor right": distance * 1.1}
        answer = JointState(name=self.wheels, velocity=[speeds[wheel] for wheel in self.wheels])
        answer.header.frame_id = self.name
        fill_time(answer.header.stamp, stamp_ns)
        self._answers.publish(answer)


LOCKSTEP: dict[str, Any] = {
    "mode": "fast",
    "wait_extern": True,
    "ros_args": ["-p", "robots.robot1.sampling_period:=0.02"],
}


def test_lockstep_waits_names_the_robot_and_serves_those_who_come_late(
    world_file: Callable[..., Path], simulate: Any, client: Any
) -> None:
    options = dict(LOCKSTEP, ros_args=[*LOCKSTEP["ros_args"], "-p", "lockstep_timeout:=0.3"])
    simulation = simulate(world_file("<extern>", sync=True), **options)
    clock = client.listen(Clock, "/clock")
    client.until(lambda: simulation.says("no answer from robot1 on /robot1/joint_command"), "the name")
    assert simulation.says(
        "still waiting; to go on without it, set synchronization:=never or lockstep_on_timeout:=continue"
    )
    client.until(lambda: len(clock) > 2, "the clock repeated")
    assert {time_of(message.clock) for message in clock} == {0}
    controller = Controller(client, listen=False)  # answers time 0, but hears no readings
    client.until(lambda: time_of(clock[-1].clock) == 20_000_000, "the first control period")
    client.until(lambda: len(simulation.says("no answer from robot1")) == 2, "the name again")
    controller.listen()
    client.until(lambda: time_of(clock[-1].clock) > 10**9, "lock-step going on")


def test_lockstep_starts_anew_after_a_reset(
    world_file: Callable[..., Path], simulate: Any, client: Any
) -> None:
    simulate(world_file("<extern>", sync=True), **LOCKSTEP)
    controller = Controller(client)
    client.until(lambda: controller.track and controller.track[-1][0] > 10**9, "a second")
    client.call("reset")
    client.until(lambda: any(item[0] < 10**8 for item in controller.track[-50:]), "the start again")
    client.until(lambda: controller.track[-1][0] > 10**9, "a second again")


def test_two_controllers_of_one_robot_are_both_waited_for(
    world_file: Callable[..., Path], simulate: Any, client: Any
) -> None:
    more = ["-p", "robots.robot1.controllers:=2", "-p", "lockstep_timeout:=0.3"]
    options = dict(LOCKSTEP, ros_args=[*LOCKSTEP["ros_args"], *more])
    simulation = simulate(world_file("<extern>", sync=True), **options)
    clock = client.listen(Clock, "/clock")
    left = Controller(client, name="left", wheels=("motor left",))
    client.until(lambda: simulation.says("no answer from robot1"), "the wait for the second controller")
    assert {time_of(message.clock) for message in clock} <= {0}
    Controller(client, name="right", wheels=("motor right",))
    client.until(lambda: left.track and left.track[-1][0] > 10**9, "a second driven by both")
    _, x, turn = left.track[-1]
    assert x > 0.2  # one wheel alone would turn it on the spot
    assert 0.0 < turn < 0.5


def test_lockstep_can_go_on_without_a_robot(
    world_file: Callable[..., Path], simulate: Any, client: Any
) -> None:
    more = ["-p", "lockstep_timeout:=0.2", "-p", "lockstep_on_timeout:=continue"]
    options = dict(LOCKSTEP, ros_args=[*LOCKSTEP["ros_args"], *more])
    simulation = simulate(world_file("<extern>", sync=True), duration=1.0, **options)
    assert simulation.wait() == 0
    assert len(simulation.says("continuing without it")) == 1


def _twist(linear: float, angular: float) -> Twist:
    twist = Twist()
    twist.linear.x, twist.angular.z = linear, angular
    return twist
