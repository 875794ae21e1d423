"""Forces of air and water that depend on the velocity of a solid, not on its shapes: Wing, Hydrodynamics and
Wind.

These nodes are in the hidden field `fluidForces` of Physics; Webots does not have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, cross, norm, normalized
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import BodyTree
from sim_core.model.frames import vector_of
from sim_core.scene.node import Node

LARGEST = 1e9
"""Largest number in these nodes."""
Matrix = tuple[float, ...]
"""36 numbers, by rows: forces along x, y, z, then torques about them; columns: velocities likewise."""


class Wing(NamedTuple):
    """A wing, or a blade.

    Attributes:
        solid: its solid; body: the dynamic body that moves it, in which the solid has this pose.
        area: m²; density: of the air, kg/m³.
        centre: centre of pressure in the solid, m.
        forward, upward: unit vectors in the solid.
        is_round: the upward direction follows from the flow.
        angle: angle of attack of the `forward` direction in rad.
        lift, drag: coefficients per rad of the angle of attack, up to `stall` in rad.
        lift_past, drag_past: the same for angles past the stall.
        control: joint of a control surface; None: there is none.
        control_lift: lift coefficient per rad of that joint.
    """

    solid: NodeId
    body: NodeId
    pose: Pose
    area: float
    density: float
    centre: Vec3
    forward: Vec3
    upward: Vec3
    is_round: bool
    angle: float
    lift: float
    drag: float
    stall: float
    lift_past: float
    drag_past: float
    control: NodeId | None
    control_lift: float


class UnderwaterBody(NamedTuple):
    """A solid in water, in its own axes and about its origin.

    Attributes:
        solid, body, pose: as of a `Wing`.
        added: added mass, kg, kg·m, kg·m²; symmetric.
        linear: drag per velocity; quadratic: drag per v·|v|.
        current: velocity of the water, m/s, world axes.
    """

    solid: NodeId
    body: NodeId
    pose: Pose
    added: Matrix
    linear: Matrix
    quadratic: Matrix
    current: Vec3


class WindyBody(NamedTuple):
    """A solid in the wind.

    Attributes:
        solid, body, pose: as of a `Wing`.
        mass: kg; None: that of the body.
        centre: its centre of mass in the solid, m; None: that of the body.
        velocity: of the wind after it has risen, m/s, world axes.
        factor: acceleration per velocity relative to the solid, 1/s.
        rise, vertical_rise: time constants of the horizontal and of the vertical speed, s; 0: it does not
            rise.
        gust, gust_period: amplitude as a share of the horizontal speed, and period in s.
        swing, swing_period: amplitude of the direction in rad, and period in s.
    """

    solid: NodeId
    body: NodeId
    pose: Pose
    mass: float | None
    centre: Vec3 | None
    velocity: Vec3
    factor: float
    rise: float
    vertical_rise: float
    gust: float
    gust_period: float
    swing: float
    swing_period: float


Flow = Wing | UnderwaterBody | WindyBody


def flows_of(tree: BodyTree, warnings: list[SceneError]) -> list[Flow]:
    """Return the records of all solids of dynamic bodies, in file order; impossible ones get a warning."""
    found: list[Flow] = []
    for id_, owner in tree.bodies.items():
        body = tree.dynamic_body_of(id_)
        for solid, pose in owner.solids if body is not None else ():
            node = tree.solids[solid]
            forces: list[Node] = node["physics"]["fluidForces"] if node["physics"] is not None else []
            for force in forces:
                assert body is not None
                in_body = pose if body is owner else body.start.inverse() * owner.start * pose
                try:
                    found.append(_MAKERS[force.type_name](force, node, body.solid, in_body))
                except SceneError as error:
                    warnings.append(error)
    return found


def _wing(node: Node, solid: Node, body: NodeId, pose: Pose) -> Wing:
    forward, upward = vector_of(node, "forward"), vector_of(node, "upward")
    if not norm(cross(forward, upward)) > 0.0:
        raise SceneError(*node.source, "Wing with parallel directions has no effect", "forward and upward")
    control = _joint_of(solid, node["control"])
    if node["control"] and control is None:
        found = f'Wing with control "{node["control"]}"'
        raise SceneError(*node.source, found, "a motor or a position sensor of its robot")
    return Wing(
        solid.id, body, pose, node["area"], node["airDensity"], vector_of(node, "centerOfPressure"),
        normalized(forward), normalized(upward), node["radialSymmetry"], node["angleOfAttack"],
        node["liftSlope"], node["dragSlope"], node["stallAngle"], node["liftSlopePastStall"],
        node["dragSlopePastStall"], control, node["controlSlope"],
    )  # fmt: skip


def _joint_of(solid: Node, device: str) -> NodeId | None:
    """Return the joint with a motor or position sensor of this name in the tree of a solid."""
    root = [solid, *solid.ancestors()][-1]
    return next((joint.id for joint in root.walk() if device in _devices(joint)), None) if device else None


def _devices(node: Node) -> Iterable[str]:
    return (
        (each["name"] for each in node["device"]) if node.is_a("Joint") and node.has_field("device") else ()
    )


def _underwater_body(node: Node, solid: Node, body: NodeId, pose: Pose) -> UnderwaterBody:
    names = ("addedMass", "linearDrag", "quadraticDrag")
    added, linear, quadratic = (_matrix(node, name) for name in names)
    whole = np.array(added).reshape(6, 6)
    symmetric = (whole + whole.T) / 2.0
    own = np.diag([max(0.0, solid["physics"]["mass"])] * 3 + [0.0] * 3)
    least, most = np.linalg.eigvalsh(symmetric + own)[[0, -1]]
    if least < -1e-9 * max(1.0, most):
        found = "Hydrodynamics.addedMass has no effect: with the mass of its solid it is not positive"
        raise SceneError(*node.source, found, "a matrix without negative eigenvalues")
    current = vector_of(node, "current")
    return UnderwaterBody(solid.id, body, pose, tuple(symmetric.ravel().tolist()), linear, quadratic, current)


def _windy_body(node: Node, solid: Node, body: NodeId, pose: Pose) -> WindyBody:
    physics = solid["physics"]
    mass, centres = physics["mass"], physics["centerOfMass"]
    return WindyBody(
        solid.id, body, pose, mass if mass >= 0.0 else None, tuple(centres[0]) if centres else None,
        vector_of(node, "velocity"), node["factor"], node["riseTime"], node["verticalRiseTime"],
        node["gust"], node["gustPeriod"], node["swing"], node["swingPeriod"],
    )  # fmt: skip


_MAKERS: dict[str, Callable[[Node, Node, NodeId, Pose], Flow]] = {
    "Wing": _wing,
    "Hydrodynamics": _underwater_body,
    "Wind": _windy_body,
}


def _matrix(node: Node, name: str) -> Matrix:
    values: list[float] = node[name] or [0.0] * 36
    if len(values) == 6:
        values = [values[row] if row == column else 0.0 for row, column in _places()]
    if len(values) != 36 or not all(abs(value) <= LARGEST for value in values):
        found = f"Hydrodynamics.{name} with {len(values)} numbers has no effect"
        raise SceneError(*node.source, found, f"6 or 36 numbers from {-LARGEST:g} to {LARGEST:g}")
    return tuple(values)


def _places() -> Iterator[tuple[int, int]]:
    return ((row, column) for row in range(6) for column in range(6))
