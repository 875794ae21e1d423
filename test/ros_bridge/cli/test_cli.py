"""The command as users run it: in a process of its own wherever something runs or the process matters."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from processes import ODESIM, cpu_time_of_children, finished

import sim_core
from ros_bridge.cli.__main__ import main
from ros_bridge.cli.arguments import make_parser
from ros_bridge.cli.shipped_list import title_of
from ros_bridge.cli.world_info import as_text
from ros_bridge.controllers import SHIPPED
from sim_core.base.shipped import shipped_worlds
from sim_core.scene.loader import world_info_of

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 60.0
HEADER = "#VRML_SIM R2025a utf8\n"

BROKEN = {
    "wrong_type": (HEADER + 'WorldInfo { basicTimeStep "x" }\n', ":2:27: "),
    "missing_bracket": (HEADER + "Robot { children [ Solid { ] }\n", ":2:28: "),
    "binary": (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)), ": "),
    "empty": ("", "an empty file"),
    "missing": (None, "no such file"),
}


def odesim(*arguments: str | Path, folder: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end, in this process: what a process of its own costs is imports."""
    words = [str(each) for each in arguments]
    with TemporaryFile("w+") as err, redirect_stdout(StringIO()) as out, redirect_stderr(err), chdir(folder):
        real = os.dup(2)
        os.dup2(err.fileno(), 2)  # rclpy writes there
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
        finally:
            os.dup2(real, 2)
            os.close(real)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.read())


def process(*arguments: str | Path, folder: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end, as users do."""
    return finished(*ODESIM, *arguments, folder=folder, seconds=LIMIT)


@pytest.fixture(params=BROKEN)
def broken(request, tmp_path: Path) -> tuple[Path, str]:
    """A broken world and what its error says."""
    content, says = BROKEN[request.param]
    file = tmp_path / f"{request.param}.wbt"
    if isinstance(content, str):
        content = content.encode()
    if content is not None:
        file.write_bytes(content)
    return file, says


@pytest.mark.parametrize("command", ["run", "check", "info"])
def test_a_broken_world_gives_its_errors_as_single_lines(broken: tuple[Path, str], command: str) -> None:
    file, says = broken
    # One as a process of its own: nothing that the process itself does comes between.
    done = (process if (command, file.stem) == ("run", "binary") else odesim)(command, file)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(str(file)) and says in line


def test_what_webots_only_warns_of_is_an_error_of_a_check_and_a_warning_of_a_run(tmp_path: Path) -> None:
    file = tmp_path / "w.wbt"
    file.write_text(HEADER + 'Robt { name "a" }\nRobot { nam "a" controller "void" }\n')
    for command, code in (("check", 2), ("info", 0)):
        done = odesim(command, file)
        assert done.returncode == code
        assert [line.split("unknown")[1].split('"')[:2] for line in done.stderr.splitlines()] == [
            [" node ", "Robt"],
            [" field ", "nam"],
        ]
    done = process("run", file, "--duration", "0.1", "--mode", "fast", "--no-viewer")
    assert done.returncode == 0
    said = done.stdout + done.stderr
    assert ':2:1: unknown node "Robt", skipped' in said
    assert ':3:9: unknown field "nam" of Robot, skipped' in said


def test_values_that_are_reset_are_errors_of_a_check_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "w.wbt"
    file.write_text(
        HEADER + 'WorldInfo { physics "nowhere" }\n'
        "Robot { children [ Camera { width 0 } VacuumGripper { }\n"
        "HingeJoint { device LinearMotor { } endPoint Solid { } } ] }\n"
        "Solid { children Solid { boundingObject Plane { } } physics Physics { } }\n"
    )
    lines = odesim("check", file).stderr.splitlines()
    expected = {
        "2:1": "the world goes without it",
        "3:20": "Camera.width is 0, using 1",
        "3:39": "VacuumGripper without boundingObject",
        "4:21": "LinearMotor",
        "5:41": "Plane in the boundingObject",
    }
    assert len(lines) == len(expected)
    for place, text in expected.items():
        assert any(line.startswith(f"{file}:{place}: ") and text in line for line in lines), lines
    assert odesim("info", file).returncode == 0


def test_all_problems_of_a_file_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "two.wbt"
    file.write_text(HEADER + 'Robot { nam "a" }\nSolid { mass 1 }\n')
    lines = odesim("check", file).stderr.splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "3"]
    assert 'did you mean "name"' in lines[0]


def test_help_comes_at_once_and_without_ros(monkeypatch) -> None:
    begin = cpu_time_of_children()
    done = subprocess.run([*ODESIM, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    took = cpu_time_of_children() - begin
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("run", "check", "info", "list"))
    assert took < 0.5  # 0.1 s here
    code = "import sys, ros_bridge.cli.__main__ as cli; cli.make_parser(); print('rclpy' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "False\n"


def test_version() -> None:
    assert process("--version").stdout == f"odesim {sim_core.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["run", "--mode", "slow"], ["run", "--speed", "x"], ["check"], ["info"]]
)
def test_wrong_arguments_end_with_2(arguments: list[str]) -> None:
    done = odesim(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("odesim") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "run --sped 2 wall_avoiders",
            'odesim run: error: unrecognized argument --sped (did you mean "--speed"?)',
        ),
        ("shot w p.png --siz=1x1 q", "odesim shot: error: unrecognized argument q"),
        ("record", "odesim record: error: the following arguments are required: DIR;"),
        ("list extra", "odesim list: error: unrecognized argument extra;"),
    ],
)
def test_a_wrong_argument_is_named_where_it_is_wrong(line: str, says: str) -> None:
    assert odesim(*line.split()).stderr.startswith(says)


def test_what_the_launch_file_passes_is_understood() -> None:
    words = "run w.wbt --mode fast --speed 1.0 --seed 7 --duration 2.5 --params a --params b --no-controllers"
    arguments = make_parser().parse_args(words.split())
    assert (arguments.world, arguments.mode, arguments.speed, arguments.seed) == ("w.wbt", "fast", 1.0, 7)
    assert (arguments.duration, arguments.params, arguments.controllers) == (2.5, ["a", "b"], False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["wall_folower"], 'did you mean "wall_follower"'),
        (["wall_follower", "--speed", "-1"], "--speed: found -1"),
        (["wall_follower", "--params", "no.yaml"], "no.yaml"),
        (["wall_follower", "--ros-args", "-p", "speeed:=2.0"], 'did you mean "speed"'),
    ],
)
def test_a_wrong_option_is_one_line(arguments: list[str], says: str) -> None:
    done = odesim("run", *arguments)
    assert done.returncode == 2
    assert says in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr


def test_a_missing_controller_is_a_warning_of_the_check(tmp_path: Path) -> None:
    world = tmp_path / "worlds" / "w.wbt"
    world.parent.mkdir()
    world.write_text(HEADER + 'Robot { name "r" controller "gone" }\n')
    checked = odesim("check", world)
    assert checked.returncode == 0, "the world itself is good"
    assert "warning: " in checked.stdout and "gone" in checked.stdout


def test_check_reads_a_folder_and_counts(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "good.wbt").write_text(HEADER + "WorldInfo { }\n")
    (tmp_path / "deep" / "bad.wbt").write_text(HEADER + "Robt { }\n")
    done = odesim("check", tmp_path)
    assert done.returncode == 2
    assert done.stdout.endswith("1 good file, 1 broken: 1 error, 0 warnings\n")
    assert odesim("check", tmp_path / "good.wbt").returncode == 0


def test_check_of_a_folder_without_worlds_is_an_error(tmp_path: Path) -> None:
    done = odesim("check", tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"{tmp_path}: found no world, expected files that end in .wbt, .x3d, .wrl, .sdf, .world or .proto\n",
    )


@pytest.mark.parametrize("command", ["check", "info", "run --mode fast --duration 0.1"])
def test_a_robot_that_never_moves_is_named(tmp_path: Path, command: str) -> None:
    file = tmp_path / "w.wbt"
    wheel = (
        "HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} 0 }} "
        'device RotationalMotor {{ name "{name}" }} '
        "endPoint Solid {{ translation 0 {y} 0 boundingObject Sphere {{ }} {physics} }} }}"
    )
    left = wheel.format(name="left", y=1, physics="")
    right = wheel.format(name="right", y=-1, physics="")
    pushes = wheel.format(name="right", y=-1, physics="physics Physics { }")
    body = "boundingObject Box { } physics Physics { }"
    file.write_text(
        f"{HEADER}Robot {{ children {left} }}\n"
        f'Robot {{ name "rover" translation 9 0 0 {body} children [ {left} {right} ] }}\n'
        f'Robot {{ name "half" translation 0 9 0 {body} children [ {left} {pushes} ] }}\n'
        f'Robot {{ name "nods" translation 9 9 0 {body} children {left} }}\n'
    )
    name, *options = command.split()
    done = (process if options else odesim)(name, file, *options)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "Physics {" in line]
    says = (
        ':2:1: Robot "robot" has no Physics and never moves; its motor "left" turns a wheel, expected',
        ':3:1: Robot "rover": the wheels of "left", "right" have no Physics: they turn, but move nothing',
        ':4:1: Robot "half": the wheels of "left" have no Physics: they turn, but move nothing, expected',
    )
    assert len(lines) == len(says)
    assert [line for line, text in zip(lines, says, strict=True) if f"{file}{text}" not in line] == []
    assert done.returncode == 0


def test_info_shows_the_smallest_radius_of_a_car() -> None:
    """L/tan δ + T/2, the steered wheels reaching 0.6 rad: what a planner for cars must know."""
    assert "wheelbase 2.9 m, smallest radius 4.99 m; left rear left wheel" in odesim("info", "ute").stdout


def test_info_shows_robots_devices_topics_types_and_periods() -> None:
    text = odesim("info", "wall_follower").stdout
    for words in (
        "robot2: Robot, controller wall_follower, in lock-step every 200 ms",
        "differential drive, wheel radius 0.2 m, separation 0.8 m; left motor_left, right motor_right",
        "ds_front DistanceSensor",
        "/robot2/ds_front out sensor_msgs/msg/Range 200 ms robot2/ds_front",
        "/robot2/joint_command in sensor_msgs/msg/JointState",
        "/clock out rosgraph_msgs/msg/Clock 10 ms",
    ):
        assert any(words == " ".join(line.split()) for line in text.splitlines()), words


def test_info_for_programs_says_the_same() -> None:
    info = json.loads(odesim("info", "wall_avoiders", "--json").stdout)
    assert (info["step"], info["title"], len(info["robots"])) == (0.005, "Wall avoiders", 10)
    topics = {topic["name"]: topic for topic in info["topics"]}
    front = topics["/robot7/ds_front"]
    assert (front["type"], front["direction"], front["period"]) == ("sensor_msgs/msg/Range", "publish", 0.2)
    assert front["frame_id"] == "robot7/ds_front"
    assert topics["/robot7/cmd_vel"]["direction"] == "subscribe"


def test_info_shows_services_and_actions_of_a_robot(tmp_path: Path) -> None:
    motor = 'SliderJoint { device LinearMotor { name "a" } endPoint Solid { } }'
    world, file = tmp_path / "w.wbt", tmp_path / "controllers.yaml"
    world.write_text(HEADER + f'Robot {{ name "r" children {motor} }} Robot {{ name "s" }}')
    file.write_text(
        "controller_manager: { ros__parameters: { arm: { type: "
        "joint_trajectory_controller/JointTrajectoryController } } }\n"
        "arm: { ros__parameters: { joints: [a], command_interfaces: [position] } }"
    )
    needs = "" if find_spec("control_msgs") else "control_msgs"
    name, kind = "/arm/follow_joint_trajectory", "control_msgs/action/FollowJointTrajectory"
    info = json.loads(odesim("info", world, "--params", file, "--json").stdout)
    of_robot = {"robot": "r", "needs": needs}
    assert {"name": name, "type": kind} | of_robot in info["actions"]
    query = {"name": "/arm/query_state", "type": "control_msgs/srv/QueryTrajectoryState"}
    assert query | of_robot in info["services"]
    (line,) = (line for line in as_text(info).splitlines() if name in line)
    why = [f"not served: {needs} is not installed"] if needs else []
    assert " ".join(line.split()) == " ".join([name, "action", kind, *why])


def test_info_into_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m ros_bridge.cli info wall_avoiders | head -n 1"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=True
    )
    assert "wall_avoiders" in done.stdout and done.stderr == ""


def test_list_names_all_worlds_and_controllers() -> None:
    text = odesim("list").stdout
    assert all(name in text for name in (*shipped_worlds(), *SHIPPED))
    assert "Wall avoiders" in text


PROTO = """#VRML_SIM R2025a utf8
PROTO Post [ field SFFloat height 1 ]
{ Solid { children Shape { geometry Cylinder { height IS height } } } }
"""
SMALL = """#VRML_SIM R2025a utf8
EXTERNPROTO "../protos/Post.proto"
WorldInfo { }
Post { height 2 }
Robot { controller "void" children [ Skin { } Skin { name "b" } Post { name "p" } ] }
"""


def test_check_of_a_folder_ends_with_a_table(tmp_path: Path) -> None:
    for folder in ("worlds", "protos"):
        (tmp_path / folder).mkdir()
    (tmp_path / "protos/Post.proto").write_text(PROTO)
    (tmp_path / "protos/Bad.proto").write_text("#VRML_SIM R2025a utf8\nPROTO Bad [ ] { Solid { nme 3 } }")
    (tmp_path / "worlds/w.wbt").write_text(SMALL.replace(' name "p"', ""))
    done = odesim("check", tmp_path)
    assert done.returncode == 2
    assert "Bad.proto:2:25: unknown field" in done.stderr
    lines = done.stdout.splitlines()
    rows = {Path(line.split()[0]).name: line.split()[1:] for line in lines if line.startswith(str(tmp_path))}
    assert rows["Post.proto"][:4] == ["3", "1", "0", "0"]
    assert rows["Bad.proto"][:4] == ["0", "0", "1", "0"]
    assert rows["w.wbt"] == ["10", "1", "0", "2", "2", "Skin"]
    assert lines[-1] == "2 good files, 1 broken: 1 error, 2 warnings"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["run", "--duration", "1e300"],
            "--duration: found 1e+300, expected a number above 0 and up to 1e+09",
        ),
        (["run", "--seed", "9" * 30], "--seed: found 9"),
        (["run", "--record-topic", "/clock"], "--record-topic: found no --record"),
        (["shot", "wall_avoiders", "a.png", "--time", "1e300"], "--time: found 1e+300"),
        (["movie", "wall_avoiders", "a.mp4", "--size", "0x0"], '--size: found "0x0"'),
        (["operator", "--duration", "nan"], "--duration: found nan"),
        (["operator", "--robot", "a b"], '--robot: found "a b"'),
        (["operator", "--folder", __file__], "--folder: found the file"),
        (["record", "bag", "--duration", "nan"], "--duration: found nan"),
        (["record", "bag", "no topic["], 'found the topic "no topic["'),
        (["batc"], 'did you mean "batch"?'),
    ],
)
def test_what_cannot_be_meant_is_one_line(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = odesim(*arguments, folder=tmp_path)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert says in last and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_closed_output_is_no_error(tmp_path: Path) -> None:
    run = [
        sys.executable,
        "-m",
        "ros_bridge.cli.__main__",
        "run",
        "wall_avoiders",
        "--no-controllers",
        "--mode",
        "fast",
    ]
    command = [*run, "--duration", "0.1"]
    for closed in (">&-", ">&- 2>&- <&-"):
        shell = f'exec "$@" {closed}'
        done = subprocess.run(
            ["bash", "-c", shell, "bash", *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_line() -> None:
    command = [sys.executable, "-m", "ros_bridge.cli", "list"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=LIMIT,
        )
    assert (done.returncode, done.stderr) == (2, "the output: No space left on device\n")


@pytest.mark.parametrize("seconds", [0.02, 0.05, 0.1, 0.3, 0.6])
def test_an_early_interrupt_ends_in_silence(seconds: float) -> None:
    """Whatever is imported just then; before the first line of ours Python itself may still say something."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts/lib/sim"), "run", "wall_avoiders", "--no-controllers"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=LIMIT / 2.0)
        except subprocess.TimeoutExpired as running:
            # Python goes on where it is struck in a .pth of others, or in what its import system calls back.
            swallowed = (b"Error processing line", b"Exception ignored in", b"Failed checking if argv[0]")
            assert any(each in (running.stderr or b"") for each in swallowed), running.stderr
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    ours = [line for line in said.splitlines() if "ros_bridge" in line or "sim_core" in line]
    assert process.returncode in (0, -signal.SIGINT, 1) and ours == []


def test_the_list_has_the_titles_of_the_shipped_worlds() -> None:
    worlds = shipped_worlds().values()
    assert [title_of(world) for world in worlds] == [world_info_of(world)["title"] for world in worlds]
