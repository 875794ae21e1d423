"""Relations that fields of a node must satisfy, and the values that Webots uses otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sim_core.base.geometry import Vec3, is_possible_inertia
from sim_core.scene.node import Node

Relation = Callable[[Node], "Iterator[Correction]"]
ANGLE = 0.7854
"""Field of view in rad that Webots uses instead of an invalid one."""
STATIC_ENVIRONMENT = "<static environment>"
"""SolidReference.solidName that means the static environment."""
IDENTITY: list[Vec3] = [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0)]


class Correction(NamedTuple):
    """A field, the replacement of its value, and the expected values."""

    field: str
    value: Any
    expected: str


def _stops(node: Node) -> Iterator[Correction]:
    """Correct stops: ODE has no stops if the lower one is above the upper one."""
    if node.has_field("minStop") and node["minStop"] > node["maxStop"]:
        yield Correction("minStop", 0.0, f"no more than maxStop, {node['maxStop']:g}; the joint has no stops")
        if node["maxStop"] != 0.0:
            yield Correction("maxStop", 0.0, "no less than minStop; the joint has no stops")


def _motor_positions(node: Node) -> Iterator[Correction]:
    """Correct limits: each one is moved to the position of the joint."""
    low, high = node["minPosition"], node["maxPosition"]
    if low <= high:
        return
    here = _position(node)
    if high < here:
        yield Correction("maxPosition", here, f"no less than minPosition, {low:g}")
    if low > here:
        yield Correction("minPosition", here, f"no more than maxPosition, {high:g}")


def _position(motor: Node) -> float:
    """Return the position of the axis of a motor or a Servo."""
    if motor.has_field("position"):
        return float(motor["position"])
    name = "jointParameters" + str(motor.parent_field).removeprefix("device")
    joint = motor.parent
    parameters = joint[name] if joint is not None and joint.has_field(name) else None
    return float(parameters["position"]) if parameters is not None else 0.0


def _gains(node: Node) -> Iterator[Correction]:
    p, i, d = node["controlPID"]
    if p <= 0.0 or i < 0.0 or d < 0.0:
        pid = (p if p > 0.0 else 10.0, max(i, 0.0), max(d, 0.0))
        yield Correction("controlPID", pid, "P above 0, I and D of 0 or more")


def _planar(node: Node) -> Iterator[Correction]:
    """Correct the angle of a planar projection, which must be less than π."""
    if not _is_planar(node):
        return
    fields = ("fieldOfView", "verticalFieldOfView")[: 2 if node.type_name == "Lidar" else 1]
    for field in fields:
        if node[field] >= math.pi:
            yield Correction(field, ANGLE, "an angle below π for a planar projection")


def _is_planar(node: Node) -> bool:
    if node.is_set("spherical") and not node.is_set("projection"):
        return not node["spherical"]
    return bool(node["projection"] == "planar")


def _camera_far(node: Node) -> Iterator[Correction]:
    far, near = node["far"], node["near"]
    if 0.0 < far <= near:
        yield Correction("far", near + 1.0, f"more than near, {near:g}, or 0 for no limit")


def _recognition_range(node: Node) -> Iterator[Correction]:
    camera = node.parent
    if camera is not None and camera.has_field("near") and node["maxRange"] <= camera["near"]:
        yield Correction(
            "maxRange", camera["near"] + 100.0, f"more than near of the camera, {camera['near']:g}"
        )


def _zoom(node: Node) -> Iterator[Correction]:
    camera = node.parent
    planar = camera is not None and camera.has_field("projection") and _is_planar(camera)
    most = math.pi - 1e-3 if planar else 2.0 * math.pi + 1e-4
    low, high = node["minFieldOfView"], node["maxFieldOfView"]
    if high > most:
        yield Correction("maxFieldOfView", high := most, "an angle that the projection can have")
    if low > high:
        yield Correction("minFieldOfView", max(high, 0.0), f"no more than maxFieldOfView, {high:g}")
    if high < 0.0:
        yield Correction("maxFieldOfView", 0.1, "no less than minFieldOfView")


def _focus(node: Node) -> Iterator[Correction]:
    if node["minFocalDistance"] > (high := node["maxFocalDistance"]):
        yield Correction("minFocalDistance", high, f"no more than maxFocalDistance, {high:g}")


def _ranges(node: Node) -> Iterator[Correction]:
    """Correct near ≤ minRange < maxRange, in the order of Webots."""
    low, high = node["minRange"], node["maxRange"]
    if node.has_field("near") and node["near"] > low:
        yield Correction("near", low, f"no more than minRange, {low:g}")
    if high > low:
        return
    if node.type_name != "Lidar" and high != 0.0:
        yield Correction("minRange", low := max(high - 1.0, 0.0), f"less than maxRange, {high:g}")
        if node.has_field("near") and node["near"] > low:
            low = node["near"]
    if high <= low:
        yield Correction("maxRange", low + 1.0, f"more than minRange, {low:g}")


def _frequencies(node: Node) -> Iterator[Correction]:
    low, high, default = node["minFrequency"], node["maxFrequency"], node["defaultFrequency"]
    if high <= 0.0:
        yield Correction("maxFrequency", high := low, "a number above 0")
    if low > high:
        yield Correction("minFrequency", low := high, f"no more than maxFrequency, {high:g}")
    if not low <= default <= high:
        nearest = min(max(default, low), high)
        yield Correction("defaultFrequency", nearest, f"a number from {low:g} to {high:g}")


def _speeds(node: Node) -> Iterator[Correction]:
    low, high = node["minRadialSpeed"], node["maxRadialSpeed"]
    if low >= high and (low or high):
        yield Correction("maxRadialSpeed", low + 1.0, f"more than minRadialSpeed, {low:g}, or both 0")


def _emitter_range(node: Node) -> Iterator[Correction]:
    most = node["maxRange"]
    if most != -1.0 and node["range"] > most:
        yield Correction("range", most, f"no more than maxRange, {most:g}")


def _end_point(node: Node) -> Iterator[Correction]:
    """Correct an end point that refers to no solid: there is none."""
    end: Node | None = node["endPoint"]
    if end is None or end.type_name != "SolidReference" or (name := end["solidName"]) == STATIC_ENVIRONMENT:
        return
    top = [node, *node.ancestors()][-1]
    if not any(each.is_a("Solid") and each["name"] == name for each in top.walk()):
        yield Correction("endPoint", None, f'the name of a Solid in the same tree, which "{name}" is not')


def _channel(node: Node) -> Iterator[Correction]:
    allowed = node["allowedChannels"]
    if allowed and node["channel"] not in allowed:
        yield Correction("channel", allowed[0], "one of allowedChannels")


def _lookup_table(node: Node) -> Iterator[Correction]:
    rows: list[Vec3] = node["lookupTable"] if node.has_field("lookupTable") else []
    wanted = sorted(((x, y, max(noise, 0.0)) for x, y, noise in rows), key=lambda row: row[0])
    if wanted and node.type_name == "DistanceSensor" and wanted[-1][0] <= 0.0:
        wanted.append((0.001, *wanted[-1][1:]))
    if wanted != rows:
        expected = "rows with inputs in increasing order and noise of 0 or more"
        if node.type_name == "DistanceSensor":
            expected += ", the last input above 0 m"
        yield Correction("lookupTable", wanted, expected)


def _locked(node: Node) -> Iterator[Correction]:
    if node["type"] == "passive" and node["isLocked"]:
        yield Correction("isLocked", False, "FALSE: a passive connector cannot lock")


def _gradual(node: Node) -> Iterator[Correction]:
    if node["gradual"] and len(colours := node["color"]) > 1:
        yield Correction("color", colours[:1], "one colour, or none for an LED of any colour")


def _friction(node: Node) -> Iterator[Correction]:
    for field in ("coulombFriction", "forceDependentSlip"):
        if len(node[field]) > 4:
            yield Correction(field, node[field][:4], "1 to 4 values")


def _mass(node: Node) -> Iterator[Correction]:
    """Correct mass and inertia: an invalid matrix becomes the identity, a missing mass 1 kg."""
    if len(node["centerOfMass"]) > 1:
        yield Correction("centerOfMass", node["centerOfMass"][:1], "one vector, or none")
    rows = node["inertiaMatrix"]
    if not rows:
        return
    wanted = [*rows[:2], *[(0.0, 0.0, 0.0)] * (2 - len(rows))]
    (xx, yy, zz), (xy, xz, yz) = wanted
    has_mass = node["mass"] > 0.0
    if not has_mass or not is_possible_inertia((xx, xy, xz, xy, yy, yz, xz, yz, zz)):
        wanted = IDENTITY
    if wanted != rows:
        expected = "two vectors of a positive definite matrix, [Ixx Iyy Izz, Ixy Ixz Iyz], and a mass"
        yield Correction("inertiaMatrix", list(wanted), expected)
    if not has_mass:
        yield Correction("mass", 1.0, "a mass above 0 beside an inertiaMatrix")


def _battery(node: Node) -> Iterator[Correction]:
    values = node["battery"]
    if values and (len(values) not in (2, 3) or min(values) < 0.0 or values[1] == 0.0):
        expected = "energy in J, capacity in J above 0, and charging power in W, or nothing"
        yield Correction("battery", [], expected)


def _heights(node: Node) -> Iterator[Correction]:
    """Correct the number of heights: missing ones are 0, excess ones are ignored."""
    count = max(node["xDimension"], 0) * max(node["yDimension"], 0)
    if not node.axes.is_old and node["height"] and len(node["height"]) > count:
        yield Correction("height", node["height"][:count], f"{count} numbers, xDimension × yDimension")


RELATIONS: tuple[tuple[str, Relation], ...] = (
    ("Camera", _planar),
    ("Camera", _camera_far),
    ("Charger", _battery),
    ("Connector", _locked),
    ("ContactProperties", _friction),
    ("Device", _lookup_table),
    ("ElevationGrid", _heights),
    ("Emitter", _channel),
    ("Emitter", _emitter_range),
    ("Focus", _focus),
    ("Joint", _end_point),
    ("JointParameters", _stops),
    ("LED", _gradual),
    ("Lidar", _frequencies),
    ("Lidar", _planar),
    ("Lidar", _ranges),
    ("Motor", _gains),
    ("Motor", _motor_positions),
    ("Physics", _mass),
    ("Radar", _ranges),
    ("Radar", _speeds),
    ("RangeFinder", _planar),
    ("RangeFinder", _ranges),
    ("Receiver", _channel),
    ("Recognition", _recognition_range),
    ("Robot", _battery),
    ("Servo", _motor_positions),
    ("Servo", _stops),
    ("Zoom", _zoom),
)
"""By node type, in the order of evaluation."""
