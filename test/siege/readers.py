"""Broken files at random, for everything that reads files: each try gives what was read, or one line.

    python test/siege/readers.py [--seconds 600] [--seed 0] [--only READER …] [--again NUMBER]

It begins with the files that come with odesim, and with some that are written here; each try cuts, copies,
swaps or invents tokens or bytes. The tries are done in a process of their own, which may take `MEMORY` bytes
and `SECONDS` for each: one that ends is noted and replaced. What went wrong is printed with its number, by
which `--again` repeats it; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import io
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import wave
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a program, it finds the source tree

import numpy as np
from mutation import PROTOS, WORLD, mutated_bytes, mutated_text
from PIL import Image

from ros_bridge.cli.world_check import check_file
from ros_bridge.parameters.parameter_file import read_parameter_file
from ros_bridge.parameters.parameters import build_parameters
from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.bag_writer import BagWriter
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import OdesimError, SceneErrors
from sim_core.base.shipped import find_world
from sim_core.devices.sound.sound_file import read_clip
from sim_core.experiments.sweep.spec_reader import read_spec
from sim_core.scene import load_scene, parse_scene, write_scene
from sim_core.scene.assets import Assets
from sim_core.scene.meshes.mesh_files import MeshFileError, read_mesh
from sim_core.scene.meshes.picture_files import PictureError, read_picture
from sim_core.scene.meshes.quiet import quiet
from sim_core.scene.urdf.reader import read_urdf
from sim_core.session.players.motion import read_motion
from sim_core.session.simulation import Simulation

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 4 << 30
SECONDS = 20
LARGEST = 30_000
"""Bytes of a text to begin with; larger ones are left out, so that many tries fit into a second."""
LONGEST = 2000
"""Characters of a line that somebody may still read."""
OWN = (OdesimError, MeshFileError, PictureError)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


@dataclass(frozen=True)
class Reader:
    """Something that reads a kind of file.

    Attributes:
        files: what the tries begin with: the name of the file, and what is in it.
        read: reads the file of that name in a folder.
        is_text: it is changed token by token.
        also: put beside it, unchanged.
    """

    files: list[tuple[str, bytes]]
    read: Callable[[Path], object]
    is_text: bool = True
    also: dict[str, bytes] = field(default_factory=dict)


def _shipped(*patterns: str) -> list[tuple[str, bytes]]:
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    found = [(path.name, path.read_bytes()) for path in paths]
    return [(name, data) for name, data in found if len(data) <= LARGEST]


def _proto(path: Path) -> object:
    scene = parse_scene(WORLD, str(path.with_name("w.wbt")), Assets(cache=path.parent))
    return parse_scene(write_scene(scene), scene.file, Assets(cache=path.parent))


def _world(path: Path) -> object:
    scene = parse_scene(path.read_text(encoding="utf-8", errors="surrogateescape"), str(path), Assets())
    return parse_scene(write_scene(scene), scene.file, Assets())


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


def _snapshot(path: Path) -> object:
    sim = Simulation.from_snapshot(path, plugins=False)
    sim.step()
    sim.close()
    return sim


def _bag(path: Path) -> object:
    with Bag(path.parent) as bag:
        return sum(1 for _ in bag.messages(list(bag.rows)))


def _meshes() -> list[tuple[str, bytes]]:
    import trimesh

    mesh = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], FACES)
    kinds = ("obj", "stl", "stl_ascii", "ply", "off", "glb", "dae")
    with quiet():
        made = [(f"m.{kind.removesuffix('_ascii')}", mesh.export(file_type=kind)) for kind in kinds]
    return [(name, data.encode() if isinstance(data, str) else bytes(data)) for name, data in made]


def _pictures() -> list[tuple[str, bytes]]:
    made = []
    for kind in ("png", "jpeg", "bmp", "gif", "tga", "tiff", "webp"):
        out = io.BytesIO()
        Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).save(out, kind)
        made.append((f"p.{kind}", out.getvalue()))
    return made


def _sounds() -> list[tuple[str, bytes]]:
    made = []
    for channels, width in ((1, 1), (2, 2), (1, 3), (1, 4)):
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setparams((channels, width, 8000, 0, "NONE", ""))
            file.writeframes(bytes(range(240)))
        made.append((f"s{width}.wav", out.getvalue()))
    return made


def _bag_files() -> dict[str, bytes]:
    """A bag of a few messages, of two topics."""
    with tempfile.TemporaryDirectory() as name:
        with BagWriter(Path(name) / "bag", {"odesim.world": "w.wbt"}) as writer:
            for topic in ("/a", "/b"):
                channel = writer.add_topic(topic, "std_msgs/msg/Float64")
                for number in range(20):
                    data = b"\0\1\0\0" + struct.pack("<d", number)
                    writer.write(channel, data, number * 1_000_000, number)
        return {path.name: path.read_bytes() for path in (Path(name) / "bag").iterdir()}


def _snapshot_file() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        sim = Simulation(load_scene(find_world("wall_follower")))
        sim.step()
        sim.snapshot().save(Path(name) / "s.snapshot")
        sim.close()
        return (Path(name) / "s.snapshot").read_bytes()


def readers() -> dict[str, Reader]:
    """All of them, by name."""
    worlds, bag = _shipped("worlds/*.wbt", "worlds/devices/*.wbt"), _bag_files()
    protos = {f"{name}.proto": text.encode() for name, text in PROTOS.items()}
    mcap = next(name for name in bag if name.endswith(".mcap"))
    return {
        "world": Reader([*worlds, ("own.wbt", WORLD.encode())], _world, also=protos),
        "proto": Reader(list(protos.items()), _proto, also=protos),
        "check": Reader(worlds, _check),
        "run": Reader(worlds, _run),
        "x3d": Reader(_shipped("worlds/x3d/*.x3d"), load_scene),
        "urdf": Reader(_shipped("worlds/urdf/*.urdf"), read_urdf),
        "parameters": Reader(_shipped("config/*.yaml", "worlds/config/*.yaml"), _parameters),
        "sweep": Reader(_shipped("examples/sweep/*.yaml"), lambda path: read_spec(path, find_world)),
        "motion": Reader(_shipped("worlds/motions/*.motion"), read_motion),
        "sound": Reader(_sounds(), read_clip, False),
        "picture": Reader(_pictures(), read_picture, False),
        "mesh": Reader(_meshes(), read_mesh, False),
        "bag": Reader([(mcap, bag[mcap])], _bag, False, bag),
        "metadata": Reader([("metadata.yaml", bag["metadata.yaml"])], _bag, True, bag),
        "snapshot": Reader([("s.snapshot", _snapshot_file())], _snapshot, False),
    }


class Siege:
    """The tries, by number, each the same whenever it is made."""

    def __init__(self, every: dict[str, Reader], seed: int) -> None:
        self.every, self.names, self.seed = every, sorted(every), seed
        self.listens = False
        """Standard error is a file: what is written there is no answer."""

    def attack(self, number: int, parent: Path) -> tuple[str, str]:
        """Do one; its reader, and what went wrong or a word that says how it ended."""
        chance = random.Random(f"{self.seed}/{number}")
        name = self.names[number % len(self.names)]
        reader = self.every[name]
        file, data = chance.choice(reader.files)
        said = os.lseek(2, 0, os.SEEK_END) if self.listens else 0
        if reader.is_text:
            text = mutated_text(data.decode(errors="surrogateescape"), chance)
            data = text.encode(errors="surrogateescape" if chance.random() < 0.9 else "replace")
        else:
            data = mutated_bytes(data, chance)
        folder = parent / name
        folder.mkdir(exist_ok=True)
        for other, content in reader.also.items():
            (folder / other).write_bytes(content)
        (folder / file).write_bytes(data)
        try:
            reader.read(folder / file)
        except OWN as error:
            lines = str(error).splitlines()
            several = isinstance(error, SceneErrors)
            if not all(line.strip() and len(line) < LONGEST for line in lines) or (len(lines) != 1) > several:
                return name, f"no line that one can read: {str(error)[:5000]!r}"
            if self.listens and os.lseek(2, 0, os.SEEK_END) > said:
                return name, f"besides its line it said: {os.pread(2, 5000, said).decode(errors='replace')}"
            return name, "refused"
        except Exception:
            return name, traceback.format_exc()
        if self.listens and os.lseek(2, 0, os.SEEK_END) > said:
            return name, f"it said: {os.pread(2, 5000, said).decode(errors='replace')}"
        return name, "read"


@dataclass
class Figures:
    """What came of a siege."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, number: int, name: str, end: str, seconds: float) -> None:
        """One try more."""
        kind = end if end in ("read", "refused") else "wrong"
        self.ends[name, kind] += 1
        self.slowest[name] = max(seconds, self.slowest.get(name, 0.0))
        if kind == "wrong":
            self.wrong.append(f"try {number}, {name}:\n{end}")

    def table(self) -> Iterator[str]:
        """A line for each reader, and one for all."""
        yield f"{'reader':12}{'tries':>9}{'read':>9}{'refused':>9}{'wrong':>7}{'slowest s':>11}"
        for name, slowest in sorted(self.slowest.items()):
            read, refused, wrong = (self.ends[name, kind] for kind in ("read", "refused", "wrong"))
            yield f"{name:12}{read + refused + wrong:9}{read:9}{refused:9}{wrong:7}{slowest:11.2f}"
        yield f"{sum(self.ends.values())} tries, {len(self.wrong)} went wrong"


def lay(siege: Siege, seconds: float) -> Figures:
    """Try for so many seconds."""
    figures, number = Figures(), 0
    until = time.monotonic() + seconds
    shared = mmap.mmap(-1, 8)
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < until:
            shared[:] = struct.pack("<q", number)
            ours, theirs = os.pipe()
            child = os.fork()
            if not child:
                os.close(ours)
                _tries(siege, Path(name), number, until, shared, os.fdopen(theirs, "w"))
            os.close(theirs)
            with os.fdopen(ours) as lines:
                for line in lines:
                    figures.take(*json.loads(line))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            number = struct.unpack("<q", shared[:])[0] + 1
            if status:
                reader = siege.names[(number - 1) % len(siege.names)]
                figures.take(number - 1, reader, f"the process ended with {status}", 0.0)
    return figures


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _tries(siege: Siege, folder: Path, number: int, until: float, shared: mmap.mmap, out: Any) -> None:
    """The process that may end; never returns."""
    _limit_memory()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with (folder / "stderr").open("w+b") as said:
        os.dup2(said.fileno(), 2)
    siege.listens = True
    while time.monotonic() < until:
        shared[:] = struct.pack("<q", number)
        signal.alarm(SECONDS)
        began = time.monotonic()
        name, end = siege.attack(number, folder)
        print(json.dumps([number, name, end, time.monotonic() - began]), file=out, flush=True)
        number += 1
    os._exit(0)


def main() -> int:
    """Try, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="READER", nargs="+", help="of them all")
    parser.add_argument(
        "--again", metavar="NUMBER", type=int, help="repeat one try, with what --only said then"
    )
    arguments = parser.parse_args()
    every = readers()
    siege = Siege({name: every[name] for name in arguments.only or every}, arguments.seed)
    if arguments.again is not None:
        _limit_memory()
        with tempfile.TemporaryDirectory() as name:
            print(*siege.attack(arguments.again, Path(name)), sep=": ")
        return 0
    figures = lay(siege, arguments.seconds)
    print(*figures.wrong[:20], sep="\n\n", file=sys.stderr)
    print(*figures.table(), sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
