import math
from typing import Any

import pytest

from sim_core.base.errors import CommandError, DeviceError
from sim_core.base.geometry import Pose, multiply, rotation_from_axis_angle
from sim_core.devices.touch.docking import FACE, AlignmentTolerances, is_in_position, snapped
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

G = 9.81
FACING = rotation_from_axis_angle((1.0, 0.0, 0.0, math.pi))  # z opposite, y opposite: 180° of rotation


def module(name: str, z: float, facing: str, fields: str = "", mass: float = 1.0, place: str = "") -> str:
    """Return a cube of 0.1 m with a connector on its upper (`up`) or lower (`down`) face."""
    third = 2.0 * math.pi / 3.0  # x downwards, or upwards
    turn = f"rotation 1 1 -1 {third}" if facing == "down" else f"rotation 1 1 1 {-third}"
    side = 0.05 if facing == "up" else -0.05
    physics = f"physics Physics {{ density -1 mass {mass} }}" if mass else ""
    return f"""Robot {{ name "{name}" translation 0 0 {z} {place}
      children Connector {{ name "dock" translation 0 0 {side} {turn} {fields} }}
      boundingObject Box {{ size 0.1 0.1 0.1 }} {physics} }}\n"""


def world(text: str, info: str = "gravity 0") -> Simulation:
    head = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 2 {info} }}\n"
    return Simulation(parse_scene(head + text))


def pair(low: str = "", high: str = "", gap: float = 0.005, place: str = "", **more: Any) -> Simulation:
    text = module("low", 0.0, "up", low) + module("high", 0.1 + gap, "down", high, place=place)
    return world(text, **more)


def docks(sim: Simulation) -> tuple[Any, Any]:
    return sim.robot("low")["dock"], sim.robot("high")["dock"]


def relative(sim: Simulation) -> Pose:
    low, high = docks(sim)
    found: Pose = (low.frame.pose() * FACE).inverse() * high.frame.pose() * FACE
    return found


def test_faces_look_along_x_and_what_is_locked_in_the_file_starts_attached() -> None:
    """Webots reference, Connector: the x axes are opposite, the z axes give the rotation."""
    box = "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { }"
    sim = world(
        f"""Robot {{ name "low" {box}
          children Connector {{ name "dock" translation 0.05 0 0 isLocked TRUE }} }}
        Robot {{ name "high" translation 0.1 0 0 {box}
          children Connector {{ name "dock" translation -0.05 0 0 rotation 0 0 1 3.141592653589793 }} }}"""
    )
    sim.step()
    low, high = docks(sim)
    assert low.peer is high


def test_locking_aligns_and_holds() -> None:
    """Snapped: origins coincide, z axes opposite, rotation about them a multiple of 90°."""
    sim = pair(place="rotation 0.6 0 0.8 0.08")
    low, high = docks(sim)
    sim.step()
    assert (low.value, high.value, low.peer) == (1, 1, None)
    low.lock()
    sim.run(1.0)
    assert low.peer is high and high.peer is low
    assert (low.is_locked, high.is_locked) == (True, False)
    pose = relative(sim)
    assert math.hypot(*pose.position) < 1e-4
    r = pose.rotation
    assert r[8] == pytest.approx(-1.0, abs=1e-6)
    assert r[4] == pytest.approx(-1.0, abs=1e-6)
    assert low.reading.is_attached and high.reading.is_attached


def test_without_snap_the_two_stay_as_they_stood() -> None:
    sim = pair("snap FALSE", place="rotation 0.6 0 0.8 0.08")
    before = relative(sim)
    docks(sim)[0].lock()
    sim.run(0.5)
    after = relative(sim)
    assert docks(sim)[0].peer is not None
    assert after.position == pytest.approx(before.position, abs=1e-6)
    assert after.rotation == pytest.approx(before.rotation, abs=1e-6)


def test_unlocking_sets_free() -> None:
    """Bonded to a static solid, then falling freely."""
    text = module("high", 0.1, "down", "", mass=0.0) + module("low", 0.0, "up")
    sim = world(text, "")
    low = sim.robot("low")["dock"]
    low.lock()
    sim.run(0.5)
    assert low.peer is sim.robot("high")["dock"]
    assert sim.robot("low").frame.linear_velocity()[2] == pytest.approx(0.0, abs=1e-6)
    low.unlock()
    sim.run(0.2)
    assert low.peer is None
    assert not low.is_locked
    assert sim.robot("low").frame.linear_velocity()[2] == pytest.approx(-G * 0.2, rel=1e-6)


@pytest.mark.parametrize("who", ["low", "high"])
@pytest.mark.parametrize(("mass", "holds"), [(1.9, True), (2.1, False)])
def test_it_breaks_at_its_tensile_strength(who: str, mass: float, holds: bool) -> None:
    """A weight m·g pulls; the strength is 2 kg·g; each locked side bears it."""
    strength = f"tensileStrength {2.0 * G}"
    text = module("high", 0.1, "down", strength, mass=0.0) + module("low", 0.0, "up", strength, mass)
    sim = world(text, "")
    sim.robot(who)["dock"].lock()
    sim.run(0.5)
    assert (sim.robot("low")["dock"].peer is not None) is holds
    assert sim.robot(who)["dock"].is_locked


@pytest.mark.parametrize(("second", "holds"), [("tensileStrength 15", True), ("tensileStrength 5", False)])
def test_the_strengths_of_two_locked_sides_add_up(second: str, holds: bool) -> None:
    text = module("high", 0.1, "down", second, mass=0.0) + module("low", 0.0, "up", "tensileStrength 10", 2.0)
    sim = world(text, "")
    sim.robot("low")["dock"].lock()
    sim.robot("high")["dock"].lock()
    sim.run(0.5)
    assert (sim.robot("low")["dock"].peer is not None) is holds


@pytest.mark.parametrize(("strength", "holds"), [(11.0, True), (9.0, False)])
def test_it_breaks_at_its_shear_strength_which_is_no_pull(strength: float, holds: bool) -> None:
    """Side by side with a static robot: the weight of 1 kg shears."""
    fields = f"shearStrength {strength} tensileStrength 0.5"
    sideways = "rotation 0 1 0 1.5707963267948966"
    text = module("high", 0.1, "down", mass=0.0) + module("low", 0.0, "up", fields, 1.0)
    text = text.replace("translation 0 0 0.1 ", f"translation 0.1 0 0 {sideways} ")
    text = text.replace("translation 0 0 0.0 ", f"translation 0 0 0 {sideways} ")
    sim = world(text, "gravity 10")
    dock = sim.robot("low")["dock"]
    dock.lock()
    sim.run(0.5)
    assert (dock.peer is not None) is holds


@pytest.mark.parametrize(
    ("field", "place", "gap"),
    [
        ("distanceTolerance 0.004", "", 0.005),
        ("axisTolerance 0.07", "rotation 1 0 0 0.08", 0.005),
        ("rotationTolerance 0.07", "rotation 0 0 1 0.08", 0.005),
        ('model "other"', "", 0.005),
        ('type "active"', "", 0.005),
    ],
)
def test_tolerances_and_types_refuse(field: str, place: str, gap: float) -> None:
    """The default tolerances allow these poses, the given field does not."""
    if "olerance" in field:
        free = pair(gap=gap, place=place)
        free.step()
        assert docks(free)[0].value == 1
    sim = pair(field, gap=gap, place=place)
    low, _ = docks(sim)
    low.lock()
    sim.step(3)
    assert low.value == 0
    assert low.peer is None
    assert low.is_locked


def test_active_docks_to_passive_which_knows_nothing() -> None:
    sim = pair('type "active"', 'type "passive"')
    low, high = docks(sim)
    sim.step()
    assert (low.value, high.value) == (1, -1)
    with pytest.raises(CommandError, match="high/dock: a passive connector cannot lock"):
        high.lock()
    low.lock()
    sim.step(2)
    assert high.peer is low


def test_auto_lock_waits_for_the_peer_to_come() -> None:
    """The upper module moves down at 0.1 m/s; the latch was closed from the start."""
    sim = pair(
        "isLocked TRUE autoLock TRUE distanceTolerance 0.01", gap=0.05, place="linearVelocity 0 0 -0.1"
    )
    low, _ = docks(sim)
    sim.run(0.3)
    assert low.peer is None and low.is_locked
    sim.run(0.2)
    assert low.peer is not None
    speed = sim.robot("low").frame.linear_velocity()[2] + sim.robot("high").frame.linear_velocity()[2]
    assert speed == pytest.approx(-0.1, rel=1e-6)  # momentum is kept


def test_locked_in_the_file_they_start_attached_and_a_reset_repeats() -> None:
    sim = pair("isLocked TRUE tensileStrength 1000", place="rotation 0.6 0 0.8 0.08")
    low, high = docks(sim)

    def run() -> list[Any]:
        poses = []
        for step in range(100):
            sim.step()
            poses.append((relative(sim), low.reading, high.reading))
            if step == 60:
                low.unlock()
        return poses

    first = run()
    assert first[1][1].is_attached and not first[-1][1].is_attached
    sim.reset()
    assert low.peer is None and low.is_locked
    assert run() == first


def test_both_sides_are_needed_where_one_is_not_enough() -> None:
    sim = pair("unilateralLock FALSE unilateralUnlock FALSE", "unilateralLock FALSE unilateralUnlock FALSE")
    low, high = docks(sim)
    low.lock()
    sim.step(2)
    assert low.peer is None
    high.lock()
    sim.step(2)
    assert low.peer is high
    low.unlock()
    sim.step(2)
    assert low.peer is high and not low.is_locked
    high.unlock()
    sim.step(2)
    assert low.peer is None


def test_the_nearest_of_several_is_taken() -> None:
    text = module("low", 0.0, "up") + module("far", 0.108, "down") + module("near", 0.103, "down")
    sim = world(text)
    sim.robot("low")["dock"].lock()
    sim.step()
    assert sim.robot("low")["dock"].peer.robot_name == "near"


def test_nothing_is_made_where_nothing_moves() -> None:
    sim = world(module("low", 0.0, "up", mass=0.0) + module("high", 0.1, "down", mass=0.0))
    low = sim.robot("low")["dock"]
    low.lock()
    sim.step(2)
    assert (low.value, low.peer) == (1, None)


@pytest.mark.parametrize("rotations", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("angle", [0.0, 0.1, -0.25, 2.0, 3.1])
def test_a_snap_turns_to_the_nearest_allowed_rotation(rotations: int, angle: float) -> None:
    turn = rotation_from_axis_angle((0.0, 0.0, 1.0, angle))
    tilt = rotation_from_axis_angle((0.0, 1.0, 0.0, 0.15))
    start = Pose((0.01, 0.0, 0.002), multiply(tilt, multiply(turn, FACING)))
    r = snapped(start, rotations).rotation
    assert snapped(start, rotations).position == (0.0, 0.0, 0.0)
    assert r[8] == pytest.approx(-1.0)
    found = math.atan2(-r[1], r[4])
    step = 2.0 * math.pi / rotations
    assert math.remainder(found, step) == pytest.approx(0.0, abs=1e-9)
    assert abs(math.remainder(found - (angle + math.pi), 2.0 * math.pi)) <= 0.5 * step + 0.02


def test_with_no_rotations_any_is_free_and_kept() -> None:
    start = Pose((0.0, 0.0, 0.0), multiply(rotation_from_axis_angle((0.0, 0.0, 1.0, 0.7)), FACING))
    assert snapped(start, 0).rotation == pytest.approx(start.rotation)
    assert is_in_position(start, AlignmentTolerances(0.01, 0.2, 0.2, 0))
    assert not is_in_position(start, AlignmentTolerances(0.01, 0.2, 0.2, 4))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("distanceTolerance -1", "Connector.distanceTolerance"),
        ("axisTolerance 4", "Connector.axisTolerance"),
        ("rotationTolerance -0.1", "Connector.rotationTolerance"),
        ("numberOfRotations -1", "Connector.numberOfRotations"),
        ("tensileStrength -2", "Connector.tensileStrength"),
        ("shearStrength -0.5", "Connector.shearStrength"),
        ('type "passive" isLocked TRUE', "Connector.isLocked"),
    ],
)
def test_values_that_are_not_possible_are_refused(fields: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        pair(fields)


def plain(module_text: str) -> str:
    """The same module as a Solid that is no robot."""
    return module_text.replace("Robot {", "Solid {")


def test_a_robot_docks_to_a_connector_of_a_plain_solid() -> None:
    """In Webots all connectors of a world can dock, whatever node they are in (WbConnector.cpp)."""
    text = module("low", 0.0, "up", 'type "active"') + plain(module("high", 0.105, "down", 'type "passive"'))
    sim = world(text)
    low = sim.robot("low")["dock"]
    sim.step()
    assert low.value == 1 and low.peer is None
    low.lock()
    sim.run(1.0)
    assert low.peer is not None and low.peer.robot_name == ""
    snapshot = sim.snapshot()
    low.unlock()
    sim.step()
    assert low.peer is None
    sim.restore(snapshot)
    assert low.peer is not None
    sim.reset()
    assert low.peer is None and low.value is None
    low.lock()
    sim.run(0.1)
    assert low.peer is not None


def test_plain_solids_hold_on_to_each_other_as_their_fields_say() -> None:
    """`isLocked` attaches a peer in position at the start; without it the lower one falls."""
    for fields, falls in (("isLocked TRUE", False), ("", True)):
        text = module("high", 0.1, "down", fields, mass=0.0) + module("low", 0.0, "up")
        sim = world(plain(text) + 'Robot { name "r" controller "void" children GPS { } }', "")
        low = sim.scene.nodes[-2]
        sim.run(0.2)
        down = -sim.physics.frame(low.id).pose().position[2]
        assert down == pytest.approx(0.5 * G * 0.2**2 if falls else 0.0, abs=3e-3)


def test_connectors_of_plain_solids_come_and_go() -> None:
    sim = world(module("low", 0.0, "up"))
    low = sim.robot("low")["dock"]
    sim.step()
    assert low.value == 0
    sim.supervisor.import_text("DEF HIGH " + plain(module("high", 0.105, "down")))
    sim.step()
    assert low.value == 1
    low.lock()
    sim.step(2)
    assert low.peer is not None
    sim.supervisor.remove("HIGH")
    sim.step(2)
    assert low.value == 0 and low.peer is None


@pytest.mark.parametrize("where", ["children", "written as USE"])
def test_a_connector_of_a_plain_solid_follows_edits_of_its_fields(where: str) -> None:
    """Connectors of two models cannot dock; a copy made by USE changes with the node it copies."""
    high = plain(module("high", 0.105, "down", 'model "b"')).replace("Connector {", "DEF PLUG Connector {")
    if where == "written as USE":
        far = f"Pose {{ translation 9 9 9 children DEF HIGH {high} }}"
        high = f"{far} Pose {{ children USE HIGH }}"
    sim = world(module("low", 0.0, "up", 'model "a"') + high)
    low = sim.robot("low")["dock"]
    sim.step()
    assert low.value == 0
    plug = next(node for node in sim.scene.walk() if node.def_name == "PLUG")
    sim.supervisor.set(plug, "model", "a")
    sim.step()
    assert low.value == 1


def test_a_supervisor_sees_and_moves_the_latch() -> None:
    """`isLocked` is the state of the latch; set as a field it closes alone, and `autoLock` attaches
    (Webots)."""
    sim = pair("autoLock TRUE")
    low, _ = docks(sim)
    node = low.spec.id
    connector = next(each for each in sim.scene.walk() if each.id == node)
    sim.step(2)
    assert low.peer is None and sim.supervisor.get(connector, "isLocked") is False
    sim.supervisor.set(connector, "isLocked", True)
    sim.step(2)
    assert low.peer is not None and sim.supervisor.get(connector, "isLocked") is True
    sim.supervisor.set(connector, "isLocked", False)
    sim.step(2)
    assert low.peer is not None and not low.is_locked
    low.unlock()
    sim.step()
    assert low.peer is None
