"""`<surface>` of collisions as contact materials.

SDF gives each side of a contact its own numbers. Gazebo uses the smaller friction of both, the product of
their restitutions and the sum of their slips; Webots has one ContactProperties for each pair of materials. So
each distinct surface is a material, and each pair of materials has properties. If the bitmasks of both
have no bit in common, they do not collide.

Torsional friction is Gazebo Classic's: a torque about the normal of at most 3π/16·a·μ·N, with the smaller μ
of both sides and the larger radius a of the patch (SDF, torsional friction). gz-sim's engine has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from sim_core.base.geometry import ZERO, Vec3
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.node import Node
from sim_core.scene.sdf.values import finite, flag, number, vector

ENDLESS = 1e6
"""Friction coefficient that means: without sliding."""
NEVER = 1e5
"""Default of `<threshold>` in m/s, which Gazebo ignores."""
CAPTURE = 0.01
"""Approach speed in m/s below which there is no bounce."""
DEFAULT_NAME = "default"
ALL_BITS = 0xFFFF
"""The bitmask if none is given."""
TORSION = 3.0 * math.pi / 16.0
"""Factor for a patch with that radius."""


class Friction(NamedTuple):
    """Friction, slip and bounce of one side of a contact.

    Attributes:
        mu, mu2: friction along the first direction, and perpendicular to it.
        direction: the first direction in the frame of the collision; zero: none, or friction and slip are
            the same in all directions.
        turn: angle in rad by which the first direction is rotated about the normal, see `asymmetry.py`.
        slip1, slip2: slip in m/s per N.
        bounce: restitution; threshold: approach speed in m/s below which there is none.
        mask: bitmask; two sides that collide have a bit in common.
        twist: coefficient of torsional friction; patch: radius of the contact patch in m.
    """

    mu: float = 1.0
    mu2: float = 1.0
    direction: Vec3 = ZERO
    turn: float = 0.0
    slip1: float = 0.0
    slip2: float = 0.0
    bounce: float = 0.0
    threshold: float = CAPTURE
    mask: int = ALL_BITS
    twist: float = 1.0
    patch: float = 0.0

    @property
    def name(self) -> str:
        """Name of its contact material: the values that differ from the default."""
        words = [f"mu {self.mu:g}"] if self.mu == self.mu2 else [f"mu {self.mu:g} {self.mu2:g}"]
        if self.direction != ZERO:
            words.append("along " + " ".join(f"{value:g}" for value in self.direction))
        if self.turn:
            words.append(f"turned {self.turn:g}")
        if self.slip1 or self.slip2:
            words.append(f"slip {self.slip1:g} {self.slip2:g}")
        if self.bounce:
            words.append(f"bounce {self.bounce:g} from {self.threshold:g}")
        if self.mask != ALL_BITS:
            words.append(f"mask {self.mask:#x}")
        if (self.twist, self.patch) != (1.0, 0.0):
            words.append(f"torsion {self.twist:g} on {self.patch:g}")
        return " ".join(words)


PLAIN = Friction()


Turned = Callable[[Tag, Vec3], tuple[Vec3, float]]


def surface_of(collision: Tag, turned: Turned) -> Friction:
    """Return the surface of a collision.

    Args:
        collision: its element.
        turned: returns direction and turn of a Friction for `fdir1` and its numbers.

    Raises:
        SceneError: a number is invalid.
    """
    surface = collision.first("surface")
    if surface is None:
        return PLAIN
    ode = surface.at("friction", "ode")
    bounce = surface.first("bounce")
    plain = _with_torsion(surface.at("friction", "torsional"), PLAIN)
    if (contact := surface.first("contact")) is not None:
        mask = int(finite(contact, "collide_bitmask", ALL_BITS, 0.0, float(2**32 - 1)))
        plain = plain._replace(mask=mask & ALL_BITS)
    restitution = 0.0 if bounce is None else finite(bounce, "restitution_coefficient", 0.0, 0.0, 1.0)
    threshold = NEVER if bounce is None else finite(bounce, "threshold", NEVER, 0.0, NEVER)
    threshold = CAPTURE if threshold == NEVER else threshold
    if ode is None:
        return plain._replace(bounce=restitution, threshold=threshold)
    mu, mu2 = (min(max(0.0, number(ode, name, 1.0)), ENDLESS) for name in ("mu", "mu2"))
    slip1, slip2 = (finite(ode, name, 0.0, 0.0) for name in ("slip1", "slip2"))
    first, direction, turn = ode.first("fdir1"), vector(ode, "fdir1", ZERO), 0.0
    if first is None or direction == ZERO or (mu == mu2 and slip1 == slip2):
        direction = ZERO
    else:
        direction, turn = turned(first, direction)
    return plain._replace(
        mu=mu,
        mu2=mu2,
        direction=direction,
        turn=turn,
        slip1=slip1,
        slip2=slip2,
        bounce=restitution,
        threshold=threshold,
    )


def _with_torsion(torsional: Tag | None, plain: Friction) -> Friction:
    """Add torsional friction; a patch that grows with the depth, by `<surface_radius>`, is listed as
    without effect."""
    if torsional is None:
        return plain
    if not flag(torsional, "use_patch_radius", True):
        torsional.ignore()
        return plain
    torsional.all("surface_radius")
    if (ode := torsional.first("ode")) is not None:
        ode.expect("slip", 0.0)
    twist, patch = finite(torsional, "coefficient", 1.0, 0.0), finite(torsional, "patch_radius", 0.0, 0.0)
    return plain._replace(twist=twist, patch=patch) if patch else plain


def contact_properties(
    surfaces: Mapping[str, Friction], others: Mapping[str, Friction] | None = None
) -> list[Node]:
    """Return ContactProperties for each pair of surfaces, and for each surface with the others.

    Args:
        surfaces: surfaces by material name.
        others: surfaces of materials that are in the world already, by material name.
    """
    return [_pair(one, two) for one, two in _pairs(list(surfaces.items()), (others or {}).items())]


NamedSurface = tuple[str, Friction]


def _pairs(
    named: list[NamedSurface], others: Iterable[NamedSurface]
) -> Iterator[tuple[NamedSurface, NamedSurface]]:
    for number_of, one in enumerate(named):
        yield from ((one, two) for two in named[number_of:])
    for two in others:
        yield from ((one, two) for one in named)


def _pair(one: NamedSurface, two: NamedSurface) -> Node:
    if two[1].direction != ZERO and (one[1].direction == ZERO or two[1].mu < one[1].mu):
        one, two = two, one  # of two first directions that of the smaller mu is used
    (name1, a), (name2, b) = one, two
    node = Node.create("ContactProperties")
    for field, name in (("material1", name1), ("material2", name2)):
        if name != DEFAULT_NAME:
            node[field] = name
    frictions = min(a.mu, b.mu), min(a.mu2, b.mu2)
    slips = a.slip1 + b.slip1, a.slip2 + b.slip2
    if a.direction != ZERO:
        node["frictionDirection"], node["frictionRotation"] = a.direction, (a.turn, 0.0)
        node["coulombFriction"] = [*map(_finite_friction, frictions), 0.0]
        if any(slips):
            node["forceDependentSlip"] = [*slips, 0.0]
    else:
        node["coulombFriction"] = [_finite_friction(min(frictions))]
        if any(slips):
            node["forceDependentSlip"] = [max(slips)]
    if patch := max(a.patch, b.patch):
        node["rollingFriction"] = (0.0, 0.0, TORSION * patch * min(a.twist, b.twist))
    if not a.mask & b.mask:
        node["collides"] = False
    node["bounce"] = a.bounce * b.bounce
    node["bounceVelocity"] = max(a.threshold, b.threshold)
    return node


def _finite_friction(mu: float) -> float:
    return -1.0 if mu >= ENDLESS else mu
