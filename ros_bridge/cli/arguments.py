"""Command-line arguments of all commands."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any, NoReturn

import sim_core
from ros_bridge.base.exit_codes import ERROR
from ros_bridge.base.installed_ros import ROS_ARGS
from ros_bridge.cli import cli_commands as commands
from ros_bridge.cli.batch import add_arguments as add_batch_arguments
from ros_bridge.cli.spawn import add_arguments as add_spawn_arguments
from ros_bridge.cli.topic_arguments import add_topic_commands
from ros_bridge.cli.world_tests import add_arguments as add_test_arguments
from ros_bridge.parameters.bridge_params import GLOBAL, MODES
from ros_bridge.webots_protocol.versions import SERVED
from sim_core.base.errors import hint

DESCRIPTION = "Simulates mobile robots and puts their devices on ROS 2 topics."
EPILOG = f"""\
WORLD is a file (.wbt, .x3d, .wrl, .sdf, .world), or the name of a world of odesim's own (see odesim list).
Everything after {ROS_ARGS} goes to ROS: odesim run wall_follower {ROS_ARGS} -p clock_period:=0.05
Exit codes: 0 the run ended or was interrupted, 1 a controller died, a replay differs, tests or runs of a
batch failed, 2 wrong arguments, files or parameters, 124 --timeout ended a run, 130 a check, replay, test or
batch was interrupted."""

Subcommand = Callable[[argparse.Namespace], int]
"""Function that carries out a command and returns its exit code."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser with the arguments of all commands."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = CommandParser("odesim", None, DESCRIPTION, EPILOG, formatter_class=layout)
    parser.set_defaults(ros_args=[])
    parser.add_argument("--version", action="version", version=f"odesim {sim_core.__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, command: Subcommand, about: str) -> argparse.ArgumentParser:
        made = subparsers.add_parser(
            name, help=about, description=about, epilog=EPILOG, formatter_class=layout
        )
        made.set_defaults(command=command)
        return made

    run = add("run", commands.run_world, "simulate a world until its end or Ctrl-C")
    run.add_argument("world", metavar="WORLD", nargs="?", help=f"default: {commands.DEFAULT_WORLD}")
    about = "go on from a snapshot, made by ~/save_snapshot or in Python, in place of a WORLD"
    run.add_argument("--from", metavar="FILE", dest="snapshot", help=about)
    run.add_argument(
        "--mode",
        choices=(*MODES, "fast2d"),
        help="realtime keeps to --speed, fast never waits, paused waits for ~/resume or ~/step; "
        "fast2d: differential robots in a plane in place of ODE (-p physics:=fast2d), in realtime",
    )
    for name in ("speed", "seed", "duration"):
        _add_setting(run, name)
    about = "seconds of wall time after which the run ends with exit code 124"
    run.add_argument("--timeout", type=_seconds, metavar="SECONDS", help=about)
    about = "let worlds and robots that come while it runs start controllers and physics plug-ins"
    run.add_argument("--allow-imported-controllers", action="store_true", help=about)
    about = "wait for the controllers of <extern> robots; without, such a robot is free until one attaches"
    run.add_argument("--wait-extern", action="store_true", help=about)
    about = "let controllers in any language connect to this TCP port of the machine; 0: any that is free"
    run.add_argument("--controller-port", type=int, metavar="PORT", help=about)
    about = "serve all robots to controllers made for Webots, as its instance of this number (1234)"
    run.add_argument("--webots-protocol", type=int, metavar="NUMBER", help=about)
    about = "serve them by TCP too, at the port of that number; VERSION is theirs, default: %(const)s"
    versions = list(SERVED)
    run.add_argument(
        "--webots-tcp", metavar="VERSION", nargs="?", const=versions[0], choices=versions, help=about
    )
    about = "run Python controllers on Webots' own library, where it is installed; see odesim get"
    run.add_argument("--libcontroller", action="store_true", help=about)
    run.add_argument("--movie", metavar="FILE", help="film the run; see odesim movie")
    run.add_argument("--animation", metavar="FILE", help="record it as a 3D animation; see odesim animate")
    about = "record a rosbag2 bag into a new folder; see odesim bag, odesim replay"
    run.add_argument("--record", metavar="DIR", help=about)
    about = "record this topic only, * and ? allowed; may be given again; commands always are recorded"
    run.add_argument("--record-topic", metavar="PATTERN", action="append", default=[], help=about)
    about = "show the world in a browser; see odesim view"
    run.add_argument("--viewer", action=argparse.BooleanOptionalAction, default=False, help=about)
    about = "show it at the first free port from here on; 0: any"
    run.add_argument("--viewer-port", type=int, metavar="PORT", help=about)
    show = add("view", commands.view_world, "show a running simulation in a browser, and steer it from there")
    about = "address to listen at; 0.0.0.0 for browsers on other machines, by a token; default: %(default)s"
    show.add_argument("--host", default="127.0.0.1", help=about)
    about = "the first free port from here on is taken; default: 8080, with --foxglove 8765"
    show.add_argument("--port", type=int, default=argparse.SUPPRESS, help=about)
    show.add_argument("--exit-with-simulation", action="store_true", help="end when the simulation ends")
    about = "show only: no driving, no editing, no buttons that act"
    show.add_argument("--view-only", action="store_true", help=about)
    about = "in place of a page of its own serve all topics to Foxglove and Lichtblick, by their WebSocket"
    show.add_argument("--foxglove", action="store_true", help=about)
    about = (
        "with --foxglove: let this page in, such as https://lichtblick.example, besides Foxglove's own and "
        "those of this machine; may be given again"
    )
    show.add_argument("--origin", metavar="PAGE", action="append", default=[], help=about)
    about = "what ros2 topic does: list, echo, hz, bw, info, pub, type, find"
    add_topic_commands(add("topic", commands.use_topic, about))
    drive = add("teleop", commands.drive_robot, "drive a robot of a running simulation from this terminal")
    drive.add_argument(
        "robot", metavar="ROBOT", help="its name on ROS: /ROBOT/cmd_vel; / where it has no namespace"
    )
    drive.add_argument("--linear", type=float, default=0.3, help="m/s; default: %(default)s")
    drive.add_argument("--angular", type=float, default=1.0, help="rad/s; default: %(default)s")
    add_spawn_arguments(add("spawn", commands.spawn_robot, "bring a robot into a running simulation"))
    check = add(
        "check", commands.check_worlds, "read worlds without running them; every problem as file:line:column"
    )
    about = "a world (a path, or the name of one of ours); a folder: all worlds in it and below"
    check.add_argument("paths", metavar="WORLD|FOLDER", nargs="+", help=about)
    about = "write an old world, or one in X3D or VRML97, as a world of today; or a world as X3D or VRML97"
    change = add("convert", commands.convert_world, about)
    change.add_argument("source", metavar="FROM", help="a world: a file, or the name of one of ours")
    change.add_argument("target", metavar="TO", help="the file to write; its ending says the format")
    change.add_argument("--force", action="store_true", help="write over a file that is there")
    info = add("info", commands.show_info, "show robots, devices, topics, services and actions of a world")
    info.add_argument("world", metavar="WORLD")
    info.add_argument("--json", action="store_true", help="for programs")
    movie = add(
        "movie", commands.make_movie, "film a world with its controllers; its Viewpoint may follow a robot"
    )
    about = "write an HTML page with a 3D animation of a world, which opens without a server"
    animate = add("animate", commands.animate_world, about)
    for one, made in ((movie, "the movie to write, .mp4, .webm, .avi or .gif"), (animate, "the page, .html")):
        one.add_argument("world", metavar="WORLD")
        one.add_argument("file", metavar="FILE", help=made)
        about = "simulated seconds; default: %(default)s; Ctrl-C ends it earlier"
        one.add_argument("--duration", type=float, default=10.0, metavar="SECONDS", help=about)
        one.add_argument("--fps", type=float, default=25.0, help="pictures per second; default: %(default)s")
        about = "simulated seconds in one second of it; default: %(default)s"
        one.add_argument("--speed", type=float, default=1.0, help=about)
        about = "fast, unless a controller is not in lock-step; see odesim run"
        one.add_argument("--mode", choices=("realtime", "fast", "fast2d"), help=f"default: {about}")
        _add_setting(one, "seed")
    movie.add_argument("--quality", type=int, default=75, help="1 to 100; default: %(default)s")
    for one in (run, info):
        _add_setting(one, "layout")
        about = "YAML of ros_gz_bridge: topics have the ROS names that it gives; means --layout gazebo"
        one.add_argument("--bridge", metavar="FILE", help=about)
    for one in (run, movie, animate):
        about = "start no controllers of the world"
        one.add_argument("--no-controllers", dest="controllers", action="store_false", help=about)
    for one in (run, info, movie, animate):
        about = "ROS 2 parameter file; may be given again, a later one wins"
        one.add_argument("--params", metavar="FILE", action="append", default=[], help=about)
    shot = add(
        "shot", commands.take_shot, "write a picture of a world as its Viewpoint sees it; no controllers run"
    )
    shot.add_argument("world", metavar="WORLD")
    shot.add_argument("picture", metavar="PICTURE", help="the file to write, .png or .jpg")
    shot.add_argument(
        "--time", type=float, default=0.0, metavar="SECONDS", help="simulated before; default: 0"
    )
    grid = add("map", commands.map_world, "draw the occupancy grid of a world, for ROS's map_server")
    grid.add_argument("world", metavar="WORLD")
    about = "writes MAP.yaml and MAP.pgm; default: the world's name, in the current folder"
    grid.add_argument("map", metavar="MAP", nargs="?", default="", help=about)
    about = "m above z = 0 at which what collides is cut; default: %(default)s"
    grid.add_argument("--height", type=float, default=0.1, metavar="M", help=about)
    about = "m along the side of a cell; default: %(default)s"
    grid.add_argument("--resolution", type=float, default=0.05, metavar="M", help=about)
    for one in (shot, movie):
        about = "WIDTHxHEIGHT in pixels; default: 1280x720, or the camera's"
        one.add_argument("--size", default="", metavar="WxH", help=about)
        about = "look through this Camera or RangeFinder; default: the world's Viewpoint"
        one.add_argument("--camera", default="", metavar="ROBOT/DEVICE", help=about)
        about = "fine: soft shadows, light from all sides; default: fine from the Viewpoint, the camera's own"
        one.add_argument("--look", default="", choices=("fine", "fast"), help=about)
    for one in (run, check, change, info, shot, grid, movie, animate):
        about = (
            "put the robot of a URDF or xacro file into the world; FILE@x,y,z,yaw in m and rad, and in "
            'the same word values for xacro: "robot.xacro@1,0 wheels:=4"; FILE@ROBOT: devices and plugins of '
            "a robot that is in the world; may be given again"
        )
        one.add_argument("--urdf", metavar="FILE[@x,y,z,yaw|@ROBOT]", action="append", default=[], help=about)
        about = "put the model of an SDF file of Gazebo into the world, likewise; may be given again"
        one.add_argument("--model", metavar="FILE[@x,y,z,yaw]", action="append", dest="urdf", help=about)
    for one in (run, check, info, shot, grid, movie, animate):
        about = "ask the network for files that are nowhere here"
        one.add_argument("--download", action="store_true", help=about)
    for one in (run, info, shot, grid, movie, animate):
        about = "refuse a world with mistakes, or with PROTO files that are nowhere, as odesim check does"
        one.add_argument("--strict", action="store_true", help=about)
    operate = add(
        "operator",
        commands.operate_ute,
        "record the sensors of the ute, and send it commands from the terminal",
    )
    operate.add_argument("--robot", default="ute", help="its name on ROS; default: %(default)s")
    about = "in which each recording makes a new folder; default: %(default)s"
    operate.add_argument("--folder", default="runs", help=about)
    about = "record these from the start on: all, or names with commas between them"
    operate.add_argument("--sensors", default="", metavar="NAMES", help=about)
    operate.add_argument("--binary", action="store_true", help="write binary files in place of CSV")
    about = "simulated time at which to end"
    operate.add_argument("--duration", type=float, metavar="SECONDS", help=about)
    record = add(
        "record", commands.record_topics, "record topics of a running system, of any nodes, until Ctrl-C"
    )
    record.add_argument("folder", metavar="DIR", help="the bag to make, a new folder")
    about = (
        "names, * and ? allowed; default: all topics, also those that come later, without /odesim/overlay/* "
        "and /odesim/scene*"
    )
    record.add_argument("topics", metavar="TOPIC", nargs="*", default=[], help=about)
    record.add_argument("--wall-time", action="store_true", help="log by wall time, and wait for no /clock")
    about = "seconds of wall time until the end"
    record.add_argument("--duration", type=float, metavar="SECONDS", help=about)
    replay = add(
        "replay", commands.replay_bag, "repeat a recorded run and compare every reading with the recording"
    )
    replay.add_argument("bag", metavar="BAG", help="folder made by odesim run --record")
    replay.add_argument("--world", metavar="FILE", help="the recorded world, where it is not where it was")
    about = "draw and compare no pictures: another renderer draws others"
    replay.add_argument("--skip-pictures", action="store_true", help=about)
    film = replay.add_mutually_exclusive_group()
    film.add_argument("--movie", metavar="FILE", help="film it, .mp4, .webm, .avi or .gif")
    film.add_argument("--animation", metavar="FILE", help="make a page with a time line of it, .html")
    film.add_argument("--viewer", action="store_true", help="show that page at an address until Ctrl-C")
    about = "sim time from which it is filmed; default: %(default)g"
    replay.add_argument("--movie-from", type=float, default=0.0, metavar="SECONDS", help=about)
    about = "WIDTHxHEIGHT of the movie in pixels; default: 1280x720"
    replay.add_argument("--movie-size", default="", metavar="WxH", help=about)
    about = "say in words what went wrong in a recorded run: who failed, what was touched, which wheels slip"
    explain = add("explain", commands.explain_run, about)
    about = "a bag of odesim run --record, or a folder of a failed test in odesim-failures/"
    explain.add_argument("run", metavar="RUN", help=about)
    explain.add_argument("--world", metavar="FILE", help="the recorded world, where it is not where it was")
    explain.add_argument("--json", action="store_true", help="for programs")
    about = "run tests of worlds, written for pytest; grade submissions"
    test = add("test", commands.test_worlds, about)
    add_test_arguments(test)
    about = "run a grid or a sample of worlds, seeds and parameters on all cores"
    batch = add("batch", commands.run_batch, about)
    add_batch_arguments(batch)
    for one in (run, check, change, info, shot, grid, movie, animate, replay, explain, test, batch):
        about = "let files from elsewhere run their programs (controllers, plug-ins, xacro) from now on"
        one.add_argument("--trust", action="store_true", help=about)
    controller = add(
        "controller", commands.run_controller, "drive a robot of a running simulation by a controller"
    )
    controller.add_argument("robot", metavar="ROBOT", help="its name; its controller should be <extern>")
    controller.add_argument(
        "file", metavar="FILE", help="in Python, C or C++ with Webots' functions, or a program"
    )
    about = "what the controller gets"
    controller.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help=about)
    controller.add_argument(
        "--simulation",
        default="",
        metavar="PID",
        help="which, if several run; or tcp://HOST:PORT, where the port of `odesim run --controller-port` is "
        "reached, as through ssh -L from another machine",
    )
    get = add("get", commands.get_part, "bring in what odesim does not contain: Webots' own libController")
    get.add_argument(
        "part",
        metavar="PART",
        choices=("libcontroller",),
        help="libcontroller: R2023a, compiled for Linux on x86-64, with headers and Python packages; "
        "Apache License 2.0, from Cyberbotics' repository on GitHub",
    )
    about = "take it out of this archive, such as webots-R2025a-x86-64.tar.bz2, in place of the network"
    get.add_argument("--from", metavar="FILE", dest="archive", help=about)
    about = "make a folder that takes the place of an installation of Webots, for webots_ros2 and its like"
    home = add("webots-home", commands.make_home, about)
    home.add_argument("folder", metavar="DIR", help="set the variable WEBOTS_HOME to it")
    add_bag_commands(add("bag", commands.use_bag, "look into a bag: info, commands, csv, plot, repair"))
    about = "make a ROS package of your own: a world, a robot, a controller, a launch file, a test"
    new = add("new", commands.make_package, about)
    new.add_argument("name", metavar="NAME", help="of the package, its folder and its world")
    about = "where its folder is made; default: the current folder"
    new.add_argument("--folder", default=".", metavar="DIR", help=about)
    add("list", commands.list_shipped, "list the worlds and controllers that come with odesim")
    about = 'print what completes commands, options and worlds in a shell: eval "$(odesim completion bash)"'
    completion = add("completion", commands.complete_words, about)
    completion.add_argument("shell", choices=("bash", "zsh"), help="which shell asks")
    return parser


def _seconds(text: str) -> float:
    """Return a number of seconds above 0."""
    value = float(text)
    if not 0.0 < value < math.inf:
        raise ValueError
    return value


def add_bag_commands(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `odesim bag`."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    info = actions.add_parser("info", help="show topics, counts, rates and what the recording says of itself")
    journal = actions.add_parser("commands", help="show what was asked of the run, a line each")
    table = actions.add_parser("csv", help="write one table for each topic")
    picture = actions.add_parser("plot", help="draw trajectories over the map, or numbers over time")
    mend = actions.add_parser("repair", help="end an interrupted recording; done by itself when it is opened")
    for one in (info, journal, table, picture, mend):
        one.add_argument("bag", metavar="BAG", help="folder of a bag, or an .mcap file")
    table.add_argument("topics", metavar="TOPIC", nargs="*", help="names, * and ? allowed; default: all")
    table.add_argument("--out", metavar="DIR", help="folder of the tables; default: BAG_csv")
    table.add_argument("--all-elements", action="store_true", help="expand long arrays too")
    about = "/topic.field, such as /robot1/gps.point.x; default: trajectories of all robots over the map"
    picture.add_argument("fields", metavar="FIELD", nargs="*", help=about)
    about = ".png, .svg or .pdf; default: BAG.png"
    picture.add_argument("-o", "--out", metavar="PICTURE", help=about)


def _add_setting(parser: argparse.ArgumentParser, name: str) -> None:
    """Add an option for a parameter of the node; the parameter's rule checks the value."""
    rule = GLOBAL[name]
    shown = {"duration": "SECONDS", "layout": "NAME"}.get(name)
    parser.add_argument(f"--{name}", type=rule.type, metavar=shown, help=rule.description)


class CommandParser(argparse.ArgumentParser):
    """Parser that reports an error in one line and suggests the closest choice or option."""

    def parse_known_args(  # type: ignore[override]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments as the base class, but report unknown ones here, where similar ones are known."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            wrong = next((word for word in unknown if word.startswith("-")), unknown[0])
            options = [name for action in self._actions for name in action.option_strings]
            near = hint(wrong.partition("=")[0], options) if wrong.startswith("-") else ""
            self.error(f"unrecognized argument {wrong}{near}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Print an error in one line and exit."""
        self.exit(ERROR, f"{self.prog}: error: {message}; see {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = hint(str(value), [str(choice) for choice in action.choices or ()])
            raise argparse.ArgumentError(action, error.message + near) from None
