"""Controllers of ros2_control, from the parameter files of its controller manager.

Names, defaults and meanings of the parameters are those of ros2_controllers; parameters without effect here
are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ros_bridge.topics.names import robot_names
from sim_core.base.errors import ConfigError
from sim_core.base.settings import Rule

MANAGER = "controller_manager"
PREFIX = "controllers"
"""First part of the names of their parameters here, followed by the controller's name."""
TRAJECTORY = "joint_trajectory_controller/JointTrajectoryController"
DIFF_DRIVE = "diff_drive_controller/DiffDriveController"
JOINT_STATES = "joint_state_broadcaster/JointStateBroadcaster"
FORWARD = "forward_command_controller/ForwardCommandController"
GROUPS = {
    "position_controllers/JointGroupPositionController": "position",
    "velocity_controllers/JointGroupVelocityController": "velocity",
    "effort_controllers/JointGroupEffortController": "effort",
}
INTERFACES = ("position", "velocity", "effort")

_JOINTS = {"joints": Rule(list, None, "names of motors")}
_RATE = {"update_rate": Rule(int, 100, "Hz, of the controller manager", 1)}
_LIMITS = {
    f"{axis}.{name}": rule
    for axis in ("linear.x", "angular.z")
    for name, rule in {
        "has_velocity_limits": Rule(bool, True, "whether there are limits"),
        "max_velocity": Rule(float, math.nan, "m/s or rad/s"),
        "min_velocity": Rule(float, math.nan, "m/s or rad/s; without it -max_velocity"),
        "max_acceleration": Rule(float, math.nan, "m/s² or rad/s²"),
        "max_deceleration": Rule(float, math.nan, "m/s² or rad/s², below 0; without it -max_acceleration"),
        "max_jerk": Rule(float, math.nan, "m/s³ or rad/s³"),
        "min_jerk": Rule(float, math.nan, "m/s³ or rad/s³; without it -max_jerk"),
    }.items()
}
RULES: dict[str, dict[str, Rule]] = {
    TRAJECTORY: _JOINTS
    | _RATE
    | {
        "command_interfaces": Rule(list, None, "position"),
        "allow_partial_joints_goal": Rule(bool, False, "whether a trajectory may leave joints out"),
        "allow_nonzero_velocity_at_trajectory_end": Rule(bool, False, "whether it may end in motion"),
        "action_monitor_rate": Rule(float, 20.0, "Hz of sim time, of the feedback of goals", 0.1),
        "constraints.goal_time": Rule(
            float, 0.0, "s after the end in which the goal is reached; 0: any", 0.0
        ),
        "constraints.stopped_velocity_tolerance": Rule(float, 0.01, "rad/s or m/s at the goal", 0.0),
    },
    DIFF_DRIVE: {
        "left_wheel_names": Rule(list, None, "names of motors"),
        "right_wheel_names": Rule(list, None, "names of motors"),
        "wheel_separation": Rule(float, 0.0, "m"),
        "wheel_radius": Rule(float, 0.0, "m"),
        "wheel_separation_multiplier": Rule(float, 1.0, "of the separation"),
        "left_wheel_radius_multiplier": Rule(float, 1.0, "of the radius"),
        "odom_frame_id": Rule(str, "odom", "frame of the odometry"),
        "base_frame_id": Rule(str, "base_link", "its child frame"),
        "tf_frame_prefix_enable": Rule(bool, True, "whether a prefix and a slash precede both frames"),
        "tf_frame_prefix": Rule(str, "", "the prefix; empty: the namespace of the manager"),
        "use_stamped_vel": Rule(bool, True, "TwistStamped on ~/cmd_vel, else Twist on ~/cmd_vel_unstamped"),
        "cmd_vel_timeout": Rule(float, 0.5, "s of sim time after which it stops; 0: never", 0.0),
        "publish_rate": Rule(float, 50.0, "Hz of sim time, of the odometry", 0.1),
    }
    | _LIMITS,
    JOINT_STATES: _RATE | {"extra_joints": Rule(list, [], "joints that stand at 0")},
    FORWARD: _JOINTS
    | {"interface_name": Rule(str, None, "position, velocity or effort", choices=INTERFACES)},
    **dict.fromkeys(GROUPS, _JOINTS),
}
"""The supported types with the parameters that have an effect; `rule_of` adds those of joints."""
_CONSTRAINTS = "constraints."
_OF_JOINT = {
    "trajectory": Rule(float, 0.0, "rad or m that the joint may be off its path; 0: any", 0.0),
    "goal": Rule(float, 0.0, "rad or m that it may be off the goal; 0: any", 0.0),
}


class FoundParameter(NamedTuple):
    """A parameter of a controller, and its position in a file."""

    controller: str
    name: str
    value: Any
    where: str


@dataclass(frozen=True)
class Controller:
    """A controller of ros2_control.

    Attributes:
        name: with its namespace, such as `ur5e/arm`.
        kind: its type.
        robot: robot whose joints it controls.
        values: its parameters, including defaults.
    """

    name: str
    kind: str
    robot: str
    values: Mapping[str, Any]

    @property
    def namespace(self) -> str:
        """Namespace of its manager; empty: none."""
        return self.name.rpartition("/")[0]

    @property
    def joints(self) -> tuple[str, ...]:
        """The motors it controls."""
        return _joints(self.values)

    def frame(self, name: str) -> str:
        """Return the name of a frame of a differential drive (`odom_frame_id`, `base_frame_id`)."""
        prefix = str(self.values["tf_frame_prefix"] or self.namespace).strip("/")
        used = prefix and self.values["tf_frame_prefix_enable"]
        return f"{prefix}/{self.values[name]}" if used else str(self.values[name])

    def constraint(self, joint: str, name: str) -> float:
        """Return a joint's tolerance for its `trajectory` or its `goal`: rad or m; 0: unlimited."""
        value: float = self.values.get(f"{_CONSTRAINTS}{joint}.{name}", 0.0)
        return value

    @property
    def interface(self) -> str:
        """The command interface of a group of joints."""
        return GROUPS.get(self.kind) or str(self.values["interface_name"])

    def limited(self, axis: str, velocity: float) -> float:
        """Return a finite velocity of a differential drive, clamped to its limits."""
        values = self.values
        high, low = values[f"{axis}.max_velocity"], values[f"{axis}.min_velocity"]
        if not values[f"{axis}.has_velocity_limits"] or math.isnan(high):
            return velocity
        return max(-high if math.isnan(low) else low, min(high, velocity))

    def _range(self, axis: str, what: str, lowest: str) -> tuple[float | None, float | None]:
        """Return the lowest and the highest change of a velocity; None: unlimited."""
        high, low = self.values[f"{axis}.max_{what}"], self.values[f"{axis}.{lowest}"]
        if math.isnan(high):
            return None, None
        return -high if math.isnan(low) else low, high

    @property
    def drive_settings(self) -> dict[str, Any]:
        """Settings of a differential drive, as the fields of `DriveConfig`."""
        values = self.values
        sizes = {
            "wheel_radius": values["wheel_radius"] * values["left_wheel_radius_multiplier"],
            "wheel_separation": values["wheel_separation"] * values["wheel_separation_multiplier"],
        }
        sides = {"left": values["left_wheel_names"], "right": values["right_wheel_names"]}
        limits = {
            f"{end}_{way}_{what}": value
            for way, axis in (("linear", "linear.x"), ("angular", "angular.z"))
            for what, lowest in (("acceleration", "max_deceleration"), ("jerk", "min_jerk"))
            for end, value in zip(("min", "max"), self._range(axis, what, lowest), strict=True)
        }
        return sides | {name: size for name, size in (sizes | limits).items() if size}


def in_file(nodes: Mapping[str, Iterable[tuple[tuple[str, ...], Any, str]]]) -> Iterator[FoundParameter]:
    """Yield the parameters of all controllers that the managers in a file name.

    Args:
        nodes: (path, value, position) of parameters, by node name.
    """
    rows = {name.strip("/"): list(found) for name, found in nodes.items()}
    for manager, own in rows.items():
        if manager.rpartition("/")[2] != MANAGER:
            continue
        namespace = manager.removesuffix(MANAGER)
        rate = [(value, where) for path, value, where in own if path == ("update_rate",)]
        for path, kind, where in own:
            if len(path) != 2 or path[1] != "type":
                continue
            name, kind = namespace + path[0], str(kind)
            yield FoundParameter(name, "type", kind, where)
            if rule_of(kind, "update_rate"):
                yield from (FoundParameter(name, "update_rate", *each) for each in rate)
            for keys, value, place in rows.get(name, ()):
                if rule_of(kind, ".".join(keys)):
                    yield FoundParameter(name, ".".join(keys), value, place)


def rule_of(kind: str, name: str) -> Rule | None:
    """Return the rule of a parameter of a type of controller; None: it has no effect."""
    rule = RULES.get(kind, {}).get(name)
    joint, _, last = name.removeprefix(_CONSTRAINTS).rpartition(".")
    if rule is None and kind == TRAJECTORY and name.startswith(_CONSTRAINTS) and joint:
        return _OF_JOINT.get(last)
    return rule


def controllers_of(
    found: Iterable[FoundParameter], devices: Mapping[str, Collection[str]]
) -> tuple[Controller, ...]:
    """Return the controllers, each with the robot whose joints it names.

    Args:
        found: their parameters; a later value replaces an earlier one.
        devices: device names of each robot of the world.

    Raises:
        ConfigError: a value is not allowed, no robot has the joints, or several have them.
    """
    given: dict[str, dict[str, FoundParameter]] = {}
    for each in found:
        given.setdefault(each.controller, {})[each.name] = each
    made: list[Controller] = []
    silent: list[Controller] = []
    for name, own in given.items():
        kind, place = str(own["type"].value), own["type"].where
        if kind not in RULES:
            continue  # reported by `unknown_types`
        values = {key: rule.default for key, rule in RULES[kind].items()}
        for key, each in own.items():
            rule = rule_of(kind, key)
            if rule is not None:
                values[key] = rule.check(each.value, each.where)
        controller = Controller(name, kind, "", values)
        _check(controller, place)
        if kind == JOINT_STATES:
            silent.append(controller)
        else:
            made.append(_with(controller, _owner(controller, devices, place)))
    for controller in silent:
        near = [each.robot for each in made if each.namespace == controller.namespace]
        alone = list(devices) if len(devices) == 1 else []
        spaces = robot_names(devices)
        named = [robot for robot in devices if spaces[robot] == controller.namespace]
        robots = named or alone or near
        if robots:
            made.append(_with(controller, robots[0]))
    return tuple(made)


def unknown_types(values: Iterable[tuple[tuple[str, ...], Any, str]]) -> list[str]:
    """Return a line for each controller of an unsupported type; input: (path, value, position)."""
    return [
        f'{where}: controller "{path[1]}" of type {value} is not simulated'
        for path, value, where in values
        if path[0] == PREFIX and path[2:] == ("type",) and value not in RULES
    ]


def _joints(values: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("joints", "left_wheel_names", "right_wheel_names")
    return tuple(joint for name in names for joint in values.get(name) or ())


def _check(controller: Controller, where: str) -> None:
    values, name = controller.values, controller.name
    missing = [key for key in ("joints", "left_wheel_names", "right_wheel_names") if key in values]
    for key in missing:
        if not values[key]:
            raise ConfigError(f'{where}: found controller "{name}" without {key}, expected names of joints')
    interfaces = values.get("command_interfaces")
    if controller.kind == TRAJECTORY and interfaces and "position" not in interfaces:
        found = f'command_interfaces {", ".join(interfaces)} of "{name}"'
        raise ConfigError(f"{where}: found {found}, expected position among them")
    if controller.kind == FORWARD and values["interface_name"] is None:
        raise ConfigError(f'{where}: found controller "{name}" without interface_name, expected one')


def _owner(controller: Controller, devices: Mapping[str, Collection[str]], where: str) -> str:
    """Return the robot that has all joints: the one named like the namespace, or the only one."""
    joints = controller.joints
    robots = [robot for robot, names in devices.items() if all(joint in names for joint in joints)]
    spaces = robot_names(devices)
    named = [robot for robot in robots if spaces[robot] == controller.namespace]
    if len(named or robots) == 1:
        return (named or robots)[0]
    if robots:
        found = f'joints of "{controller.name}" that the robots {", ".join(robots)} have'
        raise ConfigError(f"{where}: found {found}, expected a robot's name as namespace of its manager")
    best = max(devices.values(), key=lambda names: sum(joint in names for joint in joints), default=())
    lost = ", ".join(f'"{joint}"' for joint in joints if joint not in best)
    raise ConfigError(f'{where}: found controller "{controller.name}", expected a robot with {lost}')


def _with(controller: Controller, robot: str) -> Controller:
    return Controller(controller.name, controller.kind, robot, controller.values)
