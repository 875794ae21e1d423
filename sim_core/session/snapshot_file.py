"""Snapshots as files: a run that is opened in another process goes on to the last bit.

A file is a zip archive with

- `snapshot.json`: what it was made with and of, and the simulation's settings;
- `world.wbt`: the scene as it was read and edited since, whose nodes the state knows by their order;
- `state.json`, `arrays/0.npy`, …: the state, see `base/plain_data.py`.

It goes on with the same release of odesim, the same library of ODE and the same kind of processor only, and
with the same PROTO, mesh and picture files, which are named and not held. Nothing in it is run.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import platform
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os.path import isfile  # unlike Path.is_file false for names that are too long
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core import __version__
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import PhysicsError, SnapshotError, in_one_line
from sim_core.base.ids import NodeId
from sim_core.base.limits import limit, within
from sim_core.base.machine import loaded_libraries
from sim_core.base.plain_data import Plain
from sim_core.base.state import State, with_nodes_renamed
from sim_core.base.whole_file import whole_file
from sim_core.engines.engine import EngineState, places
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene
from sim_core.scene.asset_check import used_files
from sim_core.scene.loader import scene_from_text
from sim_core.scene.scene import Composite, DeviceSetting
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot import Snapshot, put_simulation_back
from sim_core.session.state_check import check_states, make_media

FORMAT = "odesim snapshot"
HEAD, WORLD, STATE, ARRAYS = "snapshot.json", "world.wbt", "state.json", "arrays/{}.npy"
SAME_DATE = (1980, 1, 1, 0, 0, 0)
"""Of all members, so that equal snapshots are equal files."""
MADE_WITH = {"release": "odesim", "library": "the ODE library", "processor": "the processor"}
"""How errors call what `made_with` names."""
Files = tuple[tuple[str, str], ...]
"""Names and SHA-256 of files."""
NOT_OURS = (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError, ArithmeticError)
"""What a file raises that says something else than `write_run` does."""
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, *NOT_OURS)
"""What a file raises besides that is none, or was cut off."""


@dataclass(frozen=True)
class SavedRun:
    """What is in a file.

    Attributes:
        world: the file that the world was read from.
        text: the scene.
        config: settings, the seed among them.
        skip_missing: see `load_scene`.
        device_settings, composites: of robots from URDF files, see `Scene`.
        files: names and hashes of the files that the scene is made of.
        time_ns: sim time.
        physics, states: as in `Snapshot`.
    """

    world: str
    text: str
    config: SimulationConfig
    skip_missing: bool
    device_settings: tuple[DeviceSetting, ...]
    composites: tuple[Composite, ...]
    files: Files
    time_ns: int
    physics: EngineState
    states: dict[str, State]


def made_with() -> dict[str, str]:
    """What decides about the last bits: the release, the library of ODE, and the kind of processor."""
    return {"release": __version__, "library": library_of_ode(), "processor": processor()}


def library_of_ode() -> str:
    """`libode.so.8.0.2`: no module tells the version of its library.

    A wheel carries the same library with a hash in its name: `libode-1a2b3c4d.so.8.0.2`.
    """
    names = (file.name for file in loaded_libraries("libode"))
    return next((re.sub("^libode-[0-9a-f]+", "libode", name) for name in names), "unknown")


def processor() -> str:
    """The kind of processor, as Linux calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not on Linux
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def saved(snapshot: Snapshot, scene: Scene, text: str, config: SimulationConfig, seed: int) -> SavedRun:
    """What a file holds of a snapshot.

    Args:
        snapshot: of a simulation.
        scene: its scene.
        text: of the scene at the time of the snapshot.
        config: settings of the simulation.
        seed: its seed.

    Raises:
        SnapshotError: the physics plug-in does not say its state.
    """
    if snapshot.physics.plugin is not None and not snapshot.physics.plugin.says_it:
        name = scene.world_info["physics"]
        raise SnapshotError(
            f'physics plug-in "{name}": found no get_state and set_state, expected both: it cannot be saved'
        )
    return SavedRun(
        world=str(Path(scene.file).resolve()),
        text=text,
        config=replace(config, seed=seed, places={}, instanced=bool(scene.folded)),
        skip_missing=scene.skip_missing,
        device_settings=tuple(scene.device_settings),
        composites=tuple(scene.composites),
        files=_hashes(scene_from_text(text, scene.file, skip_missing=scene.skip_missing, lenient=True)),
        time_ns=snapshot.time_ns,
        physics=snapshot.physics,
        states=snapshot.states,
    )


def write_run(run: SavedRun, path: str | Path) -> Path:
    """Write a file, whole or not at all; returns it.

    Raises:
        SnapshotError: something has no form as data, or the file cannot be written.
    """
    plain = Plain()
    named = {name: plain.written(each, name) for name, each in run.states.items()}
    data = {"run": plain.written(replace(run, text="", states={}), "state"), "states": named}
    head = {FORMAT: made_with(), "world": run.world, "time_ns": run.time_ns}
    texts = {HEAD: json.dumps(head, indent=1), WORLD: run.text}
    texts[STATE] = json.dumps({**data, "records": plain.records})
    try:
        with whole_file(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                _add(archive, name, text.encode(errors="surrogatepass"))
            for number, array in enumerate(plain.arrays):
                stream = io.BytesIO()
                np.save(stream, array, allow_pickle=False)
                _add(archive, ARRAYS.format(number), stream.getvalue())
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be written: {error.strerror}") from None
    return Path(path)


def read_run(path: str | Path) -> SavedRun:
    """What is in a file.

    Raises:
        SnapshotError: it cannot be read, is damaged or no snapshot, or was made with something else.
    """
    with _opened(path) as (archive, head):
        data = json.loads(archive.read(STATE))
        plain = Plain([(module, name, tuple(fields)) for module, name, fields in data["records"]])
        count = sum(name.startswith(ARRAYS.partition("{")[0]) for name in archive.namelist())
        plain.arrays += [_array(archive.read(ARRAYS.format(number))) for number in range(count)]
        run = plain.read(data["run"])
        if not isinstance(run, SavedRun):
            raise TypeError(f"a {type(run).__name__}")
        if run.world != head["world"]:
            raise SnapshotError(f"found {HEAD} of the world {head['world']}, expected {run.world}")
        states = {name: plain.read(each) for name, each in data["states"].items()}
        return replace(run, text=archive.read(WORLD).decode(errors="surrogatepass"), states=states)


def world_of(path: str | Path) -> str:
    """The file that the world of a snapshot was read from; `read_run` refuses one that says another there.

    Raises:
        SnapshotError: as `read_run`.
    """
    with _opened(path) as (_, head):
        return str(head["world"])


@contextmanager
def _opened(path: str | Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """A file that was made with the same as is here, and its head.

    Raises:
        SnapshotError: it was not, or what is read within cannot be.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive)
            head = json.loads(archive.read(HEAD))
            _check_made_with(head[FORMAT])
            yield archive, head
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be read: {error.strerror or error}") from None
    except SnapshotError as error:
        raise SnapshotError(f"{path}: {error}") from None
    except DAMAGED as error:
        found = f"found no snapshot of odesim, or a damaged one ({in_one_line(error)})"
        raise SnapshotError(f"{path}: {found}") from None


def open_run(run: SavedRun, path: str | Path, plugins: bool | None = None) -> Simulation:
    """A simulation that goes on from a file.

    Args:
        run: what is in it.
        path: of the file, for errors.
        plugins: whether the physics plug-in that the world names is run; None: as then.

    Raises:
        SnapshotError: files of the world are other ones than then, or the state is not one of this world.
        OdesimError: the world cannot be simulated here.
    """
    scene = scene_from_text(
        run.text,
        run.world,
        skip_missing=run.skip_missing,
        lenient=True,
        instanced=run.config.instanced,
        is_own_save=True,
    )
    scene.snapshot = str(path)
    scene.device_settings = list(run.device_settings)
    scene.composites = list(run.composites)
    _check_files(run.files, _hashes(scene), path)
    present = device_names(scene).keys()  # others had been taken out
    robots = {name: own for name, own in run.config.robots.items() if name in present}
    runs_plugins = run.config.plugins if plugins is None else plugins
    sim = Simulation(scene, replace(run.config, robots=robots, plugins=runs_plugins))
    try:
        make_media(sim.media, run.states)
        check_states(dict(sim.stateful()), run.states)
        nodes = {NodeId(number): node.id for number, node in enumerate(sim.scene.walk())}
        put_simulation_back(sim, run.physics, with_nodes_renamed(run.states, nodes.get), anew=True)
    except (PhysicsError, *NOT_OURS) as error:
        sim.close()
        found = f"found a state that does not fit its world ({in_one_line(error)})"
        raise SnapshotError(f"{path}: {found}") from None
    return sim


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, SAME_DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Refuse what unpacks to too much; of no member more is read than it announces.

    Raises:
        SnapshotError: it does.
    """
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    texts = sum(sizes.get(name, 0) for name in (HEAD, STATE))
    found = {"snapshot_bytes": sum(member.file_size for member in archive.infolist()), "snapshot_text": texts}
    for name, size in found.items():
        if size > limit(name):
            raise SnapshotError(f"found {size} bytes unpacked, expected {within(name)}")


def _array(data: bytes) -> NDArray[Any]:
    """An array of numbers, of which there are as many as its head says.

    Raises:
        ValueError: it is none.
    """
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.kind not in "biuf" or not dtype.isnative:
        raise ValueError(f"an array of {dtype}")
    held = len(data) - stream.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != held:
        raise ValueError(f"an array of {held} bytes for the shape {shape}")
    return np.load(io.BytesIO(data), allow_pickle=False)


def _check_made_with(found: dict[str, str]) -> None:
    """Refuse what was made with something else."""
    here = made_with()
    for what, name in MADE_WITH.items():
        if found[what] != here[what]:
            raise SnapshotError(
                f"made with {name} {found[what]}, here is {here[what]}: a snapshot goes on with the same only"
            )


def _hashes(scene: Scene) -> Files:
    """Of the files that a scene is made of, its physics plug-in among them."""
    plugin = [file for file in places(scene.world_info["physics"], scene.file) if isfile(file)][:1]
    found = []
    for file in (*used_files(scene, scene.assets), *plugin):
        with open(file, "rb") as stream:
            found.append((file.name, hashlib.file_digest(stream, "sha256").hexdigest()))
    return tuple(sorted(found))


def _check_files(then: Files, now: Files, path: str | Path) -> None:
    """Refuse other files than then."""
    for name, digest in then:
        if (name, digest) not in now:
            there = any(name == each for each, _ in now)
            found = f"{name}, a file of its world, {'is another one' if there else 'is nowhere'} here"
            raise SnapshotError(f"{path}: {found}, expected the one that it was made with")
