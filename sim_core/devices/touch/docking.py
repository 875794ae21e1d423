"""Docking of connectors: which are in position, and their bonds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import (
    ZERO,
    Pose,
    Vec3,
    cross,
    multiply,
    norm,
    normalized,
    rotation_from_axis_angle,
)
from sim_core.base.state import State
from sim_core.devices.base import DeviceKey
from sim_core.devices.media import Media, Medium
from sim_core.devices.touch.holding import tension_and_shear
from sim_core.engines.world_view import Bond

if TYPE_CHECKING:
    from sim_core.devices.touch.connector import Connector


FACE = Pose(ZERO, (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
"""Frame of the docking face in that of its connector: z out of the face, which is the connector's x axis,
and y the axis whose rotation counts, the connector's z axis (Webots reference, Connector, since R2022a).
"""


@dataclass(frozen=True)
class AlignmentTolerances:
    """Tolerances of a peer's pose: m between the origins, rad between the z axes, rad about them.

    `rotations`: number of allowed rotations about the z axis in a full turn; 0: all are allowed.
    """

    distance: float
    axis: float
    rotation: float
    rotations: int


def is_in_position(relative: Pose, tolerances: AlignmentTolerances) -> bool:
    """Return True if a peer's face at a pose in the frame of the own face can dock (Webots reference,
    Connector).

    The z axes are opposite, and the angle between the y axes is one of the allowed ones.
    """
    r = relative.rotation
    if norm(relative.position) > tolerances.distance or _arc_cosine(-r[8]) >= tolerances.axis:
        return False
    if tolerances.rotations == 0:
        return True
    angle, step = _arc_cosine(r[4]), 2.0 * math.pi / tolerances.rotations
    return abs(angle - step * round(angle / step)) < tolerances.rotation


def snapped(relative: Pose, rotations: int) -> Pose:
    """Return the pose of a peer's face, in the frame of the own face, after snapping.

    The origins coincide; the z axes become opposite by the smallest rotation; then the peer is rotated about
    them to the nearest allowed rotation.
    """
    r = relative.rotation
    z: Vec3 = (r[2], r[5], r[8])
    across = cross(z, (0.0, 0.0, -1.0))
    if norm(across) > 1e-12:
        r = multiply(rotation_from_axis_angle((*normalized(across), _arc_cosine(-z[2]))), r)
    elif z[2] > 0.0:
        r = multiply(rotation_from_axis_angle((r[1], r[4], r[7], math.pi)), r)
    if rotations > 0:
        angle, step = math.atan2(-r[1], r[4]), 2.0 * math.pi / rotations
        r = multiply(rotation_from_axis_angle((0.0, 0.0, 1.0, step * round(angle / step) - angle)), r)
    return Pose(ZERO, r)


@dataclass(frozen=True)
class DockedPair:
    """Two attached connectors."""

    first: Connector
    second: Connector
    bond: Bond

    def is_overloaded(self) -> bool:
        """Return True if the force of the last step exceeded the strengths of the locked sides together."""
        sides = [side for side in (self.first, self.second) if side.is_locked]
        tensile = sum(side.tensile_strength for side in sides)
        shear = sum(side.shear_strength for side in sides)
        if tensile == math.inf and shear == math.inf:
            return False
        r = self.first.frame.pose().rotation
        pull, slide = tension_and_shear(self.bond.force(), (r[0], r[3], r[6]))
        return pull > tensile or slide > shear


@dataclass(eq=False)
class DockingState(State):
    """Attached pairs: two connectors and the number of their bond, in the order of the dockings."""

    held: list[tuple[DeviceKey, DeviceKey, int]] = field(default_factory=list)


class DockingMedium(Medium):
    """All connectors of a world and their attachments; acts in phase 1."""

    acts = True
    state: DockingState
    state_type = DockingState

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self._connectors: list[Connector] = []
        self._dockings: dict[Connector, DockedPair] = {}
        self._poses: list[Pose] = []
        self._positions: FloatArray = np.zeros((0, 3))
        self._seen_ns = -1
        self._is_restored = True

    def remove_devices(self) -> None:
        """Remove all connectors; attachments are restored when they register again."""
        self._connectors.clear()
        self._is_restored = False

    def add_connector(self, connector: Connector) -> None:
        """Add a connector."""
        self._connectors.append(connector)
        self._seen_ns = -1

    def peer(self, connector: Connector) -> Connector | None:
        """Return the connector attached to a connector, or None."""
        if not self._is_restored:
            self.restored()
        docking = self._dockings.get(connector)
        if docking is None:
            return None
        return docking.second if docking.first is connector else docking.first

    def present(self, connector: Connector) -> Connector | None:
        """Return the nearest compatible connector in position, or None; of two at the same distance the
        first."""
        self._update_poses()
        index = self._connectors.index(connector)
        squares = ((self._positions - self._positions[index]) ** 2).sum(axis=1)
        near = np.nonzero(squares <= connector.tolerances.distance**2 * (1.0 + 1e-12))[0].tolist()
        best = None
        for other in sorted(near, key=lambda other: squares[other]):
            peer = self._connectors[other]
            if peer is connector or not connector.is_compatible(peer):
                continue
            if is_in_position(self._relative(index, other), connector.tolerances):
                best = peer
                break
        return best

    def before_step(self) -> None:
        """Break overloaded bonds, execute lock and unlock commands, and lock automatically."""
        self._seen_ns = -1
        if not self._is_restored:
            self.restored()
        broken: dict[Connector, None] = {}
        for connector, docking in list(self._dockings.items()):
            if docking.first is connector and docking.is_overloaded():
                self._release_pair(docking)
                broken[docking.first] = broken[docking.second] = None
        for connector in self._connectors:
            wanted = connector.take_command()
            if wanted:
                self._attach(connector)
            elif wanted is not None:
                self._detach(connector)
        for connector in self._connectors:
            if connector.auto_lock and connector.is_locked and connector not in broken:
                self._attach(connector)

    def reset(self) -> None:
        """Return to the start without attachments; the engine has released all bonds."""
        super().reset()
        self.restored()

    def restored(self) -> None:
        """Restore the attachments of the restored state."""
        self._seen_ns = -1
        self._is_restored = True
        self._dockings.clear()
        held, self.state.held = self.state.held, []
        connectors = {each.key: each for each in self._connectors} if held else {}
        for first, second, number in held:
            bond = self.world.find_bond(number)
            if bond is not None:
                self._add_pair(DockedPair(connectors[first], connectors[second], bond))
                self.state.held.append((first, second, number))

    def _update_poses(self) -> None:
        """Read the poses of all connectors, once for each state of the world."""
        if self._seen_ns != self.world.clock.elapsed_ns:
            self._seen_ns = self.world.clock.elapsed_ns
            self._poses = [connector.frame.pose() for connector in self._connectors]
            self._positions = np.array([pose.position for pose in self._poses])

    def _relative(self, index: int, other: int) -> Pose:
        """Return the pose of the second connector's face in the frame of the first one's."""
        return (self._poses[index] * FACE).inverse() * self._poses[other] * FACE

    def _attach(self, connector: Connector) -> None:
        """Attach the present peer, if both sides allow it."""
        if connector in self._dockings:
            return
        peer = self.present(connector)
        if peer is None or peer in self._dockings:
            return
        if not (connector.unilateral_lock or peer.is_locked):
            return
        if not self.world.can_bond(connector.spec.id, peer.spec.id):
            return
        index, other = self._connectors.index(connector), self._connectors.index(peer)
        relative = None
        if connector.snap:
            faces = snapped(self._relative(index, other), connector.tolerances.rotations)
            relative = FACE * faces * FACE.inverse()
        bond = self.world.bond(connector.spec.id, peer.spec.id, relative)
        self._add_pair(DockedPair(connector, peer, bond))
        self.state.held.append((connector.key, peer.key, bond.number))

    def _add_pair(self, docking: DockedPair) -> None:
        self._dockings[docking.first] = self._dockings[docking.second] = docking

    def _detach(self, connector: Connector) -> None:
        """Detach the peer, if this side alone can."""
        docking, peer = self._dockings.get(connector), self.peer(connector)
        if docking is None or peer is None:
            return
        if connector.unilateral_unlock or not peer.is_locked:
            self._release_pair(docking)

    def _release_pair(self, docking: DockedPair) -> None:
        number = docking.bond.number
        self.state.held = [each for each in self.state.held if each[2] != number]
        docking.bond.release()
        del self._dockings[docking.first]
        del self._dockings[docking.second]


def _arc_cosine(value: float) -> float:
    return math.acos(max(-1.0, min(1.0, value)))
