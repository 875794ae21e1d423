import pytest

from sim_core.base.errors import DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Charger { translation 1 0 0 battery [ CHARGER ] radius 0.2 }
"""
ROBOT = """DifferentialWheels {{ name "{name}" translation {x} {y} 0 controller "void" battery [ {battery} ]
  cpuConsumption {cpu} axleLength 0.4 wheelRadius 0.1 slipNoise 0 maxAcceleration 1e5 maxSpeed 100 }}
"""


def robot(name: str = "r", x: float = 0.0, y: float = 0.0, battery: str = "5 10 2", cpu: float = 0.0) -> str:
    return ROBOT.format(name=name, x=x, y=y, battery=battery, cpu=cpu)


def simulation(*robots: str, charger: str = "20 30 1") -> Simulation:
    return Simulation(parse_scene(WORLD.replace("CHARGER", charger) + "".join(robots), "w.wbt"))


def test_a_robot_docks_charges_and_leaves_and_no_energy_is_lost() -> None:
    """0.5 m/s from 0 to the charger at 1 m: within 0.2 m from t = 1.6 s on, released past 1.22 m."""
    sim = simulation(robot(cpu=0.5))
    charger, one = sim.chargers[0], sim.robot("r")
    one.drive.set_twist(0.5, 0.0)
    sim.run(1.59)
    assert charger.robot is None
    assert charger.energy == pytest.approx(20.0 + 1.59 * 1.0)
    assert one.battery.energy == pytest.approx(5.0 - 1.59 * 0.5)
    sim.step(2)
    assert charger.robot == one.name
    sim.step(38)
    one.drive.stop()  # on the charger
    before = charger.energy, one.battery.energy
    sim.run(1.0)
    assert one.frame.pose().position[0] == pytest.approx(1.0, abs=0.01)
    assert before[0] - charger.energy == pytest.approx(2.0)  # the robot's own charging power
    assert one.battery.energy - before[1] == pytest.approx(2.0 - 0.5)
    one.drive.set_twist(0.5, 0.0)
    sim.run(0.43)
    assert charger.robot == one.name
    sim.run(0.03)
    assert charger.robot is None
    left = charger.energy
    sim.run(1.0)
    assert charger.energy == pytest.approx(left + 1.0)


def test_the_charger_loses_exactly_what_the_robot_gains() -> None:
    sim = simulation(robot(x=1.0))
    total = sim.chargers[0].energy + sim.robot("r").battery.energy
    sim.run(2.0)
    assert sim.robot("r").battery.energy == pytest.approx(9.0)
    assert sim.chargers[0].energy + sim.robot("r").battery.energy == pytest.approx(total, abs=1e-12)
    sim.run(2.0)
    assert sim.robot("r").battery.energy == 10.0  # full
    assert sim.chargers[0].energy == pytest.approx(15.0)


def test_a_robot_takes_no_more_than_the_charger_has() -> None:
    sim = simulation(robot(x=1.0), charger="0.5 30 1")
    sim.run(1.0)
    assert sim.chargers[0].energy == 0.0
    assert sim.robot("r").battery.energy == pytest.approx(5.5)


def test_a_charger_collects_until_it_is_full() -> None:
    sim = simulation(charger="29 30 2")
    sim.run(0.25)
    assert sim.chargers[0].energy == pytest.approx(29.5)
    sim.run(1.0)
    assert (sim.chargers[0].energy, sim.chargers[0].level) == (30.0, 1.0)


def test_one_robot_at_a_time_the_first_in_the_file() -> None:
    sim = simulation(robot("a", 1.0), robot("b", 1.1))
    sim.run(0.5)
    assert sim.robot("a").battery.energy == pytest.approx(6.0)
    assert sim.robot("b").battery.energy == 5.0
    sim.robot("a").drive.set_twist(1.0, 0.0)
    sim.run(0.5)
    assert sim.chargers[0].robot == "b"


def test_an_empty_robot_on_the_charger_works_again() -> None:
    sim = simulation(robot(x=1.0, battery="0 10 2", cpu=1.0))
    one = sim.robot("r")
    one.drive.set_twist(0.1, 0.0)
    assert not one.is_on
    sim.step()
    assert not one.is_on
    sim.step()
    assert one.is_on
    sim.step()
    assert one.frame.pose().position[0] > 1.0


@pytest.mark.parametrize(("gradual", "colours"), [("TRUE", (0.1, 0.2)), ("FALSE", (0.0, 0.2))])
def test_the_indicator_glows_as_far_as_it_is_full(gradual: str, colours: tuple[float, float]) -> None:
    world = WORLD.replace("CHARGER", "10 20 10").replace("radius", f"gradual {gradual} radius")
    child = "emissiveColor 0 0.2 1 children Shape { appearance PBRAppearance { } geometry Sphere { } } radius"
    sim = Simulation(parse_scene(world.replace("radius", child), "w.wbt"))
    charger = sim.chargers[0]
    assert charger.appearances == [node.id for node in sim.scene.walk() if node.type_name == "PBRAppearance"]
    assert charger.colour[1] == pytest.approx(colours[0])
    sim.run(1.1)
    assert charger.colour == (0.0, pytest.approx(colours[1]), 1.0)


def test_a_reset_restores_the_energy() -> None:
    sim = simulation(robot(x=1.0))
    sim.run(1.0)
    sim.reset()
    assert sim.chargers[0].energy == 20.0 and sim.chargers[0].robot is None
    assert sim.robot("r").battery.energy == 5.0


def test_chargers_without_values_do_nothing_and_wrong_ones_are_refused() -> None:
    assert simulation(robot(x=1.0), charger="").chargers == []
    with pytest.raises(DeviceError, match=r"w\.wbt:3:1: Charger\.battery: found \[1\.0\]"):
        simulation(charger="1")
    with pytest.raises(DeviceError, match=r"Charger\.radius: found -1"):
        Simulation(parse_scene(WORLD.replace("CHARGER", "1 1 1").replace("0.2", "-1"), "w.wbt"))
