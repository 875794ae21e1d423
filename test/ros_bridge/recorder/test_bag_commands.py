"""`odesim bag`: tables and pictures hold what was recorded; hashes tell runs apart."""

import csv
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from PIL import Image
from rclpy.serialization import serialize_message
from sensor_msgs.msg import LaserScan, Range
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.cli.__main__ import main
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_info import moment
from ros_bridge.recorder.bag_plot import series, trajectories, world_outlines
from ros_bridge.recorder.bag_writer import BagWriter
from ros_bridge.recorder.fingerprint import hash_of_bag, hash_of_run

SECOND = 1_000_000_000


def box(x: float, yaw: float) -> Marker:
    marker = Marker(type=Marker.CUBE, ns="world", id=1)
    marker.pose.position.x = x
    marker.pose.orientation.z, marker.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
    marker.scale.x, marker.scale.y, marker.scale.z = 2.0, 1.0, 1.0
    return marker


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """One range, one scan that grows, a circle that was driven with its dead reckoning, a box."""
    with BagWriter(tmp_path / "bag") as writer:
        ds = writer.add_topic("/r/ds", "sensor_msgs/msg/Range")
        scan = writer.add_topic("/r/scan", "sensor_msgs/msg/LaserScan")
        truth = writer.add_topic("/r/ground_truth", "nav_msgs/msg/Odometry")
        odom = writer.add_topic("/r/odom", "nav_msgs/msg/Odometry")
        markers = writer.add_topic("/odesim/markers", "visualization_msgs/msg/MarkerArray")
        writer.write(markers, serialize_message(MarkerArray(markers=[box(5.0, math.pi / 2)])), 0)
        for i in range(101):
            angle = i / 100 * 2 * math.pi
            writer.write(ds, serialize_message(Range(range=i / 8)), i * SECOND // 10)
            writer.write(scan, serialize_message(LaserScan(ranges=[1.0] * (i // 50))), i * SECOND // 10)
            for channel, x0, turn in ((truth, 2.0, math.pi / 2), (odom, 0.0, 0.0)):
                message = Odometry()
                x, y = math.sin(angle), 1.0 - math.cos(angle)  # starts along x, to the left
                pose = message.pose.pose
                pose.position.x = x0 + x * math.cos(turn) - y * math.sin(turn)
                pose.position.y = x * math.sin(turn) + y * math.cos(turn)
                pose.orientation.z = math.sin((angle + turn) / 2)
                pose.orientation.w = math.cos((angle + turn) / 2)
                writer.write(channel, serialize_message(message), i * SECOND // 10)
    return tmp_path / "bag"


def test_tables_have_sim_time_first_and_every_field(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bag", "csv", str(bag), "/r/ds", "/r/scan"]) == 0
    with (bag.parent / "bag_csv" / "r.ds.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:3] == ["time", "header.stamp.sec", "header.stamp.nanosec"]
    assert [(float(row["time"]), float(row["range"])) for row in rows] == [
        (i / 10, i / 8) for i in range(101)
    ]
    with (bag.parent / "bag_csv" / "r.scan.csv").open() as file:
        scans = list(csv.DictReader(file))
    assert [(row["ranges[0]"], row["ranges[1]"]) for row in (scans[0], scans[50], scans[100])] == [
        ("", ""),
        ("1.0", ""),
        ("1.0", "1.0"),
    ]
    capsys.readouterr()
    assert main(["bag", "csv", str(bag), "/r/ds"]) == 2
    assert "r.ds.csv: exists already" in capsys.readouterr().err
    assert main(["bag", "csv", str(bag), "/r/dss"]) == 2
    assert 'no topic "/r/dss" (did you mean "/r/ds"?)' in capsys.readouterr().err


def test_info_counts(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bag", "info", str(bag)]) == 0
    said = capsys.readouterr().out
    row = next(line.split() for line in said.splitlines() if line.startswith("/r/ds"))
    assert row == ["/r/ds", "sensor_msgs/msg/Range", "101", "10.00"]
    assert "405 of 5 topics" in said and "0 s to 10 s, 10 s" in said


def test_log_times_of_the_wall_are_dates() -> None:
    """The leap second of 2012 came after 1,341,100,799 s, 2012-06-30 23:59:59 (IERS Bulletin C 43)."""
    assert moment(1_341_100_799 * SECOND + 250_000_000) == "2012-06-30 23:59:59.250 UTC"
    assert moment(90_000 * SECOND) == "90000 s"


def test_a_path_of_dead_reckoning_lies_on_the_true_one_and_the_map_is_the_recorded_one(bag: Path) -> None:
    with Bag(bag) as opened:
        paths = trajectories(opened)
        (outline,) = world_outlines(opened)
        values = series(opened, "/r/ds.range")
    np.testing.assert_allclose(paths["/r/odom"], paths["/r/ground_truth"], atol=1e-12)
    radius = np.hypot(*(paths["/r/ground_truth"] - [1.0, 0.0]).T)
    np.testing.assert_allclose(radius, 1.0, atol=1e-12)
    assert sorted(map(tuple, outline.points.round(9))) == [(4.5, -1.0), (4.5, 1.0), (5.5, -1.0), (5.5, 1.0)]
    assert values.values[8] == 1.0 and values.times[8] == 0.8


def test_pictures_are_drawn_and_wrong_names_are_one_line(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bag", "plot", str(bag)]) == 0
    with Image.open(f"{bag}.png") as picture:
        assert min(picture.size) > 500
        assert len(np.unique(np.asarray(picture.convert("L")))) > 10
    assert main(["bag", "plot", str(bag), "/r/ds.range", "-o", str(bag.parent / "ds.svg")]) == 0
    assert main(["bag", "plot", str(bag)]) == 2
    assert main(["bag", "plot", str(bag), "/r/ds.rang", "-o", str(bag.parent / "a.png")]) == 2
    assert main(["bag", "plot", str(bag), "/r/d.range", "-o", str(bag.parent / "a.png")]) == 2
    assert main(["bag", "plot", str(bag), "-o", str(bag.parent / "a.gif")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 4 and "exists already" in errors[0]
    assert '/r/ds: no field "rang" (did you mean "range"?)' in errors[1]
    assert 'no topic "/r/d"' in errors[2] and ".png, .svg, .pdf" in errors[3]


def test_nothing_is_cut_off_and_numbers_have_units(tmp_path: Path) -> None:
    long = "a_name_that_fills_the_line" * 5
    with BagWriter(tmp_path / "bag") as writer:
        topic = writer.add_topic(f"/{long}/ground_truth", "nav_msgs/msg/Odometry")
        for i in range(3):
            message = Odometry()
            message.pose.pose.position.x = i / 1.0
            writer.write(topic, serialize_message(message), i * SECOND)
    number = f"/{long}/ground_truth.twist.twist.angular.z"
    assert main(["bag", "plot", str(tmp_path / "bag"), "-o", str(tmp_path / "map.png")]) == 0
    assert main(["bag", "plot", str(tmp_path / "bag"), number, "-o", str(tmp_path / "numbers.png")]) == 0
    for name in ("map", "numbers"):
        with Image.open(tmp_path / f"{name}.png") as picture:
            pixels = np.asarray(picture.convert("L"))
        for edge in (pixels[:3], pixels[-3:], pixels[:, :3], pixels[:, -3:]):
            assert (edge == 255).all()
    with Bag(tmp_path / "bag") as opened:
        assert series(opened, number).unit == "rad/s"
        assert series(opened, f"/{long}/ground_truth.pose.pose.position.x").unit == "m"
        assert series(opened, f"/{long}/ground_truth.pose.pose.orientation.w").unit == ""


def test_a_broken_bag_is_one_line(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = bag.parent / "copy"
    shutil.copytree(bag, copy)
    (copy / "bag_0.mcap").write_bytes(b"no bag at all")
    for words in (["info"], ["csv"], ["plot"]):
        assert main(["bag", *words, str(copy)]) == 2
    (copy / "bag_0.mcap").unlink()
    assert main(["bag", "info", str(copy)]) == 2
    assert main(["bag", "repair", str(copy)]) == 2
    errors = capsys.readouterr().err
    assert "Traceback" not in errors and len(errors.splitlines()) == 5


def test_hashes_are_equal_for_equal_runs_and_differ_with_the_seed(
    world_file: Callable[..., Path], simulate: Callable[..., Any], tmp_path: Path
) -> None:
    world = world_file()
    one, same, other = (hash_of_run(world, 0.5, seed=seed) for seed in (1, 1, 2))
    assert one == same != other

    def drive(sim: Any) -> None:
        sim.robot("old").drive.set_twist(0.3, 0.1)

    assert hash_of_run(world, 0.5, seed=1, drive=drive) != one
    run = simulate(world, mode="fast", duration=0.5, seed=1, record=str(tmp_path / "bag"))
    assert run.wait() == 0, run.lines
    with Bag(tmp_path / "bag") as recorded:
        assert hash_of_bag(recorded) == one  # over ROS and in another process
