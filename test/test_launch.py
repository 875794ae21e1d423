"""The launch files: their arguments, the worlds they name and, where launch is installed, what they start."""

import ast
import importlib.util
import logging
import os
import sys
from pathlib import Path

import pytest
import yaml
from processes import ODESIM, finished

from ros_bridge.topics.names import VIEWS

if importlib.util.find_spec("launch_ros") is not None:  # there is a folder `launch` of our own
    importlib.import_module("launch.logging")
    # pytest hears nothing of the loggers that launch would have made from here on: ours stay as they are
    logging.setLoggerClass(logging.Logger)

ROOT = Path(__file__).resolve().parents[1]
DEMOS = [
    *("wall_avoiders", "wall_follower", "go_to_pose", "fast2d", "ute", "chairs", "soccer", "line_follower"),
    *("docking", "talkers", "swarm", "navigation", "office", "warehouse", "arena"),
    *("apartment", "maze", "race_track", "rough_ground"),
]
ARGUMENTS = {
    "world": None,
    "from": None,
    "mode": ["", "realtime", "fast", "paused", "fast2d"],
    "speed": None,
    "seed": None,
    "layout": ["", "odesim", "nav2", "webots_ros2", "gazebo"],
    "bridge": None,
    "params": None,
    "controllers": ["true", "false"],
    "allow_imported_controllers": ["true", "false"],
    "trust": ["true", "false"],
    "download": ["true", "false"],
    "strict": ["true", "false"],
    "controller_port": None,
    "urdf": None,
    "viewer": ["true", "false"],
    "rviz": ["true", "false"],
    "foxglove": ["true", "false"],
    "record": None,
    "rosbag2": ["true", "false"],
    "reset": ["", "to_zero", "keep_clock"],
    "duration": None,
    "namespace": None,
    "use_sim_time": ["true", "false"],
    "log_level": ["debug", "info", "warn", "error", "fatal"],
}


def declared_arguments(file: Path) -> dict[str, dict[str, object]]:
    """What a launch file says of its arguments, by name: description, default and choices."""
    declared: dict[str, dict[str, object]] = {}
    for call in ast.walk(ast.parse(file.read_text())):
        kind = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if kind in ("argument", "switch") and isinstance(call.args[0], ast.Constant):
            name, description = map(ast.literal_eval, call.args)
            given = {
                k.arg: ast.literal_eval(k.value) for k in call.keywords if not isinstance(k.value, ast.Name)
            }
            usual = (
                {"default": "false", "choices": ["true", "false"]} if kind == "switch" else {"default": ""}
            )
            declared[name] = {"description": description} | usual | given
    return declared


@pytest.mark.parametrize("file", sorted((ROOT / "launch").glob("*.py")), ids=lambda file: file.name)
def test_launch_file_compiles_and_ros2_launch_finds_it(file):
    assert file.name.endswith(".launch.py")
    tree = compile(file.read_text(), str(file), "exec", ast.PyCF_ONLY_AST)
    assert "generate_launch_description" in [getattr(node, "name", "") for node in tree.body]


def test_every_argument_has_a_description_a_default_and_its_choices():
    declared = declared_arguments(ROOT / "launch/simulation.launch.py")
    assert {name: row.get("choices") for name, row in declared.items()} == ARGUMENTS
    for name, row in declared.items():
        assert row["description"], name
        assert row.get("choices") is None or row["default"] in row["choices"], name


def test_every_world_named_by_a_launch_file_is_shipped():
    for world in DEMOS:
        assert (ROOT / "launch" / f"{world}.launch.py").read_text().endswith(f'["describe"]("{world}")\n')
        assert (ROOT / "worlds" / f"{world}.wbt").is_file()
    assert {file.name for file in (ROOT / "launch").glob("*.py")} == {
        "simulation.launch.py",
        "nav2.launch.py",
        *(f"{demo}.launch.py" for demo in DEMOS),
    }


def test_settings_of_rviz_and_foxglove_are_shipped():
    assert (ROOT / "config/odesim.rviz").is_file()
    assert (ROOT / "config/odesim_foxglove.json").is_file()


# Comes with a ROS 2 installation. (`launch` itself is always found: it is a folder here.)
if importlib.util.find_spec("launch_ros"):
    from launch import LaunchContext, LaunchDescription
    from launch.actions import ExecuteProcess, IncludeLaunchDescription, OpaqueFunction
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    from launch_ros.actions import Node

    @pytest.fixture
    def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """An installation of this checkout, as ament looks it up."""
        for place, target in {
            "share/ament_index/resource_index/packages/odesim": "resource/odesim",
            "share/odesim/launch": "launch",
            "share/odesim/worlds": "worlds",
            "share/odesim/config": "config",
            "lib/odesim": "scripts/lib",
        }.items():
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).symlink_to(ROOT / target)
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
        return tmp_path

    def commands(file: Path, **arguments: str) -> list[list[str]]:
        """The command lines of the nodes and other processes that a launch file starts."""
        context = LaunchContext()
        source = PythonLaunchDescriptionSource(str(file))
        pending = [IncludeLaunchDescription(source, launch_arguments=arguments.items())]
        found = []
        while pending:
            entity = pending.pop(0)
            if isinstance(entity, Node):
                entity._perform_substitutions(context)
            if isinstance(entity, ExecuteProcess):
                space = entity.expanded_node_namespace if isinstance(entity, Node) else ""
                names = {"ns": f"__ns:={space}", "name": "__node:=NAME"}
                context.extend_locals({"ros_specific_arguments": names})  # as execute() does
                found.append(["".join(part.perform(context) for part in word) for word in entity.cmd])
            elif isinstance(entity, OpaqueFunction | LaunchDescription | IncludeLaunchDescription):
                pending = [*(entity.visit(context) or []), *pending]
            else:
                entity.visit(context)
        return found

    @pytest.mark.parametrize("demo", DEMOS)
    def test_a_demo_starts_its_world(prefix, demo):
        share = prefix / "share/odesim"
        file = share / f"launch/{demo}.launch.py"
        for arguments, world in (({}, demo), ({"world": "soccer"}, "soccer"), ({"seed": "3"}, demo)):
            (words,) = commands(file, **arguments)
            assert words[0] == str(prefix / "lib/odesim/sim")
            assert words[1:3] == ["run", str(share / f"worlds/{world}.wbt")]
            assert ("--seed" in words) is ("seed" in arguments)

    def test_the_arguments_become_options_of_odesim_run(prefix):
        (words,) = commands(
            prefix / "share/odesim/launch/simulation.launch.py",
            world="my.wbt",
            mode="fast",
            seed="7",
            params="a.yaml, b.yaml",
            controllers="false",
            duration="2.5",
            controller_port="0",
        )
        options = "--mode fast --seed 7 --duration 2.5 --controller-port 0"
        options += " --params a.yaml --params b.yaml --no-controllers"
        assert words[1 : words.index("--ros-args")] == ["run", "my.wbt", *options.split()]

    def test_reset_is_a_parameter_of_the_simulation(prefix):
        file = prefix / "share/odesim/launch/simulation.launch.py"
        (words,) = commands(file, world="my.wbt", reset="keep_clock")
        assert words[words.index("-p") + 1] == "reset:=keep_clock"
        (words,) = commands(file, world="my.wbt")
        assert "-p" not in words

    def test_namespace_and_log_level_are_those_of_the_nodes(prefix):
        file = prefix / "share/odesim/launch/simulation.launch.py"
        for words in commands(file, world="my.wbt", viewer="true", namespace="lab", log_level="warn"):
            ours = words[words.index("--ros-args") :]
            assert "__ns:=/lab" in ours and ours[ours.index("--log-level") + 1] == "warn"

    def test_a_snapshot_takes_the_place_of_a_world(prefix):
        file = prefix / "share/odesim/launch/wall_avoiders.launch.py"
        (words,) = commands(file, **{"from": "a/b.snapshot"})
        assert words[1 : words.index("--ros-args")] == ["run", "--from", "a/b.snapshot"]

    def test_the_simulation_records_itself_whatever_is_installed(prefix):
        file = prefix / "share/odesim/launch/simulation.launch.py"
        expected = ["run", "my.wbt", "--record", "a/bag"]
        for rosbag2 in ("false", "true"):  # asked for, and not installed
            (words,) = commands(file, world="my.wbt", record="a/bag", rosbag2=rosbag2)
            assert words[1 : words.index("--ros-args")] == expected
        for package in ("ros2bag", "rosbag2_transport"):
            install(prefix, package)
        (words,) = commands(file, world="my.wbt", record="a/bag")
        assert words[1 : words.index("--ros-args")] == expected
        assert not any("wait_for_node" in word for word in words)

    def test_ros2_bag_is_waited_for_where_it_is_asked_for(prefix):
        for package in ("ros2bag", "rosbag2_transport"):
            install(prefix, package)
        file = prefix / "share/odesim/launch/simulation.launch.py"
        (words,) = commands(file, world="my.wbt", rosbag2="true")
        assert not any("wait_for_node" in word for word in words)
        recorder, words = commands(file, world="my.wbt", record="a/bag", rosbag2="true")
        assert words[1 : words.index("--ros-args")] == ["run", "my.wbt"]
        assert "wait_for_node:=rosbag2_recorder" in words
        assert recorder[:4] == ["ros2", "bag", "record", "--all-topics"] and recorder[-2:] == ["-o", "a/bag"]
        assert recorder[recorder.index("--exclude-regex") + 1] == VIEWS
        assert recorder[recorder.index("--node-name") + 1] == "rosbag2_recorder"

    def test_the_viewer_is_a_process_of_its_own(prefix):
        file = prefix / "share/odesim/launch/simulation.launch.py"
        viewer, simulation = commands(file, world="my.wbt", viewer="true")
        assert viewer[1 : viewer.index("--ros-args")] == ["view", "--exit-with-simulation"]
        assert simulation[1:3] == ["run", "my.wbt"]

    def install(prefix: Path, package: str, *files: str) -> None:
        """A package of others of which only these files are there; executables and launch files are empty."""
        for file in (f"share/ament_index/resource_index/packages/{package}", *files):
            (prefix / file).parent.mkdir(parents=True, exist_ok=True)
            (prefix / file).write_text("")
            (prefix / file).chmod(0o755)

    NAV2 = {
        "map_server": "nav2_map_server",
        "amcl": "nav2_amcl",
        "planner_server": "nav2_planner",
        "controller_server": "nav2_controller",
        "behavior_server": "nav2_behaviors",
        "bt_navigator": "nav2_bt_navigator",
        "lifecycle_manager": "nav2_lifecycle_manager",
    }

    def test_nav2_starts_with_the_map_of_the_world_or_with_slam_toolbox(prefix):
        file = prefix / "share/odesim/launch/nav2.launch.py"
        for name, package in NAV2.items():
            install(prefix, package, f"lib/{package}/{name}")
        launched = "share/slam_toolbox/launch/online_async_launch.py"
        install(prefix, "slam_toolbox", launched)
        (prefix / launched).write_text(
            "from launch import LaunchDescription\nfrom launch_ros.actions import Node\n"
            "def generate_launch_description():\n"
            "    return LaunchDescription([Node(package='slam_toolbox', executable='async')])\n"
        )
        install(prefix, "slam_toolbox", "lib/slam_toolbox/async")
        alone = [str(prefix / "lib/odesim/sim")]
        stack = [str(prefix / "lib" / package / name) for name, package in NAV2.items()]
        slam = [str(prefix / "lib/slam_toolbox/async")]
        for arguments, expected in (
            ({}, stack),
            ({"slam": "true"}, slam + stack[2:]),
            ({"slam": "true", "nav2": "false"}, slam),
            ({"nav2": "false"}, [*stack[:2], stack[-1]]),
        ):
            found = commands(file, **arguments)
            assert [words[0] for words in found] == expected + alone
            simulation = found[-1]
            world = str(prefix / "share/odesim/worlds/navigation.wbt")
            assert simulation[1:5] == ["run", world, "--layout", "nav2"]

    def test_each_of_several_robots_has_its_nav2_in_its_namespace(prefix):
        pytest.importorskip("nav2_common", reason="Nav2 is not installed")
        for name, package in NAV2.items():
            install(prefix, package, f"lib/{package}/{name}")
        *found, simulation = commands(prefix / "share/odesim/launch/nav2.launch.py", robots="tb1, tb2")
        assert simulation[1] == "run" and len(found) == 2 * len(NAV2)
        for number, words in enumerate(found):
            space = f"/tb{1 + number // len(NAV2)}"
            assert {f"__ns:={space}", f"/tf:={space}/tf", f"/scan:={space}/scan"} <= set(words)
            if "lifecycle_manager" not in words[0]:
                given = yaml.safe_load(Path(words[words.index("--params-file") + 1]).read_text())
                assert list(given) == [space[1:]] and "amcl" in given[space[1:]]

    def test_without_nav2_the_world_starts_all_the_same(prefix):
        for arguments in ({}, {"slam": "true"}):
            (words,) = commands(prefix / "share/odesim/launch/nav2.launch.py", **arguments)
            assert words[0] == str(prefix / "lib/odesim/sim")

    LAUNCH = (
        "import sys\n"
        "from launch import LaunchDescription, LaunchService\n"
        "from launch.actions import IncludeLaunchDescription\n"
        "from launch.launch_description_sources import PythonLaunchDescriptionSource\n"
        "source = PythonLaunchDescriptionSource(sys.argv[1])\n"
        "arguments = [word.split(':=') for word in sys.argv[2:]]\n"
        "service = LaunchService()\n"
        "service.include_launch_description(\n"
        "    LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments)])\n"
        ")\n"
        "sys.exit(service.run())\n"
    )
    """What `ros2 launch` does: a launch file, and NAME:=VALUE."""

    @pytest.mark.parametrize("mode", ["realtime", "fast"])
    def test_what_a_launch_records_is_replayed_identically(prefix, tmp_path, monkeypatch, mode):
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
        file, bag = prefix / "share/odesim/launch/wall_avoiders.launch.py", tmp_path / "bag"
        words = [f"mode:={mode}", "duration:=1", f"record:={bag}"]
        launched = finished(sys.executable, "-c", LAUNCH, str(file), *words)
        assert launched.returncode == 0, launched.stdout + launched.stderr
        replayed = finished(*ODESIM, "replay", str(bag))
        assert replayed.stdout.startswith("identical: "), replayed.stdout + replayed.stderr
