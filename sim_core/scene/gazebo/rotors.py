"""MulticopterMotorModel and Thruster of gz-sim, and motor_model of Classic, as Propeller."""

from __future__ import annotations

import math

from sim_core.scene.gazebo.found import LAYOUT, STRONGEST, Names, PluginsFound, Rotor
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag, names_in

SUFFIX = "_rotor"
"""Suffix of the name of the joint for the motor that is commanded with the speed of the rotor."""
MAX_NUMBER = 64
"""Highest number of a rotor."""
MAX_DIAMETER = 1e3
"""Largest diameter of a propeller in m."""
MAX_THRUST = 1e9
"""Thrust coefficient in N·s² from which on a propeller is ignored."""
DIRECTIONS = {"ccw": 1.0, "cw": -1.0}


def multicopter_motor(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a rotor; its joint turns visibly, slower by the factor `rotorVelocitySlowdownSim`.

    Raises:
        SceneError: a number is invalid.
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
    found.rotors[min(MAX_NUMBER, round(number))] = rotor
    found.add_motor(
        names[0],
        maxTorque=STRONGEST,
        maxVelocity=fastest * abs(visible),
        coupling=names[0],
        multiplier=visible,
    )
    topic = plugin.word("commandSubTopic") or "command/motor_speed"
    found.add_parameter("", "motor_speeds_topic", absolute(f"{{robot}}/{topic}"), plugin.source)


def thruster(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read a propeller in water, commanded with its thrust T = ρ·k·D⁴·ω|ω| in N, along its joint's axis.

    Its motor reaches the commanded speed immediately, as with gz-sim's option `velocity_control`; without the
    option the force is the same.

    Raises:
        SceneError: a number is invalid.
    """
    names = names_in(plugin.all("joint_name")[:1], joints)
    density = plugin.number("fluid_density", 1000.0)
    diameter = min(MAX_DIAMETER, abs(plugin.number("propeller_diameter", 0.02)))
    constant = abs(density * plugin.number("thrust_coefficient", 1.0)) * diameter**4
    most = plugin.number("max_thrust_cmd", 1000.0)
    if not names or not 0.0 < constant < MAX_THRUST:
        plugin.ignore()
        return
    for name in ("velocity_control", "p_gain", "i_gain", "d_gain", "wake_fraction", "deadband"):
        plugin.all(name)
    plugin.expect("min_thrust_cmd", -most)
    (joint,) = names
    fastest = math.sqrt(abs(most) / constant)
    fields = {"maxVelocity": fastest, "maxTorque": STRONGEST, "coupling": joint}
    found.thrusters.append(Rotor(joint, constant, 0.0, fields, plugin.source, is_along_joint=True))
    found.add_motor(joint, **fields)
    space = plugin.word("namespace")
    space, motor = f"model/{space or '{robot}'}", joint + SUFFIX
    setting, end = "thrust_topic", "cmd_thrust"
    if plugin.flag("use_angvel_cmd"):
        setting, end = "velocity_topic", "cmd_vel"
    else:
        found.add_parameter(motor, "thrust_constant", constant, plugin.source)
    if written := plugin.word("topic"):
        found.add_parameter(
            motor, setting, absolute(f"{space.removeprefix('model/')}/{written}"), plugin.source
        )
    found.add_parameter(motor, setting, absolute(f"{space}/joint/{joint}/{end}"), plugin.source, LAYOUT)


def command_rotors(found: PluginsFound) -> None:
    """Command all rotors by one topic, each by its number among them."""
    if found.rotors:
        names = [
            f"{found.rotors[number].joint}{SUFFIX}" if number in found.rotors else ""
            for number in range(max(found.rotors) + 1)
        ]
        found.add_parameter("", "motor_speeds", names, next(iter(found.rotors.values())).source)
