"""The real ute and the real operator, each in its own process, over DDS."""

import csv
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from processes import LIMIT, ODESIM, ReadProcess, started
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import Imu, JointState, LaserScan
from std_msgs.msg import Bool
from waiting import wait_until

from ros_bridge.operator.sensors import TABLES


class Process(ReadProcess):
    """A running odesim command with an input."""

    def __init__(self, *arguments: str) -> None:
        super().__init__(*ODESIM, *arguments)

    def ask(self, line: str) -> str:
        """Type a line; return the answer."""
        assert self.process.stdin is not None
        count = len(self.lines)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        wait_until(lambda: len(self.lines) > count, lambda: f"an answer to {line}: {self.lines}")
        return self.lines[count]


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    yield from started(Process)


def folder_of(operator: Process) -> Path:
    wait_until(lambda: operator.says("recording into"), lambda: f"the folder: {operator.lines}")
    return Path(operator.says("recording into")[-1].removeprefix("recording into "))


def stamps(path: Path) -> list[float]:
    _, *table, last = path.read_text(encoding="utf-8").splitlines()
    found = [float(row["timestamp_ms"]) for row in csv.DictReader(table)]
    assert last.endswith(f"{len(found)} rows")
    return found


def test_all_sensors_come_at_their_rates_and_wrong_input_is_refused(start, tmp_path: Path) -> None:
    """Every row of every file is complete; another recording has its own folder."""
    operator = start("operator", "--sensors", "all", "--folder", str(tmp_path))
    folder = folder_of(operator)
    assert "no answer yet" in operator.ask("ping")
    ute = start("run", "ute", "--duration", "600")
    wait_until(lambda: operator.says("link: alive"), "the link")
    for line, answer in (
        ("set steering 0.9", "refused: steering: found 0.9, expected -0.5 to 0.5"),
        ("set steering left", 'refused: found "left", expected a number'),
        ("set steering", "refused: set: found 1 words after it, expected 2; see help"),
        ("pid brake kp -1", "refused: kp: found -1.0, expected a number of 0 or more"),
        ("pid brake y_min 25", "refused: y_min: found 25, expected y_min ≤ y_max"),
        ("selct gps1", 'refused: found "selct", expected one of'),
        ("select gps3", 'refused: found "gps3", expected some of'),
        ("select", "refused: found no sensor, expected some of"),
        ("speed 99", "refused: cruise_speed: found 99 m/s, expected 0 to 30"),
        ("pid brake kp 0.7", "brake.kp is 0.7"),
        ("set brake 0.5", "refused: found set points in the mode automatic, expected the mode manual"),
        ("mode manual", "mode manual"),
        ("set accelerator 0.25", "accelerator: set point 0.25 applied"),
    ):
        assert operator.ask(line).startswith(answer)
    wait_until(lambda: len((folder / "laser2.csv").read_text().splitlines()) > 15, "2.6 s of the lasers")
    second = operator.ask("select gps1 ins").removeprefix("recording into ")
    ends = {name: (folder / f"{name}.csv").read_text() for name in TABLES}
    for name, table in TABLES.items():
        found = stamps(folder / f"{name}.csv")
        period = 1000.0 * table.period
        assert found == [found[0] + index * period for index in range(len(found))], name
        assert len(found) >= 2.5 / table.period, name
        assert found[0] % period == 0.0
    with (folder / "info.csv").open() as file:
        next(file)
        last = list(csv.DictReader(file))[-2]
    assert (last["brake_kp"], last["accelerator_set_point"], last["mode"]) == ("0.7", "0.25", "manual")
    wait_until(lambda: len((Path(second) / "ins.csv").read_text().splitlines()) > 100, "1 s of the INS")
    assert Path(second) != folder
    assert sorted(path.stem for path in Path(second).iterdir()) == ["gps1", "ins"]
    assert {name: (folder / f"{name}.csv").read_text() for name in TABLES} == ends
    ute.process.send_signal(signal.SIGINT)
    assert ute.process.wait(LIMIT) == 0
    wait_until(lambda: operator.says("link: lost"), "the lost link")
    operator.process.send_signal(signal.SIGINT)
    assert operator.process.wait(LIMIT) == 0
    assert re.search(r"gps1 \d+, ins \d+ rows", operator.lines[-1])
    assert not operator.says("Traceback")


def test_each_of_many_set_points_at_once_is_applied_or_refused(start, client) -> None:
    """Set points sent in one burst are all answered in order, invalid ones with the reason."""
    start("run", "ute", "--duration", "600")
    answers = client.listen(DiagnosticStatus, "/ute/set_points_answer")
    infos = client.listen(DiagnosticArray, "/ute/info")
    mode = SetParameters.Request(parameters=[Parameter("mode", value="manual").to_parameter_msg()])
    setting = client.node.create_client(SetParameters, "/ute/pilot/set_parameters")
    client.until(setting.service_is_ready, "the parameters of the pilot")
    setting.call_async(mode)
    client.until(lambda: infos and infos[-1].status[0].message == "manual", "the mode")
    points = client.speak(JointState, "/ute/set_points", depth=100)
    client.until(lambda: client.node.count_subscribers("/ute/set_points_answer"), "us")
    values = [0.01 * k for k in range(40)] + [0.9, 0.0125]
    for k, value in enumerate(values):
        message = JointState(name=["steering"], position=[value])
        message.header.frame_id = str(k)
        points.publish(message)
    client.until(lambda: len(answers) == len(values), f"an answer to each: {len(answers)}")
    assert [answer.name for answer in answers] == [str(k) for k in range(len(values))]
    refused = [answer.message for answer in answers if answer.level != DiagnosticStatus.OK]
    assert refused == ["steering: found 0.9, expected -0.5 to 0.5"]

    def told() -> bool:
        values = {pair.key: pair.value for pair in infos[-1].status[0].values}
        return values["set_point"] == "0.0125"

    client.until(told, "the last one in the info")


def test_urgent_stop_acts_within_50_ms_while_everything_else_is_flooded(start, client) -> None:
    """Return the time from the message until the wheels are stopped, wall time, the shortest of five tries.

    The shortest, because each may include a pause of the machine.
    """
    start("run", "ute", "--duration", "600")
    lasers = [client.listen(LaserScan, f"/ute/{name}") for name in ("laser1", "laser2")]
    client.listen(Imu, "/ute/imu")
    wheels = client.listen(JointState, "/ute/joint_command", matched=False)
    stop = client.node.create_publisher(Bool, "/ute/urgent_stop", 1)
    flood = client.node.create_publisher(JointState, "/ute/set_points", 10)
    client.until(lambda: stop.get_subscription_count() and flood.get_subscription_count(), "the pilot")
    client.until(lambda: all(lasers), "the lasers")
    over = threading.Event()

    def pour() -> None:
        message = JointState(name=["steering"], position=[0.1])
        while not over.wait(0.0005):
            flood.publish(message)

    pouring = threading.Thread(target=pour)
    pouring.start()
    taken = []
    try:
        for _ in range(5):
            count = len(wheels)
            asked = time.monotonic()
            stop.publish(Bool(data=True))
            stands = lambda: any(m.header.frame_id == "urgent_stop" for m in wheels[count:])  # noqa: B023, E731
            client.until(stands, "the stop")
            taken.append(time.monotonic() - asked)
            stop.publish(Bool(data=False))
            client.until(lambda: wheels[-1].header.frame_id != "urgent_stop", "its end")
    finally:
        over.set()
        pouring.join()
    assert min(taken) < 0.05, taken
