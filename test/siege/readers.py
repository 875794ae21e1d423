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
import random
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree

from corpus import (
    GAZEBO,
    MAKEFILE,
    MESSAGES,
    MOVING,
    QOS,
    REQUESTS,
    SDF,
    STATEMENTS,
    SWEPT,
    bag_files,
    compressed_bags,
    counted_meshes,
    meshes,
    pictures,
    shipped,
    snapshot_file,
    sounds,
    told,
)
from mutation import (
    PROTOS,
    WORLD,
    changed_archive,
    changed_json,
    changed_sizes,
    changed_text,
    changed_yaml,
    mutated_bytes,
)
from tries import Reader, Siege, lay, limit_memory

from ros_bridge.cli.world_check import check_file
from ros_bridge.control.world_topics import decode_label
from ros_bridge.controller_api.makefiles import makefile_in
from ros_bridge.controllers.command_player import read_commands
from ros_bridge.parameters.parameter_file import read_parameter_file, world_values
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder import facts
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_info import as_text
from ros_bridge.recorder.bag_journal import journal
from ros_bridge.recorder.bag_metadata import RecordedTopic, channel_metadata
from ros_bridge.recorder.mcap_file import McapFile
from ros_bridge.recorder.replay import replay
from ros_bridge.topics.qos import SENSOR
from ros_bridge.viewer.window_server import WindowServer
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import CommandError, OdesimError, in_one_line
from sim_core.base.yaml_nodes import read_yaml
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

LABEL = b"{number: 0, text: goal, x: 0.1, colour: [1, 0, 0]}"
TEMPLATE = """#VRML_SIM R2025a utf8
# template language: LANGUAGE
PROTO TLANGUAGE [ field SFString a "x" ]
{ Group { } BODY }
"""
ROOT = Path(__file__).resolve().parents[2]


def _proto(path: Path) -> object:
    scene = parse_scene(WORLD, str(path.with_name("w.wbt")), Assets(cache=path.parent))
    return parse_scene(write_scene(scene), scene.file, Assets(cache=path.parent))


def _world(path: Path) -> object:
    scene = parse_scene(path.read_text(encoding="utf-8", errors="surrogateescape"), str(path), Assets())
    return parse_scene(write_scene(scene), scene.file, Assets())


def _sdf(path: Path) -> object:
    scene = load_scene(path)
    return parse_scene(write_scene(scene), scene.file, Assets())


def _urdf(path: Path) -> object:
    """The robot and its devices, which parameters and a world can have."""
    scene = parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { }\n")
    add_urdf(scene, path)
    build_parameters(world_values(scene), device_names(scene))
    return scene


def _run(path: Path) -> object:
    sim = Simulation(load_scene(path, lenient=True), SimulationConfig(plugins=False))
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


def _state(path: Path) -> object:
    """A snapshot whose archive is whole: it goes on, or it does not begin."""
    sim = Simulation.from_snapshot(path, plugins=False)
    try:
        for _ in range(5):
            sim.step()
        sim.snapshot()
        sim.reset()
        sim.step()
    finally:
        sim.close()
    return sim


def _yaml(path: Path) -> object:
    """A text that each reader of YAML takes for its own."""
    text = path.read_text(encoding="utf-8")
    readers: tuple[Callable[[], object], ...] = (
        lambda: _parameters(path),
        lambda: _sweep(path),
        lambda: read_commands([f"0 /topic {text}"]),
        lambda: decode_label(SimpleNamespace(data=text)),
        lambda: read_yaml(text, "values"),
    )
    refused = [error for error in map(_refusal, readers) if error is not None]
    if len(refused) == len(readers):
        raise refused[0]
    return refused


def _refusal(read: Callable[[], object]) -> OdesimError | None:
    try:
        read()
    except OdesimError as error:
        return error
    return None


def _metadata(path: Path) -> object:
    """The file of a bag, its copy in the MCAP file left as it is."""
    with Bag(path.parent) as bag:
        return as_text(bag)


def _one_file(path: Path) -> object:
    """An MCAP file, by its index and by all that is in it, in both orders."""
    with Bag(path) as bag:
        return [len(list(bag.messages(list(bag.rows)))), len(list(bag.in_file_order())), as_text(bag)]


def _template(path: Path) -> object:
    world = path.with_name("w.wbt")
    text = f'#VRML_SIM R2025a utf8\nEXTERNPROTO "{path.name}"\nWorldInfo {{ }}\n{path.stem} {{ }}\n'
    scene = parse_scene(text, str(world), Assets(cache=path.parent))
    for warning in scene.warnings:
        str(warning).encode()
    return scene


@cache
def _windows(_process: int) -> tuple[str, int]:
    """The address of a server of robot windows of this process."""
    folder = Path(tempfile.mkdtemp())
    (folder / "panel.html").write_text("<head></head>", encoding="utf-8")
    place = urlsplit(WindowServer(lambda robot, text: text.encode()).serve_page("r", folder / "panel.html"))
    return str(place.hostname), place.port or 0


def _request(path: Path) -> object:
    """What a browser may ask."""
    host, port = _windows(os.getpid())
    with socket.create_connection((host, port), timeout=60.0) as connection:
        connection.sendall(path.read_bytes().replace(b"HERE", f"{host}:{port}".encode()))
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                answer += part
    if b" 200 " not in answer.partition(b"\r\n")[0]:
        raise CommandError(f"refused: {answer[:40]!r}")
    return answer


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
    topic = RecordedTopic(facts.CHANGES, "std_msgs/msg/String", "", SENSOR)
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


def _shuffled(data: bytes, chance: random.Random) -> bytes:
    """A PROTO with some of its statements, in any order, and now and then with other changes."""
    head, *statements = data.decode().split(";")
    *statements, end = statements
    kept = chance.sample(statements, chance.randint(0, len(statements)))
    text = ";".join([head, *kept, end])
    return changed_text(text.encode(), chance) if chance.random() < 0.3 else text.encode()


def _recounted(data: bytes, chance: random.Random) -> bytes:
    """A mesh in JSON that is well written, or one in XML that may be."""
    return changed_json(data, chance) if data.startswith(b"{") else changed_text(data, chance)


def readers() -> dict[str, Reader]:
    """All of them, by name."""
    worlds, bag = shipped("worlds/*.wbt", "worlds/devices/*.wbt"), bag_files()
    protos = {f"{name}.proto": text.encode() for name, text in PROTOS.items()}
    mcap = next(name for name in bag if name.endswith(".mcap"))
    templates = [
        (f"T{name}.proto", TEMPLATE.replace("LANGUAGE", name).replace("BODY", body).encode())
        for name, body in STATEMENTS.items()
    ]
    moving = {"w.wbt": MOVING.encode()}
    bag |= moving
    snapshot = [("s.snapshot", snapshot_file())]
    texts = [
        *shipped("config/*.yaml", "examples/sweep/*.yaml"),
        ("label.yaml", LABEL),
        ("qos.yaml", QOS.encode()),
    ]
    swept = {**dict(shipped("examples/sweep/*.py")), "w.wbt": SWEPT.encode()}
    return {
        "world": Reader([*worlds, ("own.wbt", WORLD.encode())], _world, also=protos, share=3),
        "proto": Reader(list(protos.items()), _proto, also=protos, share=4),
        "check": Reader(worlds, _check, share=2),
        "run": Reader(worlds, _run, share=2),
        "x3d": Reader(shipped("worlds/x3d/*.x3d"), load_scene, share=4),
        "urdf": Reader([*shipped("worlds/urdf/*.urdf"), ("g.urdf", GAZEBO.encode())], _urdf, share=7),
        "sdf": Reader([("w.sdf", SDF.encode())], _sdf, share=5),
        "makefile": Reader([("Makefile", MAKEFILE.encode())], lambda path: makefile_in(path.parent), share=6),
        "parameters": Reader(shipped("config/*.yaml", "worlds/config/*.yaml"), _parameters, share=7),
        "sweep": Reader(shipped("examples/sweep/*.yaml"), _sweep, also=swept, share=2),
        "motion": Reader(shipped("worlds/motions/*.motion"), read_motion, share=18),
        "sound": Reader(sounds(), read_clip, mutated_bytes, share=12),
        "picture": Reader(pictures(), read_picture, mutated_bytes, share=12),
        "mesh": Reader(meshes(), read_mesh, mutated_bytes, share=8),
        "bag": Reader([(mcap, bag[mcap])], _bag, mutated_bytes, bag),
        "metadata": Reader([("metadata.yaml", bag["metadata.yaml"])], _bag, also=bag),
        "journal": Reader([("told.json", told().encode())], _journal, also=moving, share=3),
        "snapshot": Reader(snapshot, _snapshot, mutated_bytes, share=8),
        "state": Reader(snapshot, _state, changed_archive, share=8),
        "yaml": Reader(texts, _yaml, changed_yaml, swept, share=4),
        "yaml of bag": Reader(
            [("metadata.yaml", bag["metadata.yaml"])], _metadata, changed_yaml, bag, share=2
        ),
        "announced": Reader(compressed_bags(), _one_file, changed_sizes, share=6),
        "counted": Reader(counted_meshes(), read_mesh, _recounted, share=6),
        "template": Reader(templates, _template, _shuffled, share=2),
        "request": Reader([("request", each.encode()) for each in REQUESTS], _request, share=10),
        "wire": Reader([("message", pack(each)) for each in MESSAGES], _wire, mutated_bytes, share=10),
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
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts it behind ignores it
    try:
        figures = lay(siege, arguments.tries, arguments.seconds, arguments.workers)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    print(*figures.table(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
