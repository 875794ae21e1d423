"""Broken files at random, for everything that reads files: each try gives what was read, or one line.

    python test/siege/readers.py [--tries 1000000] [--seconds S] [--workers N] [--seed 0] [--only READER …]
    python test/siege/readers.py --again NUMBER [--seed 0] [--only READER …]

It begins with the files that come with odesim, and with some that are written here; each try cuts, copies,
swaps or invents tokens or bytes. The tries are done one after the other in processes of their own, which may
take `MEMORY` bytes more than at first, and for each try `SECONDS` of a processor: one that ends is noted and
replaced. What went wrong is printed with its number, by which `--again` repeats it; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import math
import os
import socket
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree

from corpus import (
    GAZEBO,
    MAKEFILE,
    MESSAGES,
    MOVING,
    SWEPT,
    bag_files,
    meshes,
    pictures,
    shipped,
    snapshot_file,
    sounds,
    told,
)
from mutation import PROTOS, WORLD
from tries import Reader, Siege, lay, limit_memory

from ros_bridge.cli.world_check import check_file
from ros_bridge.controller_api.makefiles import makefile_in
from ros_bridge.parameters.parameter_file import read_parameter_file, world_values
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_info import as_text
from ros_bridge.recorder.bag_journal import journal
from ros_bridge.recorder.bag_metadata import Topic, channel_metadata
from ros_bridge.recorder.mcap_file import McapFile
from ros_bridge.recorder.replay import replay
from ros_bridge.topics.qos import SENSOR
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, in_one_line
from sim_core.devices.sound.sound_file import read_clip
from sim_core.experiments.sweep.spec_reader import read_spec
from sim_core.model.device_spec import device_names
from sim_core.scene import load_scene, parse_scene, write_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes.mesh_files import read_mesh
from sim_core.scene.meshes.picture_files import read_picture
from sim_core.scene.urdf.spawn import add_urdf
from sim_core.session.players.motion import read_motion
from sim_core.session.simulation import Simulation
from webots_api.controller.wire import Incoming, WireError, pack, receive

ROOT = Path(__file__).resolve().parents[2]


def _proto(path: Path) -> object:
    scene = parse_scene(WORLD, str(path.with_name("w.wbt")), Assets(cache=path.parent))
    return parse_scene(write_scene(scene), scene.file, Assets(cache=path.parent))


def _world(path: Path) -> object:
    scene = parse_scene(path.read_text(encoding="utf-8", errors="surrogateescape"), str(path), Assets())
    return parse_scene(write_scene(scene), scene.file, Assets())


def _urdf(path: Path) -> object:
    """The robot and its devices, which parameters and a world can have."""
    scene = parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { }\n")
    add_urdf(scene, path)
    build_parameters(world_values(scene), device_names(scene))
    return scene


def _run(path: Path) -> object:
    sim = Simulation(load_scene(path), SimulationConfig(plugins=False))
    try:
        for _ in range(3):
            sim.step()
    finally:
        sim.close()
    return sim


def _check(path: Path) -> object:
    found = check_file(path)
    for line in (*found.errors, *found.warnings):
        assert line.strip() and "\n" not in line, line
    return found


def _parameters(path: Path) -> object:
    return build_parameters(read_parameter_file(path), {})


def _sweep(path: Path) -> object:
    return read_spec(path, lambda name: path.with_name("w.wbt"))


def _snapshot(path: Path) -> object:
    sim = Simulation.from_snapshot(path, plugins=False)
    sim.step()
    sim.close()
    return sim


def _bag(path: Path) -> object:
    """The files as they are, and what they are a recording of."""
    with Bag(path.parent) as bag:
        return [list(bag.messages(list(bag.rows))), as_text(bag), list(journal(bag)), _again(bag, path)]


def _journal(path: Path) -> object:
    """A recording of what the file says: facts and changes, one a line."""
    file = path.with_suffix(".mcap")
    file.unlink(missing_ok=True)
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    about = dict(line.partition(" ")[::2] for line in lines if line.startswith(facts.PREFIX))
    writer = McapFile(file, "")
    topic = Topic(facts.CHANGES, "std_msgs/msg/String", "", SENSOR)
    channel = writer.add_topic(topic.name, topic.type_name, "string data", channel_metadata(topic))
    for number, line in enumerate(line for line in lines if not line.startswith(facts.PREFIX)):
        data = line.encode() + b"\0"
        data = b"\0\1\0\0" + struct.pack("<I", len(data)) + data
        writer.add_message(channel, 8_000_000 * number, data, 0, number)
    writer.add_metadata(facts.METADATA_NAME, about)
    writer.finish()
    with Bag(file) as bag:
        return [as_text(bag), list(journal(bag)), _again(bag, path)]


def _again(bag: Bag, path: Path) -> object:
    return replay(bag, str(path.with_name("w.wbt")))


def _wire(path: Path) -> object:
    """What a controller may send."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(path.read_bytes())
        ours.shutdown(socket.SHUT_WR)
        try:
            return receive(theirs, Incoming())
        except WireError as error:
            raise CommandError(in_one_line(error)) from None


def readers() -> dict[str, Reader]:
    """All of them, by name."""
    worlds, bag = shipped("worlds/*.wbt", "worlds/devices/*.wbt"), bag_files()
    protos = {f"{name}.proto": text.encode() for name, text in PROTOS.items()}
    mcap = next(name for name in bag if name.endswith(".mcap"))
    moving = {"w.wbt": MOVING.encode()}
    bag |= moving
    swept = {**dict(shipped("examples/sweep/*.py")), "w.wbt": SWEPT.encode()}
    return {
        "world": Reader([*worlds, ("own.wbt", WORLD.encode())], _world, also=protos, share=3),
        "proto": Reader(list(protos.items()), _proto, also=protos, share=4),
        "check": Reader(worlds, _check, share=2),
        "run": Reader(worlds, _run, share=2),
        "x3d": Reader(shipped("worlds/x3d/*.x3d"), load_scene, share=4),
        "urdf": Reader([*shipped("worlds/urdf/*.urdf"), ("g.urdf", GAZEBO.encode())], _urdf, share=7),
        "makefile": Reader([("Makefile", MAKEFILE.encode())], lambda path: makefile_in(path.parent), share=6),
        "parameters": Reader(shipped("config/*.yaml", "worlds/config/*.yaml"), _parameters, share=7),
        "sweep": Reader(shipped("examples/sweep/*.yaml"), _sweep, also=swept, share=2),
        "motion": Reader(shipped("worlds/motions/*.motion"), read_motion, share=18),
        "sound": Reader(sounds(), read_clip, False, share=12),
        "picture": Reader(pictures(), read_picture, False, share=12),
        "mesh": Reader(meshes(), read_mesh, False, share=8),
        "bag": Reader([(mcap, bag[mcap])], _bag, False, bag),
        "metadata": Reader([("metadata.yaml", bag["metadata.yaml"])], _bag, True, bag),
        "journal": Reader([("told.json", told().encode())], _journal, True, moving, share=3),
        "snapshot": Reader([("s.snapshot", snapshot_file())], _snapshot, False, share=8),
        "wire": Reader([("message", pack(each)) for each in MESSAGES], _wire, False, share=10),
    }


def main() -> int:
    """Try, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tries", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=math.inf, help="no longer than this")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="READER", nargs="+", help="of them all")
    parser.add_argument(
        "--again", metavar="NUMBER", type=int, help="repeat one try, with what --only said then"
    )
    arguments = parser.parse_args()
    every = readers()
    siege = Siege({name: every[name] for name in arguments.only or every}, arguments.seed)
    if arguments.again is not None:
        limit_memory()
        with tempfile.TemporaryDirectory() as name:
            print(*siege.attack(arguments.again, Path(name)), sep=": ")
        return 0
    figures = lay(siege, arguments.tries, arguments.seconds, arguments.workers)
    print(*figures.table(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
