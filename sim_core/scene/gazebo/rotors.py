"""MulticopterMotorModel of gz-sim, and motor_model of Classic: a rotor that lifts, as a Propeller."""

from __future__ import annotations

from sim_core.scene.gazebo.found import STRONGEST, Names, PluginsFound, Rotor
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag, names_in

SUFFIX = "_rotor"
"""Behind the name of the joint: the motor that is told how fast the rotor turns."""
MOST = 64
"""Highest number of a rotor."""
DIRECTIONS = {"ccw": 1.0, "cw": -1.0}


def multicopter_motor(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """The joint turns visibly, `rotorVelocitySlowdownSim` times slower than the rotor is told to.

    Raises:
        SceneError: a number is none.
    """
    names = names_in(plugin.all("jointName")[:1], joints)
    if not names or plugin.word("motorType") not in ("", "velocity"):
        plugin.ignore()
        return
    for name in ("linkName", "motorSpeedPubTopic", "robotNamespace"):
        plugin.all(name)
    for name in ("rotorDragCoefficient", "rollingMomentCoefficient"):
        plugin.expect(name, 0.0)
    direction = DIRECTIONS.get(plugin.word("turningDirection").lower(), 1.0)
    visible = direction / (plugin.number("rotorVelocitySlowdownSim", 10.0) or 1.0)
    fastest = plugin.number("maxRotVelocity", 838.0, low=0.0)
    thrust = plugin.number("motorConstant", 8.54858e-6)
    number = plugin.number("actuator_number", plugin.number("motorNumber", 0.0, low=0.0), low=0.0)
    lag = plugin.number("timeConstantUp", 1.0 / 80.0), plugin.number("timeConstantDown", 1.0 / 40.0)
    rotor = Rotor(
        names[0],
        thrust,
        direction * thrust * plugin.number("momentConstant", 0.016),
        {
            "maxVelocity": fastest,
            "maxTorque": STRONGEST,
            "timeConstants": lag,
            "coupling": names[0],
        },
        plugin.source,
    )
    found.rotors[min(MOST, round(number))] = rotor
    found.drive_by(
        names[0],
        maxTorque=STRONGEST,
        maxVelocity=fastest * abs(visible),
        coupling=names[0],
        multiplier=visible,
    )
    topic = plugin.word("commandSubTopic") or "command/motor_speed"
    found.set("", "motor_speeds_topic", absolute(f"{{robot}}/{topic}"), plugin.source)


def tell_rotors(found: PluginsFound) -> None:
    """Let one topic tell all rotors, each by the number that it has among them."""
    if found.rotors:
        names = [
            f"{found.rotors[number].joint}{SUFFIX}" if number in found.rotors else ""
            for number in range(max(found.rotors) + 1)
        ]
        found.set("", "motor_speeds", names, next(iter(found.rotors.values())).source)
