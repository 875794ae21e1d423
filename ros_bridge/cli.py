"""The command `odesim`: see `odesim --help`.

Everything but the parser is imported where it is used, so that `odesim --help` is there at once.
"""

from __future__ import annotations

import os
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))  # an exception in an import becomes another one

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import sim_core
from sim_core.errors import ConfigError, OdesimError, hint

ERROR_EXIT_CODE = 2
INTERRUPTED = 130
ROS_ARGS = "--ros-args"

DESCRIPTION = "Simulates mobile robots and puts their devices on ROS 2 topics."
EPILOG = f"""\
WORLD is a file (.wbt, .x3d, .wrl), or the name of a world that comes with odesim (see odesim list).
Everything after {ROS_ARGS} goes to ROS: odesim run wall_follower {ROS_ARGS} -p clock_period:=0.05
Exit codes: 0 the run ended or was interrupted, 1 a replay differs, 2 wrong arguments, files or parameters,
130 a check, replay or batch was interrupted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments without the program's name; None: those of this process.

    Returns:
        Exit code: 0; 2 after an error, printed as one line per problem; 1 and 130 as --help says.

    Raises:
        SystemExit: from argparse, with 0 after --help, with 2 for wrong arguments.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        give_output_a_place()
    split = words.index(ROS_ARGS) if ROS_ARGS in words else len(words)
    arguments = make_parser().parse_args(words[:split])
    arguments.ros_args = words[split:]
    command: Callable[[argparse.Namespace], int] = arguments.command
    if argv is None:
        handle_interrupts(command in (run_world, view_world, make_movie, animate_world, record_topics))
    try:
        code = command(arguments)
        if argv is None and command in (run_world, view_world, make_movie, animate_world, record_topics):
            from ros_bridge.ending import end_process

            end_process(code)
        sys.stdout.flush()  # here, where a reader that has gone is no error
        return code
    except OdesimError as error:
        print(error, file=sys.stderr)
        return ERROR_EXIT_CODE
    except KeyboardInterrupt:
        code = INTERRUPTED if command in (check_worlds, replay_bag) else 0  # their 0 says that all is well
        if argv is None:  # else Python, where it was raised in code made of text, ends by the signal
            from ros_bridge.ending import end_process

            end_process(code)
        return code
    except BrokenPipeError:  # the reader of our output, say `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # the disk is full, the terminal is gone: what no command could foresee
        print(f"{error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        return ERROR_EXIT_CODE
    finally:
        if argv is None:  # the process ends now: a second Ctrl-C must not disturb that
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and which choice or option was probably meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As its base does, but what nobody knows is an error here, where its neighbours are known."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            wrong = next((word for word in unknown if word.startswith("-")), unknown[0])
            options = [name for action in self._actions for name in action.option_strings]
            near = hint(wrong.partition("=")[0], options) if wrong.startswith("-") else ""
            self.error(f"unrecognized argument {wrong}{near}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """End with one line."""
        self.exit(ERROR_EXIT_CODE, f"{self.prog}: error: {message}; see {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: str) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = hint(str(value), [str(choice) for choice in action.choices or ()])
            raise argparse.ArgumentError(action, error.message + near) from None


def handle_interrupts(at_once: bool) -> None:
    """Say what Ctrl-C does until a command says otherwise.

    Args:
        at_once: end the process, in silence: for commands that handle signals themselves as soon as there is
            something to end. An exception would not do: rclpy makes another one of it while it is imported.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a shell script
        signal.signal(signal.SIGINT, (lambda *_: os._exit(0)) if at_once else signal.default_int_handler)


def give_output_a_place() -> None:
    """Give those who print somewhere to print to where the shell has closed it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # else the next file that is opened would get this number
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def make_parser() -> argparse.ArgumentParser:
    """The arguments of all commands."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = Parser("odesim", None, DESCRIPTION, EPILOG, formatter_class=layout)
    parser.add_argument("--version", action="version", version=f"odesim {sim_core.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, command: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=about, description=about, epilog=EPILOG, formatter_class=layout)
        made.set_defaults(command=command)
        return made

    run = add("run", run_world, "simulate a world until its end or Ctrl-C")
    run.add_argument(
        "world", metavar="WORLD", nargs="?", default="wall_avoiders", help="default: %(default)s"
    )
    run.add_argument(
        "--mode",
        choices=("realtime", "fast", "paused", "fast2d"),
        help="realtime keeps to --speed, fast never waits, paused waits for ~/resume or ~/step; "
        "fast2d: differential robots in a plane in place of ODE (-p physics:=fast2d), in realtime",
    )
    run.add_argument("--speed", type=float, help="simulated seconds per second, in the mode realtime")
    run.add_argument("--seed", type=int, help="seed of all random numbers; default: the world's")
    run.add_argument("--duration", type=float, metavar="SECONDS", help="simulated seconds until the end")
    run.add_argument("--no-controllers", action="store_true", help="start no controllers of the world")
    run.add_argument("--movie", metavar="FILE", help="film the run; see odesim movie")
    run.add_argument("--animation", metavar="FILE", help="record it as a 3D animation; see odesim animate")
    about = "record a rosbag2 bag into a new folder; see odesim bag, odesim replay"
    run.add_argument("--record", metavar="DIR", help=about)
    about = "record this topic only, * and ? allowed; may be given again; commands always are recorded"
    run.add_argument("--record-topic", metavar="PATTERN", action="append", default=[], help=about)
    about = "show the world in a browser; see odesim view"
    run.add_argument("--viewer", action=argparse.BooleanOptionalAction, default=False, help=about)
    show = add("view", view_world, "show a running simulation in a browser, and steer it from there")
    about = "address to listen at; 0.0.0.0 for browsers on other machines; default: %(default)s"
    show.add_argument("--host", default="127.0.0.1", help=about)
    about = "the first free port from here on is taken; default: %(default)s"
    show.add_argument("--port", type=int, default=8080, help=about)
    show.add_argument("--exit-with-simulation", action="store_true", help="end when the simulation ends")
    drive = add("teleop", drive_robot, "drive a robot of a running simulation from this terminal")
    drive.add_argument("robot", metavar="ROBOT", help="its name on ROS: /ROBOT/cmd_vel")
    drive.add_argument("--linear", type=float, default=0.3, help="m/s; default: %(default)s")
    drive.add_argument("--angular", type=float, default=1.0, help="rad/s; default: %(default)s")
    check = add("check", check_worlds, "read worlds without running them; every problem as file:line:column")
    about = "a world (a path, or the name of one of ours); a folder: all worlds in it and below"
    check.add_argument("paths", metavar="WORLD|FOLDER", nargs="+", help=about)
    about = "write an old world, or one in X3D or VRML97, as a world of today; or a world as X3D or VRML97"
    change = add("convert", convert_world, about)
    change.add_argument("source", metavar="FROM", help="a world: a file, or the name of one of ours")
    change.add_argument("target", metavar="TO", help="the file to write; its ending says the format")
    change.add_argument("--force", action="store_true", help="write over a file that is there")
    info = add("info", show_info, "show robots, devices and topics of a world without running it")
    info.add_argument("world", metavar="WORLD")
    info.add_argument("--json", action="store_true", help="for programs")
    movie = add("movie", make_movie, "film a world with its controllers; its Viewpoint may follow a robot")
    about = "write an HTML page with a 3D animation of a world, which opens without a server"
    animate = add("animate", animate_world, about)
    for one, made in ((movie, "the movie to write, .mp4, .webm or .gif"), (animate, "the page, .html")):
        one.add_argument("world", metavar="WORLD")
        one.add_argument("file", metavar="FILE", help=made)
        about = "simulated seconds; default: %(default)s; Ctrl-C ends it earlier"
        one.add_argument("--duration", type=float, default=10.0, metavar="SECONDS", help=about)
        one.add_argument("--fps", type=float, default=25.0, help="pictures per second; default: %(default)s")
        about = "simulated seconds in one second of it; default: %(default)s"
        one.add_argument("--speed", type=float, default=1.0, help=about)
        about = "fast, unless a controller is not in lock-step; see odesim run"
        one.add_argument("--mode", choices=("realtime", "fast", "fast2d"), help=f"default: {about}")
        one.add_argument("--seed", type=int, help="seed of all random numbers; default: the world's")
        one.add_argument("--no-controllers", action="store_true", help="start no controllers of the world")
    movie.add_argument("--quality", type=int, default=75, help="1 to 100; default: %(default)s")
    for one in (run, info, movie, animate):
        about = "put the robot of a URDF file into the world; FILE@x,y,z,yaw in m and rad; may be given again"
        one.add_argument("--urdf", metavar="FILE[@x,y,z,yaw]", action="append", default=[], help=about)
        about = "ROS 2 parameter file; may be given again, a later one wins"
        one.add_argument("--params", metavar="FILE", action="append", default=[], help=about)
    shot = add("shot", take_shot, "write a picture of a world as its Viewpoint sees it; no controllers run")
    shot.add_argument("world", metavar="WORLD")
    shot.add_argument("picture", metavar="PICTURE", help="the file to write, .png or .jpg")
    shot.add_argument(
        "--time", type=float, default=0.0, metavar="SECONDS", help="simulated before; default: 0"
    )
    for one in (shot, movie):
        about = "WIDTHxHEIGHT in pixels; default: 1280x720, or the camera's"
        one.add_argument("--size", default="", metavar="WxH", help=about)
        about = "look through this Camera or RangeFinder; default: the world's Viewpoint"
        one.add_argument("--camera", default="", metavar="ROBOT/DEVICE", help=about)
    for one in (run, check, info, shot, movie, animate):
        about = "ask the network for files that are nowhere here"
        one.add_argument("--download", action="store_true", help=about)
        about = (
            "a PROTO that is nowhere becomes an empty node; unknown fields are skipped; both with a warning"
        )
        one.add_argument("--skip-missing", action="store_true", help=about)
    operate = add(
        "operator", operate_ute, "record the sensors of the ute, and send it commands from the terminal"
    )
    operate.add_argument("--robot", default="ute", help="its name on ROS; default: %(default)s")
    about = "in which each recording makes a new folder; default: %(default)s"
    operate.add_argument("--folder", default="runs", help=about)
    about = "record these from the start on: all, or names with commas between them"
    operate.add_argument("--sensors", default="", metavar="NAMES", help=about)
    about = "simulated time at which to end"
    operate.add_argument("--duration", type=float, metavar="SECONDS", help=about)
    record = add("record", record_topics, "record topics of a running system, of any nodes, until Ctrl-C")
    record.add_argument("folder", metavar="DIR", help="the bag to make, a new folder")
    about = "names, * and ? allowed; default: all topics, also those that come later"
    record.add_argument("topics", metavar="TOPIC", nargs="*", default=[], help=about)
    record.add_argument("--wall-time", action="store_true", help="log by wall time though there is a /clock")
    about = "seconds of wall time until the end"
    record.add_argument("--duration", type=float, metavar="SECONDS", help=about)
    replay = add("replay", replay_bag, "repeat a recorded run and compare every reading with the recording")
    replay.add_argument("bag", metavar="BAG", help="folder made by odesim run --record")
    replay.add_argument("--world", metavar="FILE", help="the recorded world, where it is not where it was")
    about = "draw and compare no pictures: another renderer draws others"
    replay.add_argument("--skip-pictures", action="store_true", help=about)
    from ros_bridge.batch import add_arguments

    add_arguments(
        add("batch", run_batch, "run a grid or a sample of worlds, seeds and parameters on all cores")
    )
    controller = add("controller", run_controller, "drive a robot of a running simulation by a Python file")
    controller.add_argument("robot", metavar="ROBOT", help="its name; its controller should be <extern>")
    controller.add_argument("file", metavar="FILE", help="a controller in Webots' Python")
    about = "what the controller gets"
    controller.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help=about)
    controller.add_argument("--simulation", type=int, metavar="PID", help="which, if several run")
    add_bag_commands(add("bag", use_bag, "look into a bag: info, csv, plot, repair"))
    add("list", list_shipped, "list the worlds and controllers that come with odesim")
    return parser


def run_world(arguments: argparse.Namespace) -> int:
    """`odesim run`."""
    from ros_bridge.options import RecordingOptions, RunOptions
    from ros_bridge.paths import find_world

    if arguments.record_topic and arguments.record is None:
        raise ConfigError("--record-topic: found no --record DIR, expected both")
    options = RunOptions(
        world=str(find_world(arguments.world)),
        mode=arguments.mode,
        speed=arguments.speed,
        seed=arguments.seed,
        params=arguments.params,
        duration=arguments.duration,
        controllers=not arguments.no_controllers,
        download=arguments.download,
        skip_missing=arguments.skip_missing,
        urdf=arguments.urdf,
        movie=RecordingOptions(arguments.movie) if arguments.movie else None,
        animation=RecordingOptions(arguments.animation) if arguments.animation else None,
        record=arguments.record,
        record_topics=arguments.record_topic,
        ros_args=arguments.ros_args,
    )
    from ros_bridge import sim_node

    if not arguments.viewer:
        return sim_node.run(options)
    from ros_bridge.viewer.process import viewer_process

    with viewer_process():
        return sim_node.run(options)


def view_world(arguments: argparse.Namespace) -> int:
    """`odesim view`."""
    from ros_bridge.viewer.viewer import ViewOptions, view

    options = ViewOptions(
        host=arguments.host,
        port=arguments.port,
        exit_with_simulation=arguments.exit_with_simulation,
        ros_args=tuple(arguments.ros_args),
    )
    return view(options)


def drive_robot(arguments: argparse.Namespace) -> int:
    """`odesim teleop`."""
    from ros_bridge.teleop import teleop

    return teleop(arguments.robot, arguments.linear, arguments.angular, arguments.ros_args)


def check_worlds(arguments: argparse.Namespace) -> int:
    """`odesim check`."""
    from ros_bridge.world_check import check

    return ERROR_EXIT_CODE if check(arguments.paths, **_loading(arguments)) else 0


def convert_world(arguments: argparse.Namespace) -> int:
    """`odesim convert`."""
    from ros_bridge.convert import convert
    from ros_bridge.paths import find_world

    for warning in convert(str(find_world(arguments.source)), arguments.target, arguments.force):
        print(f"warning: {warning}")
    print(f"{arguments.target}: written")
    return 0


def show_info(arguments: argparse.Namespace) -> int:
    """`odesim info`."""
    from ros_bridge.paths import find_world
    from ros_bridge.world_info import as_json, as_text, describe_world

    description = describe_world(
        find_world(arguments.world), arguments.params, arguments.urdf, **_loading(arguments)
    )
    print(as_json(description) if arguments.json else as_text(description))
    return 0


def take_shot(arguments: argparse.Namespace) -> int:
    """`odesim shot`."""
    from ros_bridge.paths import find_world
    from ros_bridge.shot import shoot

    world = find_world(arguments.world)
    how = {"camera": arguments.camera, **_loading(arguments)}
    shoot(world, arguments.picture, arguments.size, arguments.time, **how)
    print(f"{arguments.picture}: written")
    return 0


def operate_ute(arguments: argparse.Namespace) -> int:
    """`odesim operator`."""
    from ros_bridge.operator.operate import OperatorOptions, operate

    options = OperatorOptions(
        robot=arguments.robot,
        folder=arguments.folder,
        sensors=tuple(name.strip() for name in arguments.sensors.split(",") if name.strip()),
        duration=arguments.duration,
        ros_args=tuple(arguments.ros_args),
    )
    return operate(options)


def make_movie(arguments: argparse.Namespace) -> int:
    """`odesim movie`."""
    from ros_bridge.film import film

    return film(arguments, "movie")


def animate_world(arguments: argparse.Namespace) -> int:
    """`odesim animate`."""
    from ros_bridge.film import film

    return film(arguments, "animation")


def run_batch(arguments: argparse.Namespace) -> int:
    """`odesim batch`."""
    from ros_bridge.batch import batch

    return batch(arguments)


def run_controller(arguments: argparse.Namespace) -> int:
    """`odesim controller`."""
    from ros_bridge.controller_api.by_hand import become_controller

    return become_controller(arguments.robot, arguments.file, arguments.arguments, arguments.simulation)


def _loading(arguments: argparse.Namespace) -> dict[str, bool]:
    """How files that a world names are looked for."""
    return {"download": arguments.download, "skip_missing": arguments.skip_missing}


def record_topics(arguments: argparse.Namespace) -> int:
    """`odesim record`."""
    from ros_bridge.recorder import check_new
    from ros_bridge.recorder.record_node import RecordOptions, record

    check_new(Path(arguments.folder))
    options = RecordOptions(
        arguments.folder, arguments.topics, arguments.wall_time, arguments.duration, arguments.ros_args
    )
    return record(options)


def add_bag_commands(parser: argparse.ArgumentParser) -> None:
    """The commands below `odesim bag`; they stand here so that --help loads nothing."""
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    info = actions.add_parser("info", help="show topics, counts, rates and what the recording says of itself")
    table = actions.add_parser("csv", help="write one table for each topic")
    picture = actions.add_parser("plot", help="draw trajectories over the map, or numbers over time")
    mend = actions.add_parser("repair", help="end an interrupted recording; done by itself when it is opened")
    for one in (info, table, picture, mend):
        one.add_argument("bag", metavar="BAG", help="folder of a bag, or an .mcap file")
    table.add_argument("topics", metavar="TOPIC", nargs="*", help="names, * and ? allowed; default: all")
    table.add_argument("--out", metavar="DIR", help="folder of the tables; default: BAG_csv")
    table.add_argument("--all-elements", action="store_true", help="expand long arrays too")
    about = "/topic.field, such as /robot1/gps.point.x; default: trajectories of all robots over the map"
    picture.add_argument("fields", metavar="FIELD", nargs="*", help=about)
    about = ".png, .svg or .pdf; default: BAG.png"
    picture.add_argument("-o", "--out", metavar="PICTURE", help=about)


def use_bag(arguments: argparse.Namespace) -> int:
    """`odesim bag`."""
    from ros_bridge.recorder import check_installed

    check_installed()
    from ros_bridge.recorder.commands import use_bag

    return use_bag(arguments)


def replay_bag(arguments: argparse.Namespace) -> int:
    """`odesim replay`."""
    from ros_bridge.recorder import check_installed

    check_installed()
    from ros_bridge.recorder.commands import replay_and_say

    return replay_and_say(arguments.bag, arguments.world, arguments.skip_pictures)


def list_shipped(_: argparse.Namespace) -> int:
    """`odesim list`."""
    from ros_bridge.world_info import shipped_text

    print(shipped_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
