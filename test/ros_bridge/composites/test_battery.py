import math
from types import SimpleNamespace
from typing import Any

import pytest
from obeying import obey
from sensor_msgs.msg import BatteryState
from visualization_msgs.msg import MarkerArray

from ros_bridge.composites.battery import BatteryFiller
from ros_bridge.composites.markers import MarkersFiller
from ros_bridge.interface.interface import build_topics
from ros_bridge.parameters.bridge_params import BridgeParams, RobotTopics
from ros_bridge.processes.power_watch import PowerWatch
from sim_core.base.errors import CommandError
from sim_core.scene import parse_scene
from sim_core.session.lockstep import LockStep
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Charger { translation 1 0 0 battery [ 100 100 1 ] radius 0.1 }
Robot { name "r" translation X 0 0 controller "void" battery [ E 20 5 ] cpuConsumption 2
  children [
    Gyro { name "gyro" } InertialUnit { name "unit" }
    HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { } }
  ] }
Robot { name "other" translation 0 5 0 controller "void" }
"""


def simulation(energy: str = "10", x: str = "0") -> Simulation:
    return Simulation(
        parse_scene(WORLD.replace("E 20", f"{energy} 20").replace("X 0 0", f"{x} 0 0"), "w.wbt")
    )


def filled(sim: Simulation, voltage: float | None = None) -> Any:
    battery = sim.robot("r").battery
    assert battery is not None
    fill = BatteryFiller(battery, 0.01, voltage)
    message = BatteryState()
    fill.constants(message)
    fill.fill(message, sim.time_ns)
    return message


def test_without_a_voltage_only_the_percentage_is_known() -> None:
    sim = simulation()
    sim.run(0.5)
    message = filled(sim)
    assert message.percentage == pytest.approx(9.0 / 20.0)
    for name in ("voltage", "temperature", "current", "charge", "capacity", "design_capacity"):
        assert math.isnan(getattr(message, name)), name
    assert message.present
    assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_DISCHARGING


def test_a_voltage_makes_ampere_hours_of_joules() -> None:
    """E = U·Q: 20 J at 5 V are 4 As or 4/3600 Ah; 2 W at 5 V are 0.4 A."""
    sim = simulation()
    sim.run(0.5)
    message = filled(sim, 5.0)
    assert message.voltage == 5.0
    assert message.capacity == message.design_capacity == pytest.approx(4.0 / 3600.0)
    assert message.charge == pytest.approx(9.0 / 5.0 / 3600.0)
    assert message.current == pytest.approx(-0.4)


def test_on_a_charger_it_charges_until_it_is_full() -> None:
    sim = simulation(x="1")
    sim.run(0.5)
    message = filled(sim, 5.0)
    assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_CHARGING
    assert message.current == pytest.approx((5.0 - 2.0) / 5.0)
    sim.run(4.0)
    message = filled(sim)
    assert message.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_FULL
    assert message.percentage == 1.0


def test_only_robots_with_a_battery_have_the_topic() -> None:
    params = BridgeParams(robots={"r": RobotTopics(battery_voltage=12.0)})
    topics = {item.name: item for item in build_topics(simulation(), params).publications}
    assert "/other/battery" not in topics
    message = BatteryState()
    topics["/r/battery"].constants(message)
    assert message.voltage == 12.0
    assert topics["/r/battery"].frame_id == "r/base_link"


def test_an_empty_robot_obeys_no_topic() -> None:
    sim = simulation("0.02")
    commands = {item.name: item for item in build_topics(sim, BridgeParams()).subscriptions}
    velocity = commands["/r/motor/velocity"]
    message = velocity.message_type(data=1.0)
    assert obey(sim, velocity, message) is None
    sim.step(2)
    with pytest.raises(CommandError, match="the battery of r is empty"):
        obey(sim, velocity, message)
    sim.reset()
    assert obey(sim, velocity, message) is None


def test_the_marker_of_a_charger_glows_as_it_fills() -> None:
    world = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 10 }
    Charger { battery [ 0 1 1 ] children Shape {
      appearance PBRAppearance { baseColor 1 0 0 } geometry Sphere { } } }
    """
    sim = Simulation(parse_scene(world, "w.wbt"))
    markers, message = MarkersFiller(sim), MarkerArray()
    colours = []
    for _ in range(3):
        markers.fill(message, sim.time_ns)
        (marker,) = message.markers  # in every array, for it may have changed
        colours.append((marker.color.r, marker.color.g))
        sim.run(0.5)
    for found, expected in zip(colours, [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)], strict=True):
        assert found == pytest.approx(expected)


class Controllers:
    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def end_controller(self, name: str, grace: float) -> bool:
        self.calls.append((f"end after {grace:g} s", name))
        return True

    def end_after_step(self, name: str) -> bool:
        self.calls.append(("end_controllers at the next step", name))
        return True

    def end_controllers(self, name: str) -> None:
        self.calls.append(("end_controllers", name))

    def start_again(self, name: str) -> None:
        self.calls.append(("start", name))


def test_an_empty_battery_is_said_once_and_the_controller_is_ended() -> None:
    sim, lockstep, lines, controllers = simulation("0.02"), LockStep(), [], Controllers()
    lockstep.add_robot("r", sim.step_ns)
    watch = PowerWatch(lines.append, lockstep, controllers, controllers)
    for _ in range(4):
        watch.check_power(sim.robots.values(), sim.time_ns)
        sim.step()
    assert lines == ["r: the battery is empty at 0.01 s; its devices are off; its controller was ended"]
    assert controllers.calls == [("end_controllers at the next step", "r"), ("end after 1 s", "r")]
    assert lockstep.missing(sim.time_ns) == []
    lockstep.clear_answers()
    watch.restart_controllers()
    assert controllers.calls[2:] == [("end_controllers", "r"), ("start", "r")]
    assert lockstep.missing(0) == ["r"]


def test_a_robot_with_energy_again_is_said() -> None:
    robot = SimpleNamespace(name="r", battery=SimpleNamespace(is_empty=True, emptied_ns=950_000_000))
    lines: list[str] = []
    watch = PowerWatch(lines.append, LockStep(), Controllers())
    watch.check_power([robot], 1_000_000_000)
    robot.battery.is_empty = False
    watch.check_power([robot], 2_500_000_000)
    assert lines == [
        "r: the battery is empty at 0.95 s; its devices are off",
        "r: the battery has energy again at 2.5 s; its devices are on",
    ]
