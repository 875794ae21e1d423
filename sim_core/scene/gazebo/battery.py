"""LinearBatteryPlugin of gz-sim, as the battery of a robot."""

from __future__ import annotations

from sim_core.scene.gazebo.found import LAYOUT, Names, PluginsFound
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag

SECONDS_PER_HOUR = 3600.0


def linear_battery(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Set the charge at the plugin's voltage, drawn by `power_load` alone, from the start on.

    Raises:
        SceneError: a number is invalid or negative.
    """
    for name in ("fix_issue_225", "open_circuit_voltage_constant_coef"):
        plugin.all(name)
    plugin.expect("start_draining", "true", 1.0)
    voltage = plugin.number("voltage", 0.0, low=0.0)
    capacity = plugin.number("capacity", 0.0, low=0.0)
    charge = plugin.number("initial_charge", capacity, low=0.0)
    if not voltage or not capacity:
        plugin.ignore()
        return
    joules = SECONDS_PER_HOUR * voltage
    found.robot["battery"] = [min(charge, capacity) * joules, capacity * joules, 0.0]
    found.robot["cpuConsumption"] = plugin.number("power_load", 0.0, low=0.0)
    found.add_parameter("", "battery_voltage", voltage, plugin.source)
    topic = absolute(f"model/{{robot}}/battery/{plugin.word('battery_name') or 'battery'}/state")
    found.add_parameter("", "battery_topic", topic, plugin.source, LAYOUT)
