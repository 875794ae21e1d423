"""`odesim spawn`: robots from a topic, a text, a file and xacro come into a running simulation at a pose."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from ros_bridge.cli.__main__ import main
from ros_bridge.control.spawn_topic import parse_request
from sim_core.base.errors import CommandError

ROOT = Path(__file__).resolve().parents[3]
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "first" controller "void" }
"""
URDF = """<robot name="cart"><link name="base"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision></link></robot>"""
XACRO = """<robot name="$(arg called)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="called" default="nobody"/><link name="base"/></robot>"""


def spawn(*words: str) -> tuple[int, str]:
    """The exit code of the command that launch files start, and what it says."""
    command = [sys.executable, str(ROOT / "scripts" / "lib" / "create"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, env=dict(os.environ))
    return done.returncode, (done.stdout + done.stderr).strip()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "w.wbt").write_text(WORLD)
    return tmp_path / "w.wbt"


def test_robots_come_at_their_poses_and_again_in_a_replay(
    simulate: Callable[..., Any], client: Any, world: Path, tmp_path: Path
) -> None:
    bag = tmp_path / "bag"
    run = simulate(world, record=str(bag))
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = client.node.create_publisher(String, "/cart/robot_description_of_mine", latched)
    description.publish(String(data=URDF))

    told = spawn("-topic", "/cart/robot_description_of_mine", "-x", "1", "-y=-2", "-z", "0.5", "-Y", "1.5")
    assert told == (0, "cart")
    poses = client.listen(Odometry, "/cart/ground_truth")
    pose = client.until(lambda: poses and poses[-1], "the pose of the cart").pose.pose
    at, turn = pose.position, pose.orientation
    assert (at.x, at.y, at.z) == pytest.approx((1.0, -2.0, 0.5), abs=1e-6)
    assert (turn.z, turn.w) == pytest.approx((0.6816388, 0.7316889), abs=1e-6)  # half of 1.5 rad

    code, line = spawn("-string", URDF)
    assert code == 2 and '"cart" is taken' in line
    assert spawn("-string", URDF, "-allow_renaming", "true") == (0, "cart_1")
    (tmp_path / "x.urdf.xacro").write_text(XACRO)
    assert spawn("-file", str(tmp_path / "x.urdf.xacro"), "-arg", "called:=van", "-x", "9") == (0, "van")
    (tmp_path / "c.urdf").write_text(URDF)
    assert spawn("-file", str(tmp_path / "c.urdf"), "-name", "lorry", "-y", "5") == (0, "lorry")
    client.until(lambda: client.node.count_publishers("/lorry/ground_truth"), "topics of the lorry")

    client.call("quit")
    assert run.wait() == 0
    assert main(["replay", str(bag)]) == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "found no JSON"),
        ("[]", "found list, expected an object with id, file"),
        ('{"place": 1}', "found place, expected an object"),
        ('{"name": 3}', "found 3 in name, expected a text"),
        ('{"pose": [1, 2]}', "expected x, y, z, roll, pitch, yaw"),
        ('{"pose": [0, 0, 0, 0, 0, 1e999]}', "expected six finite numbers"),
        ('{"pose": [0, 0, 0, 0, 0, "a"]}', "expected six finite numbers"),
    ],
)
def test_a_message_that_asks_for_nothing_is_refused(text: str, line: str) -> None:
    with pytest.raises(CommandError, match=line):
        parse_request(text)


def test_wrong_options_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["spawn", "-x", "1"])
    assert "one of the arguments -topic/--topic -string/--string -file/--file" in capsys.readouterr().err
    assert main(["spawn", "-file", str(tmp_path / "no.urdf")]) == 2
    assert "no.urdf: cannot be read" in capsys.readouterr().err
