"""Carries out each command. Modules are imported where they are used, so that --help starts quickly."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ros_bridge.base.exit_codes import ERROR
from sim_core.base.errors import ConfigError

if TYPE_CHECKING:
    from ros_bridge.cli.world_info import Loading
    from ros_bridge.parameters.options import RunOptions

DEFAULT_WORLD = "wall_avoiders"
Options = TypeVar("Options")


def run_world(arguments: argparse.Namespace) -> int:
    """`odesim run`."""
    options = options_of_run(arguments)
    from ros_bridge.base.installed_ros import ros_is_installed
    from ros_bridge.node.run import run

    if not (options.viewer and ros_is_installed()):
        return run(options)
    from ros_bridge.viewer.process import viewer_process

    with viewer_process(options.ros_args, options.viewer_port):
        return run(options)


def options_of_run(arguments: argparse.Namespace) -> RunOptions:
    """Return the options given by the arguments of `odesim run`; an untrusted world starts no programs.

    Raises:
        ConfigError: arguments exclude each other.
    """
    from ros_bridge.cli.trust import as_trusted
    from ros_bridge.parameters.options import RecordingOptions

    arguments.viewer = arguments.viewer or arguments.viewer_port is not None
    if arguments.record_topic and arguments.record is None:
        raise ConfigError("--record-topic: found no --record DIR, expected both")
    if arguments.snapshot is None:
        arguments.world = arguments.world or DEFAULT_WORLD
    else:
        _check_alone(arguments)
    films = {
        kind: RecordingOptions(file) if (file := getattr(arguments, kind)) else None
        for kind in ("movie", "animation")
    }
    return as_trusted(run_options(arguments, **films), arguments.trust)


def run_options(arguments: argparse.Namespace, **own: Any) -> RunOptions:
    """Return the options that `odesim run`, `movie` and `animate` share, with those of the command.

    Raises:
        ConfigError: there is no such world.
        SnapshotError: the snapshot to continue from cannot be read.
    """
    from ros_bridge.parameters.options import RunOptions
    from sim_core.session.snapshot_file import world_of

    snapshot = getattr(arguments, "snapshot", None)
    own["world"] = str(_world(arguments)) if snapshot is None else world_of(snapshot)
    return options_of(RunOptions, arguments, **own)


def options_of(kind: type[Options], arguments: argparse.Namespace, **own: Any) -> Options:
    """Return the options of a command: each field is the argument of that name, except for `own`."""
    names = signature(kind).parameters
    given = {name: value for name, value in vars(arguments).items() if name in names}
    return kind(**given | own)


def _check_alone(arguments: argparse.Namespace) -> None:
    """Refuse arguments that a run continued from a snapshot cannot have.

    Raises:
        ConfigError: there is such an argument.
    """
    others = {
        "a WORLD": arguments.world,
        "--seed": arguments.seed is not None,
        "--urdf": arguments.urdf,
        "--mode fast2d": arguments.mode == "fast2d",
        "--download": arguments.download,
        "--strict": arguments.strict,
        "--record": arguments.record is not None,
    }
    found = next((name for name, is_given in others.items() if is_given), None)
    if found == "--record":
        raise ConfigError("--from: found --record, expected none: a bag begins with the start of its world")
    if found is not None:
        raise ConfigError(f"--from: found {found}, expected none: a snapshot has its own")


def view_world(arguments: argparse.Namespace) -> int:
    """`odesim view`."""
    if arguments.foxglove:
        from ros_bridge.foxglove.server import FoxgloveOptions, serve_topics

        return serve_topics(options_of(FoxgloveOptions, arguments, pages=arguments.origin))
    if arguments.origin:
        raise ConfigError("--origin: found no --foxglove, expected both")
    from ros_bridge.viewer.viewer import ViewOptions, view

    return view(options_of(ViewOptions, arguments))


def use_topic(arguments: argparse.Namespace) -> int:
    """`odesim topic`."""
    from ros_bridge.topic_tools import echo, graph, pub, rates
    from ros_bridge.topic_tools.topic_inspector import topic_inspector

    verbs = {
        "list": graph.show_list,
        "info": graph.show_info,
        "type": graph.show_type,
        "find": graph.show_found,
        "echo": echo.echo,
        "hz": rates.hz,
        "bw": rates.bw,
        "pub": pub.pub,
    }
    with topic_inspector(arguments.ros_args) as made:
        return verbs[arguments.verb](made, arguments)
    return 0


def drive_robot(arguments: argparse.Namespace) -> int:
    """`odesim teleop`."""
    from ros_bridge.cli.teleop import teleop

    return teleop(arguments.robot, arguments.linear, arguments.angular, arguments.ros_args)


def spawn_robot(arguments: argparse.Namespace) -> int:
    """`odesim spawn`."""
    from ros_bridge.cli.spawn import spawn

    return spawn(arguments)


def check_worlds(arguments: argparse.Namespace) -> int:
    """`odesim check`."""
    from ros_bridge.cli.world_check import check
    from ros_bridge.cli.world_info import Loading

    how = Loading(_urdf(arguments), arguments.download)
    return ERROR if check(arguments.paths, how) else 0


def convert_world(arguments: argparse.Namespace) -> int:
    """`odesim convert`."""
    from ros_bridge.cli.convert import convert
    from sim_core.base.shipped import find_world

    source = str(find_world(arguments.source))
    parameters, warnings = convert(source, arguments.target, arguments.force, _urdf(arguments))
    for warning in warnings:
        print(f"warning: {warning}")
    print(f"{arguments.target}: written")
    if parameters is not None:
        print(f"{parameters}: written; topics, rates and drives, for --params")
    return 0


def show_info(arguments: argparse.Namespace) -> int:
    """`odesim info`."""
    from ros_bridge.cli.world_info import as_json, as_text, describe_world

    world = _world(arguments)
    names = (arguments.layout, arguments.bridge)
    description = describe_world(world, arguments.params, _loading(arguments), *names)
    print(as_json(description) if arguments.json else as_text(description))
    return 0


def take_shot(arguments: argparse.Namespace) -> int:
    """`odesim shot`."""
    from ros_bridge.cli.shot import shoot

    world = _world(arguments)
    how = (arguments.size, arguments.time, arguments.camera, arguments.look)
    shoot(world, arguments.picture, *how, _loading(arguments))
    print(f"{arguments.picture}: written")
    return 0


def map_world(arguments: argparse.Namespace) -> int:
    """`odesim map`."""
    from ros_bridge.cli.world_map import draw_map

    world, how = _world(arguments), _loading(arguments)
    for file in draw_map(world, arguments.map, arguments.height, arguments.resolution, how):
        print(f"{file}: written")
    return 0


def operate_ute(arguments: argparse.Namespace) -> int:
    """`odesim operator`."""
    from ros_bridge.operator.operate import OperatorOptions, operate

    sensors = tuple(name.strip() for name in arguments.sensors.split(",") if name.strip())
    return operate(options_of(OperatorOptions, arguments, sensors=sensors))


def make_movie(arguments: argparse.Namespace) -> int:
    """`odesim movie`."""
    from ros_bridge.cli.film import film

    return film(arguments, "movie")


def animate_world(arguments: argparse.Namespace) -> int:
    """`odesim animate`."""
    from ros_bridge.cli.film import film

    return film(arguments, "animation")


def test_worlds(arguments: argparse.Namespace) -> int:
    """`odesim test`."""
    from ros_bridge.cli.world_tests import test_worlds

    return test_worlds(arguments)


def run_batch(arguments: argparse.Namespace) -> int:
    """`odesim batch`."""
    from ros_bridge.cli.batch import batch

    return batch(arguments)


def run_controller(arguments: argparse.Namespace) -> int:
    """`odesim controller`."""
    from ros_bridge.controller_api.manual_start import become_controller

    return become_controller(arguments.robot, arguments.file, arguments.arguments, arguments.simulation)


def record_topics(arguments: argparse.Namespace) -> int:
    """`odesim record`."""
    from ros_bridge.recorder import check_new
    from ros_bridge.recorder.record_node import RecordOptions, record

    check_new(Path(arguments.folder))
    return record(options_of(RecordOptions, arguments, patterns=arguments.topics))


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
    from ros_bridge.cli.trust import ask_and_require_trust
    from ros_bridge.parameters.options import RecordingOptions
    from ros_bridge.recorder.commands import replay_and_report
    from ros_bridge.recorder.replay import Film

    decide_trust = partial(ask_and_require_trust, assume_yes=arguments.trust)
    repeat = partial(replay_and_report, arguments.bag, arguments.world, arguments.skip_pictures, decide_trust)
    start = arguments.movie_from
    if arguments.viewer:
        from ros_bridge.recorder.page_until_interrupt import shown_until_interrupted

        return shown_until_interrupted(lambda page: repeat(Film(RecordingOptions(page), start, is_page=True)))
    if arguments.animation:
        return repeat(Film(RecordingOptions(arguments.animation), start, is_page=True))
    return repeat(
        Film(RecordingOptions(arguments.movie, arguments.movie_size), start) if arguments.movie else None
    )


def explain_run(arguments: argparse.Namespace) -> int:
    """`odesim explain`."""
    from ros_bridge.recorder import check_installed

    check_installed()
    from ros_bridge.cli.trust import ask_and_require_trust
    from ros_bridge.recorder.commands import explain_and_report

    decide_trust = partial(ask_and_require_trust, assume_yes=arguments.trust)
    return explain_and_report(arguments.run, arguments.world, arguments.json, decide_trust)


def get_part(arguments: argparse.Namespace) -> int:
    """`odesim get`."""
    from ros_bridge.cli.get_libcontroller import get_libcontroller
    from ros_bridge.controller_api.libcontroller import version_of

    home = get_libcontroller(arguments.archive)
    print(f"{home}: libController {version_of(home) or 'of an unknown version'}")
    return 0


def make_home(arguments: argparse.Namespace) -> int:
    """`odesim webots-home`."""
    from ros_bridge.cli.webots_home import make_webots_home
    from ros_bridge.controller_api.libcontroller import WHERE_FROM

    folder = Path(arguments.folder).absolute()
    found = make_webots_home(folder)
    named = f"libController {found.version or 'of an unknown version'}, {found.folder}" if found else ""
    print(f"# {folder}: made, with {named or f'no libController ({WHERE_FROM})'}")
    print(f"export WEBOTS_HOME={shlex.quote(str(folder))}")
    return 0


def make_package(arguments: argparse.Namespace) -> int:
    """`odesim new`."""
    from ros_bridge.cli.new_package import new_package

    package = new_package(arguments.name, Path(arguments.folder))
    print(f"{package}: made; its README.md says what is where. Try:")
    print(f"    odesim run {package}/worlds/{arguments.name}.wbt --viewer")
    return 0


def list_shipped(_: argparse.Namespace) -> int:
    """`odesim list`."""
    from ros_bridge.cli.shipped_list import shipped_text

    print(shipped_text())
    return 0


def complete_words(arguments: argparse.Namespace) -> int:
    """`odesim completion`."""
    from ros_bridge.cli.completion import shell_code

    print(shell_code(arguments.shell))
    return 0


def _world(arguments: argparse.Namespace) -> Path:
    """Return the file of the WORLD, after asking the user about downloads that it needs.

    Raises:
        ConfigError: there is no such world, or the answer cannot be stored.
    """
    from ros_bridge.cli.fetching import may_download
    from sim_core.base.shipped import find_world

    world = find_world(arguments.world)
    arguments.download = may_download(world, arguments.download)
    return world


def _urdf(arguments: argparse.Namespace) -> Sequence[str]:
    """Return the robot files, after asking the user about untrusted ones and about an SDF world."""
    from ros_bridge.cli.trust import ask, ask_about_urdf
    from sim_core.base.trust import trust_issues_of_sdf

    worlds = [getattr(arguments, name, None) for name in ("world", "source")]
    for world in (*worlds, *getattr(arguments, "paths", ())):
        if world:
            ask(trust_issues_of_sdf(world), arguments.trust)
    return ask_about_urdf(arguments.urdf, arguments.trust)


def _loading(arguments: argparse.Namespace) -> Loading:
    """Return how the world is read and where its files are searched."""
    from ros_bridge.cli.world_info import Loading

    return Loading(_urdf(arguments), arguments.download, arguments.strict)
