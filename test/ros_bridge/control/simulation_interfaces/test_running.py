"""States of the simulation, resets, worlds."""

from pathlib import Path
from typing import Any

import pytest

from ros_bridge.control.simulation_interfaces.features import FEATURES
from ros_bridge.control.simulation_interfaces.server import Services
from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import share_dir
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

STOPPED, PLAYING, PAUSED, QUITTING, NO_WORLD = range(5)
TIME, STATE, SPAWNED = 1, 2, 4
SMALL = '#VRML_SIM R2025a utf8\nWorldInfo { title "small" }\nSolid { name "egg" }\n'
BOX = 'Solid { name "box" boundingObject Box { size 1 1 1 } physics Physics { density -1 mass 3 } }'


def state(bench: Any) -> int:
    return int(bench.ok("GetSimulationState").state.state)


def go_to(bench: Any, msg: Any, wanted: int) -> Any:
    return bench.ask("SetSimulationState", state=msg.SimulationState(state=wanted)).result


def height(bench: Any, entity: str = "BALL") -> tuple[float, float]:
    now = bench.ok("GetEntityState", entity=entity).state
    return now.pose.position.z, now.twist.linear.z


def test_states_follow_each_other_as_the_standard_says(bench: Any, msg: Any) -> None:
    assert state(bench) == STOPPED
    assert go_to(bench, msg, STOPPED).result == 101
    assert go_to(bench, msg, PAUSED).result == 1 and state(bench) == PAUSED
    assert go_to(bench, msg, PLAYING).result == 1 and state(bench) == PLAYING
    bench.sim.step(10)
    assert go_to(bench, msg, PAUSED).result == 1 and state(bench) == PAUSED
    assert bench.sim.time_ns == 80_000_000
    assert go_to(bench, msg, STOPPED).result == 1 and state(bench) == STOPPED
    assert bench.sim.time_ns == 0
    for wrong in (NO_WORLD, 5, 77):
        assert go_to(bench, msg, wrong).result == 103
    assert go_to(bench, msg, QUITTING).result == 1 and bench.has_ended


def test_a_whole_reset_is_the_start(bench: Any) -> None:
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX)
    bench.sim.step(25)
    bench.ok("ResetSimulation", scope=TIME | STATE | SPAWNED)
    assert (bench.sim.time_ns, height(bench)) == (0, (5.0, 0.0))
    assert "box" not in bench.ok("GetEntities").entities
    bench.refused("ResetSimulation", 0, "scope 8", scope=8)


def test_spawned_entities_alone_can_go(bench: Any) -> None:
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX)
    bench.sim.step(25)
    before = height(bench)
    bench.ok("ResetSimulation", scope=SPAWNED)
    assert "box" not in bench.ok("GetEntities").entities
    assert (bench.sim.time_ns, height(bench)) == (200_000_000, before)


def test_the_state_alone_goes_back_while_time_goes_on(bench: Any) -> None:
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX, initial_pose__pose__position__z=9.0)
    bench.sim.step(25)
    bench.ok("ResetSimulation", scope=STATE)
    assert bench.sim.time_ns == 200_000_000
    assert height(bench) == (5.0, 0.0) and height(bench, "box") == (9.0, 0.0)
    bench.sim.step(25)
    fallen = 9.81 * 0.008**2 * 25 * 26 / 2
    assert height(bench)[0] == pytest.approx(5.0 - fallen)
    assert height(bench, "box")[0] == pytest.approx(9.0 - fallen)
    assert bench.sim.time_ns == 400_000_000


def test_time_alone_begins_again_while_bodies_fly_on(bench: Any) -> None:
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX, initial_pose__pose__position__z=9.0)
    bench.sim.step(25)
    before = height(bench), height(bench, "box")
    bench.ok("ResetSimulation", scope=TIME)
    assert bench.sim.time_ns == 0
    assert (height(bench), height(bench, "box")) == before
    bench.sim.step(25)
    assert height(bench)[1] == pytest.approx(-9.81 * 0.4)
    assert height(bench)[0] == pytest.approx(5.0 - 9.81 * 0.008**2 * 50 * 51 / 2)


def test_motors_run_on_when_time_alone_begins_again(bench: Any) -> None:
    bench.sim.supervisor.import_text(
        """Robot { name "spinner" translation 4 4 9 controller "void" children HingeJoint {
          jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { name "motor" }
          endPoint Solid { boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } }"""
    )
    motor = bench.sim.robots["spinner"].motors()["motor"]
    motor.set_velocity(2.0)
    bench.sim.step(50)
    bench.ok("ResetSimulation", scope=TIME)
    assert bench.sim.time_ns == 0 and motor.velocity == pytest.approx(2.0)
    angle = motor.position
    bench.sim.step(50)
    assert motor.position - angle == pytest.approx(2.0 * 50 * 0.008, rel=1e-6)


def test_time_and_state_begin_again_with_those_who_were_spawned(bench: Any) -> None:
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX, initial_pose__pose__position__z=9.0)
    bench.sim.step(25)
    bench.ok("ResetSimulation", scope=TIME | STATE)
    assert (bench.sim.time_ns, height(bench), height(bench, "box")) == (0, (5.0, 0.0), (9.0, 0.0))
    bench.ok("ResetSimulation", scope=0)
    assert "box" not in bench.ok("GetEntities").entities


def test_sensors_measure_on_after_each_kind_of_reset(bench: Any) -> None:
    gps = bench.sim.robots["rover"].devices["gps"]
    gps.always_on = True
    stamps: list[int] = []
    gps.add_listener(lambda reading: stamps.append(reading.time_ns))
    for scope in (STATE, TIME, TIME | STATE):
        bench.sim.step(8)
        bench.ok("ResetSimulation", scope=scope)
    stamps.clear()
    bench.sim.step(2 * int(gps.period_ns // bench.sim.step_ns))
    assert stamps == [gps.period_ns, 2 * gps.period_ns]


def test_a_world_is_loaded_from_text_unloaded_and_told(bench: Any, msg: Any) -> None:
    world = bench.ok("GetCurrentWorld").world
    assert (world.name, world.description) == ("yard", "for tests")
    go_to(bench, msg, PLAYING)
    loaded = bench.ok("LoadWorld", world_resource__resource_string=SMALL).world
    assert (loaded.name, loaded.world_resource.resource_string) == ("small", SMALL)
    assert state(bench) == STOPPED and bench.ok("GetEntities").entities == ["egg"]
    bench.ok("UnloadWorld")
    assert state(bench) == NO_WORLD
    for service in ("UnloadWorld", "GetCurrentWorld"):
        bench.refused(service, 101, "no world is loaded")
    for service in ("GetEntities", "ResetSimulation", "SpawnEntity"):
        bench.refused(service, 3, "no world is loaded")
    assert go_to(bench, msg, PLAYING).result == 103


def test_a_world_is_loaded_by_uri_and_told_with_it(bench: Any, folder: Path) -> None:
    file = folder / "a b.wbt"
    file.write_text(SMALL)
    for uri in (file.as_uri(), str(file)):
        assert bench.ok("LoadWorld", world_resource__uri=uri).world.world_resource.uri == file.as_uri()
    named = bench.ok("LoadWorld", world_resource__uri="devices/gps").world
    assert named.world_resource.uri.endswith("/worlds/devices/gps.wbt")
    assert named.tags == ["odesim", "devices"]


def test_worlds_that_cannot_be_loaded_leave_the_one_that_is_there(bench: Any, folder: Path) -> None:
    for name, text in (
        ("broken.wbt", "#VRML_SIM R2025a utf8\nSolid {"),
        ("proto.wbt", '#VRML_SIM R2025a utf8\nEXTERNPROTO "No.proto"\nNo { }'),
        ("mesh.wbt", '#VRML_SIM R2025a utf8\nShape { geometry Mesh { url "no.stl" } }'),
        ("x.sdf", "<sdf/>"),
        ("x.dae", "<COLLADA/>"),
    ):
        (folder / name).write_text(text)
    for name, code, says in (
        ("broken.wbt", 103, "broken.wbt:2"),
        ("proto.wbt", 104, "No"),
        ("mesh.wbt", 104, "no.stl"),
        ("x.sdf", 103, "without a world"),
        ("x.dae", 101, ".wbt"),
        ("nowhere.wbt", 2, "nowhere.wbt"),
    ):
        bench.refused("LoadWorld", code, says, world_resource__uri=str(folder / name))
    bench.refused("LoadWorld", 102, "neither uri nor resource_string")
    bench.refused("LoadWorld", 101, "#VRML_SIM", world_resource__resource_string="hello")
    assert bench.ok("GetCurrentWorld").world.name == "yard"
    skipping = {"ignore_missing_or_unsupported_assets": True, "world_resource__uri": str(folder / "mesh.wbt")}
    assert bench.ok("LoadWorld", **skipping).world.name == "mesh"


def test_available_worlds_are_those_of_odesim_and_of_more_folders(bench: Any, folder: Path) -> None:
    (folder / "mine.wbt").write_text(SMALL)
    answer = bench.ok("GetAvailableWorlds", additional_sources=[str(folder)])
    found = [(world.name, *world.tags) for world in answer.worlds]
    assert {("wall_avoiders", "odesim"), ("gps", "odesim", "devices"), ("mine",)} <= set(found)
    chosen = bench.ok("GetAvailableWorlds", filter__tags=["devices"]).worlds
    assert chosen and all("devices" in world.tags for world in chosen)
    sources = {"additional_sources": ["nowhere", str(folder)]}
    bench.refused("GetAvailableWorlds", 2, "nowhere", **sources)
    rest = bench.ok("GetAvailableWorlds", continue_on_error=True, **sources)
    assert "nowhere" in rest.result.error_message and "mine" in {world.name for world in rest.worlds}


def test_what_is_said_to_be_supported_is_served() -> None:
    services = set(Services.ALL)
    assert {"GetEntityBounds", "GetNamedPoseBounds", "SpawnEntities", "UnloadWorld"} <= services
    assert len(services) == 21 and len(set(FEATURES)) == len(FEATURES) == 32


@pytest.mark.parametrize(
    ("service", "fields"),
    [
        ("SpawnEntity", {"entity_resource__uri": "file://[/x.urdf"}),
        ("SpawnEntity", {"entity_resource__uri": "x" * 5000 + ".urdf"}),
        ("SpawnEntity", {"entity_resource__uri": "\0.urdf"}),
        ("SpawnEntity", {"entity_resource__uri": "package://no_such_package/x.urdf"}),
        ("SpawnEntity", {"entity_resource__resource_string": "Group { children [ " * 3000}),
        ("LoadWorld", {"world_resource__uri": "y" * 5000 + ".wbt"}),
        ("LoadWorld", {"world_resource__uri": "/"}),
        ("LoadWorld", {"world_resource__resource_string": "<X3D"}),
        ("GetEntities", {"filters__filter": "a{99999999999999999999}"}),
        ("GetAvailableWorlds", {"additional_sources": ["z" * 5000]}),
    ],
)
def test_the_worst_input_is_answered_with_a_line(bench: Any, service: str, fields: dict[str, Any]) -> None:
    result = bench.ask(service, **fields).result
    assert result.result != 1 and result.error_message and "\n" not in result.error_message
    assert bench.ok("GetCurrentWorld").world.name == "yard"


def test_in_the_plane_entities_come_and_go_and_what_needs_forces_is_refused(bench: Any, msg: Any) -> None:
    bench.use(
        Simulation(load_scene(share_dir() / "worlds" / "fast2d.wbt"), SimulationConfig(physics="fast2d"))
    )
    robots = bench.ok("GetEntities", filters__categories=[msg.EntityCategory(category=1)]).entities
    assert len(robots) == len(bench.sim.robots) > 1
    bounds = bench.ok("GetEntityBounds", entity=robots[0]).bounds
    assert bounds.type == 1 and bounds.points[0].x > bounds.points[1].x
    before = bench.ok("GetEntityState", entity=robots[0]).state
    bench.sim.step(5)
    assert bench.ok("GetEntityState", entity=robots[0]).state.header.stamp != before.header.stamp
    state = bench.ok("GetEntityState", entity=robots[0]).state
    state.pose.position.x += 0.5
    bench.ok("SetEntityState", entity=robots[0], state=state, set_pose=True)
    found = bench.ok("GetEntityState", entity=robots[0]).state.pose.position
    assert (found.x, found.y) == pytest.approx((state.pose.position.x, state.pose.position.y))
    state.pose.position.z += 1.0
    bench.refused("SetEntityState", 4, "fast 2D", entity=robots[0], state=state, set_pose=True)
    bench.ok("DeleteEntity", entity=robots[1])
    bench.ok("SpawnEntity", entity_resource__resource_string=BOX)
    assert robots[1] not in bench.sim.rolled.names
    bench.sim.step(5)
    bench.refused("ResetSimulation", 0, "fast 2D", scope=STATE)
    bench.ok("ResetSimulation", scope=0)
    after = bench.ok("GetEntityState", entity=robots[0]).state
    assert (after.header.stamp, after.pose) == (before.header.stamp, before.pose)
