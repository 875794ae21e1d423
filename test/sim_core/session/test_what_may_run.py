"""Building a world from elsewhere in Python runs none of its programs; the file that is really built
matters."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import forget, new_home, project, started

from sim_core.base import trust
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError, SnapshotError
from sim_core.experiments.learning.env import OdesimEnv
from sim_core.experiments.learning.task import WorldSetup
from sim_core.experiments.learning.world_copy import WorldCopy
from sim_core.experiments.sweep.spec_reader import read_spec
from sim_core.experiments.sweep.sweep import run_sweep
from sim_core.scene import load_scene, parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return new_home(tmp_path, monkeypatch)


def _empty() -> Simulation:
    return Simulation(parse_scene("#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }", "<empty>"))


def _load_world(world: Path) -> None:
    load_world(world).step()


def _by_scene(world: Path) -> None:
    Simulation(load_scene(world), SimulationConfig(seed=1)).step()


def _another_seed(world: Path) -> None:
    load_world(world).reset(seed=3)


def _by_supervisor(world: Path) -> None:
    sim = _empty()
    sim.supervisor.load_world(world)
    sim.step()


def _by_session(world: Path) -> None:
    session = Session(_empty())
    session.load(load_scene(world), str(world))


def _environment(world: Path) -> None:
    with pytest.raises(ConfigError, match="expected one or more"):  # the world is built before
        OdesimEnv(world, observations=["d"], actions=[], period=0.0)


def _vector_environment(world: Path) -> None:
    spec = WorldSetup(world, observations=("d",), actions=(), period=0.0)
    with pytest.raises(ConfigError, match="expected one or more"):
        WorldCopy(spec)


@pytest.mark.parametrize(
    "build",
    [_load_world, _by_scene, _another_seed, _by_supervisor, _by_session, _environment, _vector_environment],
    ids=lambda build: build.__name__,
)
def test_the_plug_in_of_a_world_from_elsewhere_needs_trust(
    build: Callable[[Path], None], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    build(world)
    assert started(folder) == set()
    assert capsys.readouterr().err.splitlines() == [str(*trust.trust_issues_of_world(world))]
    trust.trust(folder)
    build(world)
    assert started(folder) == {"plugin"}


def _snapshot(world: Path) -> Path:
    trust.trust(world.parent.parent)
    sim = load_world(world)
    sim.step()
    return sim.snapshot().save(world.parent.parent / "s.snapshot")


def _unmarked(folder: Path) -> None:
    for name in started(folder):
        (folder / name).unlink()


def test_a_snapshot_runs_the_plug_in_of_a_trusted_world_only(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    file = _snapshot(world)
    _unmarked(folder)
    forget(monkeypatch)
    Simulation.from_snapshot(file).step()
    assert started(folder) == set()
    trust.trust(folder)
    Simulation.from_snapshot(file).step()
    assert started(folder) == {"plugin"}


def test_a_snapshot_from_elsewhere_runs_no_plug_in_of_the_users(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = project(home / "mine")
    folder = world.parent.parent
    foreign = _snapshot(world).rename(home / "Downloads" / "s.snapshot")
    _unmarked(folder)
    forget(monkeypatch)
    Simulation.from_snapshot(foreign).step()
    assert started(folder) == set()


def test_a_snapshot_names_one_world(home: Path) -> None:
    """The header names the world that needs trust, the state the one that is built."""
    world = project(home / "Downloads" / "theirs")
    file = _snapshot(world)
    forged = home / "forged.snapshot"
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(forged, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "snapshot.json":
                data = json.dumps({**json.loads(data), "world": str(home / "mine.wbt")}).encode()
            target.writestr(name, data)
    with pytest.raises(SnapshotError, match=r"found snapshot\.json of the world") as caught:
        Simulation.from_snapshot(forged)
    assert len(str(caught.value).splitlines()) == 1


SPEC = "world: {world}\nduration: 0.016\nmetrics: [{metric}]\n"
METRIC = "from pathlib import Path\nPath(__file__).with_name('metric').touch()\ndef one(sim):\n    return 1\n"


def test_a_sweep_needs_trust_before_the_first_run(home: Path) -> None:
    world = project(home / "Downloads" / "theirs")
    folder = world.parent.parent
    spec = home / "sweep.yaml"
    spec.write_text(SPEC.format(world=world, metric='"*.pose"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=f"would run: it lies in .*; --trust trusts {folder}"):
        read_spec(spec)
    assert started(folder) == set()
    trust.trust(folder)
    assert run_sweep(read_spec(spec), workers=1, quiet=True).failed == []
    assert started(folder) == {"plugin"}


def test_the_modules_of_a_spec_from_elsewhere_need_trust(home: Path) -> None:
    folder = home / "Downloads" / "study"
    folder.mkdir()
    (folder / "own.py").write_text(METRIC, encoding="utf-8")
    spec = folder / "sweep.yaml"
    spec.write_text(SPEC.format(world="w.wbt", metric='"own:one"'), encoding="utf-8")
    (folder / "w.wbt").write_text("#VRML_SIM R2025a utf8\nWorldInfo { }\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"sweep.yaml: the modules beside it would run: .* {folder}$"):
        read_spec(spec)
    assert not (folder / "metric").exists()
    trust.trust(folder)
    read_spec(spec)
    assert (folder / "metric").exists()
