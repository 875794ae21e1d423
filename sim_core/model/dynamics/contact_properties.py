"""ContactProperties nodes: friction, bounce and softness of pairs of materials."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Vec3
from sim_core.scene.node import Node

_EMPTY = {"coulombFriction": [1.0], "forceDependentSlip": [0.0]}
"""Meaning of empty lists."""
LEGACY_FIELDS = ("coulombFriction", "bounce", "bounceVelocity", "forceDependentSlip")
ENDLESS = 1e9
"""Coefficient for infinite friction, written as -1 in files."""
Legacy = tuple[float, ...]


class ContactProperties(NamedTuple):
    """Contact properties of a pair of materials.

    Attributes:
        material1, material2: the materials, in either order.
        friction: 1 to 4 coefficients; ENDLESS: no sliding.
        turns: frictionRotation, rad, of each side.
        slip: forceDependentSlip, 1 to 4 values, m/(N·s).
        bounce: restitution; bounce_velocity: approach speed above which it applies, m/s.
        has_bounce: True if the restitution is given.
        rolling: lever arms of rolling friction, m: about direction 1, direction 2, the normal.
        softness: ERP and CFM; has_softness: True if one of them is given.
        most: largest number of contacts between two shapes; 0: they do not collide.
        direction: first friction direction of material1 in the axes of its shapes, of any length; zero: given
            by the shapes.
    """

    material1: str
    material2: str
    friction: tuple[float, ...]
    turns: tuple[float, float]
    slip: tuple[float, ...]
    bounce: float
    bounce_velocity: float
    has_bounce: bool
    rolling: Vec3
    softness: tuple[float, float]
    has_softness: bool
    most: int
    direction: Vec3 = ZERO


def contact_properties(node: Node) -> ContactProperties:
    """Return the record of a ContactProperties node.

    Raises:
        SceneError: a value is impossible.
    """
    _check(node)
    rolling = node["rollingFriction"]
    return ContactProperties(
        node["material1"],
        node["material2"],
        tuple(finite_friction(mu) for mu in node["coulombFriction"]) or (1.0,),
        node["frictionRotation"],
        tuple(node["forceDependentSlip"]) or (0.0,),
        node["bounce"],
        node["bounceVelocity"],
        node.is_set("bounce"),
        (finite_friction(rolling[0]), finite_friction(rolling[1]), finite_friction(rolling[2])),
        (node["softERP"], node["softCFM"]),
        node.is_set("softERP") or node.is_set("softCFM"),
        max(1, node["maxContactJoints"]) if node["collides"] else 0,
        node["frictionDirection"],
    )


def legacy_fields(physics: Node | None) -> Legacy | None:
    """Return the contact fields of a Physics node in the order of LEGACY_FIELDS; None: a file of today
    without any."""
    if physics is None or not (physics.axes.is_old or any(map(physics.is_set, LEGACY_FIELDS))):
        return None
    values = [physics[field] or _EMPTY.get(field, 0.0) for field in LEGACY_FIELDS]
    return tuple(value[0] if isinstance(value, list) else value for value in values)


def finite_friction(mu: float) -> float:
    """Return a coefficient of friction as a finite number."""
    return ENDLESS if mu < 0.0 else mu


def _check(node: Node) -> None:
    for field in ("coulombFriction", "forceDependentSlip"):
        if len(node[field]) > 4:
            found = f"ContactProperties.{field} with {len(node[field])} values"
            raise SceneError(*node.source, found, "1 to 4 values")
        for value in node[field]:
            if not (value >= 0.0 or (value == -1.0 and field == "coulombFriction")):
                expected = (
                    "0 or more, or -1 for endless friction" if field == "coulombFriction" else "0 or more"
                )
                raise SceneError(*node.source, f"ContactProperties.{field} {value:g}", expected)
    for value in node["rollingFriction"]:
        if not (value >= 0.0 or value == -1.0):
            expected = "0 or more, or -1 for endless friction"
            raise SceneError(*node.source, f"ContactProperties.rollingFriction {value:g}", expected)
    if not all(abs(angle) < 1e6 for angle in node["frictionRotation"]):
        found = f"ContactProperties.frictionRotation {node['frictionRotation']}"
        raise SceneError(*node.source, found, "finite angles")
    for field, most in (("bounce", 1.0), ("bounceVelocity", 1e9), ("softERP", 1.0), ("softCFM", 1e9)):
        if not 0.0 <= node[field] <= most:
            expected = f"0 to {most:g}" if most == 1.0 else "0 or more"
            raise SceneError(*node.source, f"ContactProperties.{field} {node[field]:g}", expected)


DEFAULT_PROPERTIES = contact_properties(Node.create("ContactProperties"))
"""Default contact properties."""
LEGACY_DEFAULTS: Legacy = (1.0, 0.5, 0.01, 0.0)
"""Values of `legacy_fields` for a Physics node without any."""
