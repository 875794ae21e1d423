"""Snapshot files: another process continues to the last bit; other files are refused in one line."""

import io
import json
import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swinging import go_on, opened_elsewhere, run, state_of

from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import SnapshotError
from sim_core.base.geometry import Pose
from sim_core.base.limits import VARIABLE
from sim_core.base.outcome import DONE, Refused
from sim_core.base.plain_data import PlainData
from sim_core.devices.motors.motor import MotorState
from sim_core.devices.motors.motor_control import MotorControl
from sim_core.devices.ranging.lidar import LidarState
from sim_core.devices.vision.camera import CameraReading, CameraState
from sim_core.engines.ode import PhysicsWorld
from sim_core.engines.ode.bonds import BondRecord, BondState
from sim_core.engines.ode.ode_binding import QUATERNION, ROTATION
from sim_core.engines.ode.snapshots import LinkState, MoverState
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.scene import parse_scene
from sim_core.scene.loader import scene_from_text
from sim_core.sensing.trace import TraceState
from sim_core.session import snapshot_file
from sim_core.session.load_world import load_world
from sim_core.session.pipeline import Command
from sim_core.session.players.motion_control import DriveTimeout
from sim_core.session.players.trajectory import Trajectory
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation
from sim_core.session.snapshot_file import read_run, write_run
from sim_core.session.world_commands import LoadState, SaveState

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
ELSEWHERE = (
    "wall_avoiders", "docking", "devices/brake", "devices/ball_joint", "devices/battery", "devices/emitter",
    "devices/faults", "devices/physics_plugin", "devices/touch_sensor", "devices/track",
    "devices/vacuum_gripper",
)  # fmt: skip
"""Worlds that together have all kinds of state; all others were tried by hand."""
FALL = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 } Solid { boundingObject Plane { } }
Robot { name "ball" translation 0 0 0.5 children [ GPS { name "gps" } ]
  boundingObject Sphere { radius 0.1 } physics Physics { } }"""


def bits(plain: PlainData, written: Any) -> tuple[str, list[bytes]]:
    """Return all bits of written values."""
    return json.dumps(written), [array.tobytes() for array in plain.arrays]


def bits_of_run(file: Path) -> tuple[str, list[bytes]]:
    """Return all bits of the contents of a file."""
    plain, saved = PlainData(), read_run(file)
    return bits(plain, [plain.written(saved, "run"), saved.text])


def saved_fall(folder: Path, text: str = FALL) -> Path:
    """Return a snapshot of a falling ball, beside its world."""
    world = folder / "worlds" / "fall.wbt"
    world.parent.mkdir(exist_ok=True)
    world.write_text(text, encoding="utf-8")
    sim = load_world(world)
    sim.run(0.1)
    return sim.snapshot().save(folder / "fall.snapshot")


def test_another_process_continues_to_the_last_bit(tmp_path: Path) -> None:
    expected = {}
    for name in ELSEWHERE:
        sim = load_world(WORLDS / f"{name}.wbt", seed=3)
        run(sim, 1.0)
        file = sim.snapshot().save(tmp_path / f"{Path(name).name}.snapshot")
        expected[str(file)] = go_on(sim)
        sim.close()
    sim = load_world(WORLDS / "fast2d.wbt", SimulationConfig(physics="fast2d", seed=5))
    run(sim, 1.0)
    file = sim.snapshot().save(tmp_path / "fast2d.snapshot")
    expected[str(file)] = go_on(sim)
    assert opened_elsewhere(map(Path, expected)) == expected


def test_commands_in_transit_continue_in_another_process(tmp_path: Path) -> None:
    """Late commands and readings, a trajectory, a motion and a drive with a timeout."""
    late = DeviceConfig(faults=FaultConfig(latency=0.2, gaussian=0.01, dropout=0.2))
    config = SimulationConfig(
        robots={"robot1": RobotConfig(devices=dict.fromkeys(("motor_left", "ds_front"), late))}
    )
    sim = load_world(WORLDS / "wall_avoiders.wbt", config)
    path = Trajectory((1_000_000_000, 3_000_000_000), np.array([[1.0], [-1.0]]))
    TrajectoryPlayer(path, [sim.robot("robot1")["motor_right"]], sim.playback).play(0)
    drive = sim.robot("robot2").drive
    assert drive is not None
    timeout = DriveTimeout(sim.robot("robot2"), sim.playback)
    sim.step(10)
    sim.robot("robot1")["motor_left"].set_velocity(1.5)
    drive.set_twist(0.1, 0.2)
    timeout.set_timeout(600_000_000)
    sim.step()
    file = sim.snapshot().save(tmp_path / "under_way.snapshot")
    other = Simulation.from_snapshot(file)
    assert other.playback.playing(DriveTimeout, "robot2") is not None
    assert other.playback.playing(TrajectoryPlayer, "robot1") is not None
    for one in (sim, other):
        one.run(1.0)
    assert state_of(other) == state_of(sim)
    assert other.playback.playing(DriveTimeout, "robot2") is None


def test_an_edited_world_continues_in_another_process_and_is_reset_to_its_edited_start(
    tmp_path: Path,
) -> None:
    late = DeviceConfig(faults=FaultConfig(latency=0.05, gaussian=0.01))
    robots = {name: RobotConfig(devices={"ds_front": late}) for name in ("robot3", "robot5")}
    sim = load_world(WORLDS / "wall_avoiders.wbt", SimulationConfig(robots=robots))
    supervisor = sim.supervisor
    box = 'Solid { name "box" translation 0.5 0.5 1 boundingObject Box { size 0.1 0.1 0.1 } physics '
    box += "Physics { } }"
    sim.step(20)
    supervisor.import_text(f"DEF BOX {box}")
    supervisor.remove("robot3")
    sim.step(20)
    supervisor.set("BOX", "translation", (0.4, 0.4, 0.5))
    supervisor.import_text('Robot { name "new" children [ Emitter { name "emitter" } ] }')
    sim.robot("new")["emitter"].send(b"hello")
    snapshot = sim.snapshot()
    sim.step(3)
    supervisor.remove("BOX")  # after the snapshot: the change is not in the file
    file = snapshot.save(tmp_path / "edited.snapshot")
    assert supervisor.find("BOX") is None
    sim.restore(snapshot)
    expected = go_on(sim)
    assert opened_elsewhere([file]) == {str(file): expected}
    other = Simulation.from_snapshot(file)
    other.reset()
    assert other.time_ns == 0 and list(other.robots)[-1] == "new" and "robot3" not in other.robots
    assert other.supervisor.get("BOX", "translation") == (0.5, 0.5, 1.0)


def test_states_of_nodes_that_were_saved_are_loaded_after_opening(tmp_path: Path) -> None:
    """Of a robot whose node has another number in the file than in the process that saved it."""
    sim = load_world(WORLDS / "wall_avoiders.wbt")
    sim.step(5)
    sim.supervisor.remove("robot1")
    session = Session(sim)
    assert session.pipeline.submit(Command("test", (SaveState("robot3", "here"),))) is DONE
    saved = sim.supervisor.pose("robot3")
    sim.step(50)
    opened = Session(Simulation.from_snapshot(sim.snapshot().save(tmp_path / "later.snapshot")))
    assert opened.sim.supervisor.pose("robot3") != saved
    for each in (session, opened):
        assert each.pipeline.submit(Command("test", (LoadState("robot3", "here"),))) is DONE
        assert each.sim.supervisor.pose("robot3").position == pytest.approx(saved.position, abs=1e-12)
    assert state_of(sim) == state_of(opened.sim)
    refused = opened.pipeline.submit(Command("test", (LoadState("robot4", "here"),)))
    assert isinstance(refused, Refused) and 'no state "here" was saved' in refused.text


def test_a_rotation_is_read_as_it_was_set_after_opening_and_after_a_restore(tmp_path: Path) -> None:
    sim = load_world(WORLDS / "wall_avoiders.wbt")
    wall = next(node for node in sim.scene.walk() if node.is_a("Solid") and not node.is_a("Robot"))
    written = (0.0, 0.0, 2.0, 0.25)
    sim.supervisor.set(wall, "rotation", written)
    sim.step()
    snapshot = sim.snapshot()
    sim.supervisor.set(wall, "rotation", (0.0, 0.0, 1.0, 1.0))
    sim.restore(snapshot)
    opened = Simulation.from_snapshot(snapshot.save(tmp_path / "turned.snapshot"))
    place = [node.id for node in sim.scene.walk()].index(wall.id)
    assert sim.supervisor.get(wall, "rotation") == written
    assert opened.supervisor.get(list(opened.scene.walk())[place], "rotation") == written


def test_sensors_see_walls_where_they_were_put_and_after_a_reset_where_they_began(tmp_path: Path) -> None:
    text = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 8 } DEF WALL Solid { translation 2 0 0 boundingObject Box { size 0.2 1 1 } }
    Robot { name "r" children DistanceSensor { name "ds" lookupTable [ 0 0 0, 9 9 0 ] } }"""
    sim = Simulation(parse_scene(text, str(tmp_path / "wall.wbt")))
    sim.step()  # before the first step the start would be changed
    sim.supervisor.set("WALL", "translation", (3.0, 0.0, 0.0))
    sim.step(2)
    other = Simulation.from_snapshot(sim.snapshot().save(tmp_path / "wall.snapshot"))
    assert other.robot("r")["ds"].value == sim.robot("r")["ds"].value == pytest.approx(2.9)
    other.reset()
    other.step()
    assert other.robot("r")["ds"].value == pytest.approx(1.9)


def test_a_moved_fixed_solid_with_several_shapes_is_restored(tmp_path: Path) -> None:
    """Its shapes are then in a space of their own."""
    box = "boundingObject Group { children [ Box { } Pose { translation 2 0 0 children Box { } } ] }"
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\nDEF WALLS Solid {{ {box} }}", "w.wbt"))
    sim.step()
    sim.supervisor.set("WALLS", "translation", (1.0, 0.0, 0.0))
    opened = Simulation.from_snapshot(sim.snapshot().save(tmp_path / "moved.snapshot"))
    assert opened.supervisor.pose("WALLS").position == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("named", ["", f'EXTERNPROTO "{WORLDS.parent}/protos/robots/Cart.proto"\n'])
def test_a_wheel_moved_away_from_its_joint_is_restored(named: str, tmp_path: Path) -> None:
    text = f"#VRML_SIM R2025a utf8\n{named}Cart {{ }}"
    sim = Simulation(scene_from_text(text, tmp_path / "w.wbt"))
    wheel = next(node for node in sim.scene.walk() if node.is_a("Solid") and node["name"] == "left wheel")
    sim.step()
    sim.supervisor.set(wheel, "rotation", (0.0, 0.0, 1.0, 0.1))
    opened = Simulation.from_snapshot(sim.snapshot().save(tmp_path / "wheel.snapshot"))
    states = [state_of(each) for each in (sim, opened)]
    sim.step(20)
    opened.step(20)
    assert states[0] == states[1] and state_of(sim) == state_of(opened)


@pytest.mark.parametrize("relative", [None, Pose((0.35, 0.02, 0.0))])
def test_bonds_come_back_identical(tmp_path: Path, relative: Pose | None) -> None:
    """Also if all ODE objects were rebuilt since, if a bond bends, and while it still pulls."""
    boxes = "".join(
        f"DEF {name} Solid {{ translation {x} 0 0.31 boundingObject Box {{ size 0.2 0.2 0.2 }} "
        "physics Physics { } }"
        for name, x in (("A", 0.0), ("B", 0.3), ("C", 0.6))
    )
    text = f"#VRML_SIM R2025a utf8\nSolid {{ boundingObject Box {{ size 0.2 9 0.4 }} }} {boxes}"
    sim = Simulation(parse_scene(text, str(tmp_path / "bonds.wbt")))
    a, b, c = (sim.supervisor.node(name) for name in "ABC")
    assert isinstance(sim.physics, PhysicsWorld)
    sim.physics.bond(a.id, b.id, relative)
    sim.step(3)
    bond = sim.physics.bond(b.id, c.id)
    sim.step(2)
    snapshot, before, force = sim.snapshot(), state_of(sim), bond.force()
    assert any(force)
    expected = run(sim, 1.0, 1.0)
    sim.reset()
    sim.step(3)
    sim.restore(snapshot)
    other = Simulation.from_snapshot(snapshot.save(tmp_path / "bonds.snapshot"))
    for one in (sim, other):
        found = one.physics.find_bond(bond.number)
        assert found is not None and found.force() == force
        assert state_of(one) == before and run(one, 1.0, 1.0) == expected


def test_a_written_file_is_read_back_equal(tmp_path: Path) -> None:
    file = saved_fall(tmp_path)
    sim = Simulation.from_snapshot(file)
    again = sim.snapshot().save(tmp_path / "again.snapshot")
    assert again.read_bytes() == file.read_bytes() == saved_fall(tmp_path).read_bytes()
    assert bits_of_run(again) == bits_of_run(file)


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.sampled_from(BodyKind)
)
PLAIN = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        *(st.lists(inner, max_size=4).map(kind) for kind in (list, tuple, deque)),
        st.dictionaries(st.text() | st.tuples(st.integers(), st.text()), inner, max_size=3),
        st.booleans().map(lambda is_busy: MoverState((1,), (), (), is_busy)),
        st.builds(FaultConfig, bias=st.floats(-1e9, 1e9)),
    ),
    max_leaves=10,
)


@given(PLAIN)
def test_plain_data_comes_back_in_all_bits(value: Any) -> None:
    plain = PlainData()
    text = json.dumps(plain.written(value, "value"))
    found = PlainData(json.loads(json.dumps(plain.records)), plain.arrays).read(json.loads(text))
    assert repr(found) == repr(value) and type(found) is type(value)


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3)[:, ::2], np.zeros((0, 3), np.uint8), np.float32(1e-40)]
)
def test_arrays_come_back_in_all_bits(array: Any) -> None:
    plain = PlainData()
    written = plain.written(array, "value")
    found = PlainData([], plain.arrays).read(written)
    assert found.dtype == array.dtype and found.shape == array.shape and found.tobytes() == array.tobytes()
    assert type(found) is type(array)


def test_sets_come_back_equal() -> None:
    plain, value = PlainData(), (frozenset({3, -8, 0}), {"b", "a"}, set())
    assert plain.read(json.loads(json.dumps(plain.written(value, "value")))) == value


@pytest.mark.parametrize("value", [print, object(), parse_scene(FALL), np.array([None])])
def test_values_that_are_not_plain_data_are_refused(value: Any) -> None:
    with pytest.raises(SnapshotError, match=r"robot r: found a .*, which has no form as data"):
        PlainData().written((1, [value]), "robot r")


def damaged(file: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """Return a copy with changed members."""
    copy = file.with_name("damaged.snapshot")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return copy


def refusal(file: Path) -> str:
    """Return the one line with which a file is refused."""
    with pytest.raises(SnapshotError) as error:
        Simulation.from_snapshot(file)
    text = str(error.value)
    assert text.startswith(f"{file}: ") and "\n" not in text
    return text


def test_files_that_are_damaged_are_refused(tmp_path: Path) -> None:
    file = saved_fall(tmp_path)
    whole = file.read_bytes()
    assert "cannot be read: No such file" in refusal(tmp_path / "nothing.snapshot")
    for data in (b"", b"#VRML_SIM R2025a utf8", whole[: len(whole) // 2], whole[:-30]):
        file.write_bytes(data)
        assert "no snapshot of odesim, or a damaged one" in refusal(file)
    middle = len(whole) // 3
    file.write_bytes(
        whole[:middle] + bytes(each ^ 255 for each in whole[middle : middle + 40]) + whole[middle + 40 :]
    )
    assert "no snapshot of odesim, or a damaged one" in refusal(file)


def test_crafted_files_run_nothing_and_do_not_end_the_process(tmp_path: Path) -> None:
    file = saved_fall(tmp_path)

    def foreign(name: str, data: bytes) -> bytes:
        return data.replace(b"sim_core.engines.ode.snapshots", b"os") if name == "state.json" else data

    assert "the record os." in refusal(damaged(file, foreign))

    def other_fields(name: str, data: bytes) -> bytes:
        return data.replace(b'"solver_seed"', b'"seed_of_solver"') if name == "state.json" else data

    assert "found a PhysicsState of time_ns, epoch_ns, plugin, seed_of_solver" in refusal(
        damaged(file, other_fields)
    )

    def pickled(name: str, data: bytes) -> bytes:
        stream = io.BytesIO()
        np.save(stream, np.array([{}]), allow_pickle=True)
        return stream.getvalue() if name.endswith(".npy") else data

    assert "an array of object" in refusal(damaged(file, pickled))

    def elsewhere(value: float, columns: slice = slice(1)) -> Callable[[str, bytes], bytes]:
        def change(name: str, data: bytes) -> bytes:
            if not name.endswith(".npy"):
                return data
            array = np.load(io.BytesIO(data))
            array[:, columns] = value
            stream = io.BytesIO()
            np.save(stream, array)
            return stream.getvalue()

        return change

    def changed(**fields: Any) -> Path:
        other = read_run(file)
        vars(other.physics).update(fields)
        return write_run(other, tmp_path / "changed.snapshot")

    state = vars(read_run(file).physics)
    bond = BondState(BondRecord(0, (0, 1), (b"short",)), (0.0, 0.0, 0.0))
    assert "an order of other shapes" in refusal(changed(order=tuple((0, 0, 1) for _ in state["order"])))
    assert "place of a body: found 5 bytes" in refusal(changed(bonds=(bond,)))
    assert "bodies of other links" in refusal(changed(with_body=(99,)))
    assert "links, motors, driven axes" in refusal(changed(links=state["links"] * 2))
    assert "PhysicsState.links: found 7, expected tuple" in refusal(changed(order=None, links=7))
    assert "PhysicsState.time_ns: found 0.5, expected int" in refusal(changed(time_ns=0.5))
    for value in (np.nan, np.inf, 1e300):
        assert "numbers that are not finite" in refusal(damaged(file, elsewhere(value)))
    for columns in (QUATERNION, ROTATION):
        assert "an invalid rotation" in refusal(damaged(file, elsewhere(0.0, columns)))
    flat = state["links"][0]._replace(pose=Pose(rotation=(0.0,) * 9))
    assert "an invalid rotation" in refusal(changed(links=(flat, *state["links"][1:])))


def test_archives_that_are_too_large_are_refused_before_unpacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = saved_fall(tmp_path)
    with zipfile.ZipFile(file) as archive:
        sizes = {each.filename: each.file_size for each in archive.infolist()}
    texts = sizes["snapshot.json"] + sizes["state.json"]
    for name, size in (("snapshot_bytes", sum(sizes.values())), ("snapshot_text", texts)):
        monkeypatch.setenv(VARIABLE, f"{name}={size}")
        Simulation.from_snapshot(file).close()
        monkeypatch.setenv(VARIABLE, f"{name}={size - 1}")
        assert f"found {size} bytes unpacked, expected at most {size - 1}" in refusal(file)


@pytest.mark.parametrize(
    ("shape", "dtype", "found"),
    [
        ((1 << 40, 1 << 20), "<f8", "an array of 8 bytes for the shape"),
        ((-1,), "<f8", "an array of 8 bytes for the shape"),
        ((1 << 40,), "|V0", "an array of |V0"),
        ((1,), ">f8", "an array of >f8"),
        ((), "<U2", "an array of <U2"),
    ],
)
def test_an_array_with_a_wrong_header_is_refused(
    shape: tuple[int, ...], dtype: str, found: str, tmp_path: Path
) -> None:
    stream = io.BytesIO()
    head = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, head)
    stream.write(bytes(8))
    file = damaged(
        saved_fall(tmp_path), lambda name, data: stream.getvalue() if name.endswith(".npy") else data
    )
    assert found in refusal(file)


DEVICES = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { children [
  Camera { name "camera" width 4 height 3 motionBlur 100 }
  Lidar { name "lidar" horizontalResolution 5 }
  Pen { name "pen" }
  HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { physics Physics { } } }
] }
"""


def test_states_of_devices_are_as_large_as_their_devices(tmp_path: Path) -> None:
    sim = Simulation(parse_scene(DEVICES))
    sim.step()
    file = sim.snapshot().save(tmp_path / "devices.snapshot")
    sim.close()
    for field, kind, found, value in (
        ("scan", LidarState, "scan: an array of (7,)", np.zeros(7)),
        ("blurred", CameraState, "camera: a picture of another size", (0, np.zeros((3, 5, 3), np.float32))),
        (
            "latest",
            LidarState,
            "the reading CameraReading",
            CameraReading(0, np.zeros((3, 4, 4), np.uint8), None, (), None),
        ),
        ("count", TraceState, "a trace of 1000000000 points", 10**9),
        ("spacing", TraceState, "the number 1e+300", 1e300),
        ("control", MotorState, "a step of 0.0 s, expected 0.008", MotorControl(0.0, (10.0, 0.0, 0.0))),
    ):
        run = read_run(file)
        vars(next(each for each in run.states.values() if type(each) is kind))[field] = value
        said = refusal(write_run(run, tmp_path / "changed.snapshot"))
        assert found in said and "a state that does not fit its world" in said


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("release", "made with odesim 9.9, here is"),
        ("library", "made with the ODE library 9.9, here is libode"),
        ("processor", "made with the processor 9.9, here is"),
    ],
)
def test_other_versions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, line: str
) -> None:
    here = snapshot_file.made_with()
    with monkeypatch.context() as patch:
        patch.setattr(snapshot_file, "made_with", lambda: {**here, what: "9.9"})
        file = saved_fall(tmp_path)
    assert line in refusal(file)


def test_other_files_of_the_world_are_refused(tmp_path: Path) -> None:
    proto = tmp_path / "worlds" / "Ball.proto"
    proto.parent.mkdir()
    text = "#VRML_SIM R2025a utf8\nPROTO Ball [ ] { Solid { boundingObject Sphere { } physics Physics { } } }"
    proto.write_text(text, encoding="utf-8")
    ball = "WorldInfo { basicTimeStep 8 } Ball { }"
    file = saved_fall(tmp_path, f'#VRML_SIM R2025a utf8\nEXTERNPROTO "Ball.proto"\n{ball}')
    Simulation.from_snapshot(file)
    proto.write_text(text.replace("Sphere { }", "Sphere { radius 0.2 }"), encoding="utf-8")
    assert "Ball.proto, a file of its world, has changed here" in refusal(file)
    proto.unlink()
    with pytest.raises(Exception, match=r"Ball") as error:
        Simulation.from_snapshot(file)
    assert "\n" not in str(error.value)


def test_a_plug_in_without_state_functions_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "physics" / "gust"
    folder.mkdir(parents=True)
    (folder / "gust.py").write_text("def step(api):\n    pass\n", encoding="utf-8")
    with pytest.raises(SnapshotError, match='physics plug-in "gust": found no get_state and set_state'):
        saved_fall(tmp_path, FALL.replace("WorldInfo {", 'WorldInfo { physics "gust"'))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = saved_fall(tmp_path)
    before = file.read_bytes()
    snapshot = Simulation.from_snapshot(file).snapshot()
    snapshot.states["robot ball"].secret = print  # type: ignore[attr-defined] # not a field: not written
    snapshot.states["energy"].is_due = print  # type: ignore[attr-defined]
    with pytest.raises(SnapshotError, match="energy: found a builtins"):
        snapshot.save(file)
    assert file.read_bytes() == before and [
        each.name for each in tmp_path.iterdir() if "fall" in each.name
    ] == ["fall.snapshot"]
    with pytest.raises(SnapshotError, match="cannot be written"):
        Simulation.from_snapshot(file).snapshot().save(tmp_path / "nowhere" / "fall.snapshot")


def test_links_are_plain(tmp_path: Path) -> None:
    file = saved_fall(tmp_path)
    state = read_run(file).physics
    assert isinstance(state.links[0], LinkState) and isinstance(state.links[0].pose, Pose)  # type: ignore[union-attr]
