"""Snapshot files: a run that is opened in another process continues exactly, to the last bit.

A file is a zip archive with

- `snapshot.json`: versions it was made with, and the simulation's settings;
- `world.wbt`: the scene with all edits; the state refers to its nodes by their order;
- `state.json`, `arrays/0.npy`, …: the state, see `base/plain_data.py`.

It can be opened with the same release of odesim, the same ODE library and the same kind of processor only,
and with the same PROTO, mesh and picture files, which are named but not included. Opening a file runs no code
from it.
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
from sim_core.base.atomic_file import atomic_file
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import PhysicsError, SnapshotError, in_one_line
from sim_core.base.ids import NodeId
from sim_core.base.limits import limit, limit_text
from sim_core.base.machine import loaded_libraries
from sim_core.base.plain_data import PlainData
from sim_core.base.state import State, with_nodes_renamed
from sim_core.engines.engine import EngineState, places
from sim_core.model.device_spec import device_names
from sim_core.scene import Scene
from sim_core.scene.asset_check import used_files
from sim_core.scene.loader import scene_from_text
from sim_core.scene.scene import Composite, DeviceSetting
from sim_core.session.backends import load_ode
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot import Snapshot, restore_simulation
from sim_core.session.state_check import check_states, make_media

FORMAT = "odesim snapshot"
HEAD, WORLD, STATE, ARRAYS = "snapshot.json", "world.wbt", "state.json", "arrays/{}.npy"
SAME_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all members, so that equal snapshots are equal files."""
MADE_WITH = {"release": "odesim", "library": "the ODE library", "processor": "the processor"}
"""Names in error messages of the items of `made_with`."""
Files = tuple[tuple[str, str], ...]
"""Names and SHA-256 of files."""
NOT_OURS = (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError, ArithmeticError)
"""Errors from data that `write_run` does not write."""
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, *NOT_OURS)
"""Errors from files that are damaged or of another kind."""


@dataclass(frozen=True)
class SavedRun:
    """Contents of a snapshot file.

    Attributes:
        world: path of the world file.
        text: the scene as VRML.
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
    """Return the versions on which the last bits depend: release, ODE library and processor."""
    load_ode()  # else its version is unknown before the first world is built
    return {"release": __version__, "library": library_of_ode(), "processor": processor()}


def library_of_ode() -> str:
    """Return the file name of the ODE library, such as `libode.so.8.0.2`: no module gives its version.

    A wheel carries the same library with a hash in its name: `libode-1a2b3c4d.so.8.0.2`.
    """
    names = (file.name for file in loaded_libraries("libode"))
    return next((re.sub("^libode-[0-9a-f]+", "libode", name) for name in names), "unknown")


def processor() -> str:
    """Return the name of the processor as Linux gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not on Linux
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def saved(snapshot: Snapshot, scene: Scene, text: str, config: SimulationConfig, seed: int) -> SavedRun:
    """Return the contents of a snapshot file.

    Args:
        snapshot: of a simulation.
        scene: its scene.
        text: of the scene at the time of the snapshot.
        config: settings of the simulation.
        seed: its seed.

    Raises:
        SnapshotError: the physics plug-in cannot give its state.
    """
    if snapshot.physics.plugin is not None and not snapshot.physics.plugin.is_from_plugin:
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
    """Write a file, whole or not at all; return its path.

    Raises:
        SnapshotError: a value has no form as data, or the file cannot be written.
    """
    plain = PlainData()
    named = {name: plain.written(each, name) for name, each in run.states.items()}
    data = {"run": plain.written(replace(run, text="", states={}), "state"), "states": named}
    head = {FORMAT: made_with(), "world": run.world, "time_ns": run.time_ns}
    texts = {HEAD: json.dumps(head, indent=1), WORLD: run.text}
    texts[STATE] = json.dumps({**data, "records": plain.records})
    try:
        with atomic_file(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
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
    """Read a snapshot file.

    Raises:
        SnapshotError: the file cannot be read, is damaged or no snapshot, or was made with other versions.
    """
    with _opened(path) as (archive, head):
        data = json.loads(archive.read(STATE))
        plain = PlainData([(module, name, tuple(fields)) for module, name, fields in data["records"]])
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
    """Return the path of the world file of a snapshot; `read_run` refuses a file whose parts disagree about
    it.

    Raises:
        SnapshotError: as `read_run`.
    """
    with _opened(path) as (_, head):
        return str(head["world"])


@contextmanager
def _opened(path: str | Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """Open a file that was made with the versions here, and read its head.

    Raises:
        SnapshotError: it was made with other versions, or cannot be read within the `with` block.
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
    """Build the simulation that a snapshot file continues.

    Args:
        run: contents of the file.
        path: of the file, for error messages.
        plugins: whether the world's physics plug-in runs; None: as in the snapshot.

    Raises:
        SnapshotError: files of the world have changed, or the state does not fit this world.
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
    present = device_names(scene).keys()  # robots that were removed have no settings
    robots = {name: own for name, own in run.config.robots.items() if name in present}
    runs_plugins = run.config.plugins if plugins is None else plugins
    sim = Simulation(scene, replace(run.config, robots=robots, plugins=runs_plugins))
    try:
        make_media(sim.media, run.states)
        check_states(dict(sim.stateful()), run.states)
        nodes = {NodeId(number): node.id for number, node in enumerate(sim.scene.walk())}
        restore_simulation(sim, run.physics, with_nodes_renamed(run.states, nodes.get), anew=True)
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
    """Refuse archives that are too large when unpacked; no member is read beyond its declared size.

    Raises:
        SnapshotError: it is too large.
    """
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    texts = sum(sizes.get(name, 0) for name in (HEAD, STATE))
    found = {"snapshot_bytes": sum(member.file_size for member in archive.infolist()), "snapshot_text": texts}
    for name, size in found.items():
        if size > limit(name):
            raise SnapshotError(f"found {size} bytes unpacked, expected {limit_text(name)}")


def _array(data: bytes) -> NDArray[Any]:
    """Read an array of numbers and check its size against its header.

    Raises:
        ValueError: the data is not such an array.
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
    """Refuse a file that was made with other versions."""
    here = made_with()
    for what, name in MADE_WITH.items():
        if found[what] != here[what]:
            raise SnapshotError(
                f"made with {name} {found[what]}, here is {here[what]}: "
                "a snapshot can only be opened with the same"
            )


def _hashes(scene: Scene) -> Files:
    """Return names and hashes of the files of a scene, including its physics plug-in."""
    plugin = [file for file in places(scene.world_info["physics"], scene.file) if isfile(file)][:1]
    found = []
    for file in (*used_files(scene, scene.assets), *plugin):
        with open(file, "rb") as stream:
            found.append((file.name, hashlib.file_digest(stream, "sha256").hexdigest()))
    return tuple(sorted(found))


def _check_files(then: Files, now: Files, path: str | Path) -> None:
    """Refuse files that have changed since the snapshot."""
    for name, digest in then:
        if (name, digest) not in now:
            there = any(name == each for each, _ in now)
            found = f"{name}, a file of its world, {'has changed' if there else 'is missing'} here"
            raise SnapshotError(f"{path}: {found}, expected the one that it was made with")
