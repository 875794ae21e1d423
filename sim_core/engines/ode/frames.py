"""Frames of the scene's nodes for devices and rays."""

from __future__ import annotations

from sim_core.base.geometry import ZERO, Mat3, Pose, Vec3, multiply, subtract
from sim_core.engines.ode.links import Link
from sim_core.model.dynamics.bodies import BodyKind


class OdeFrame:
    """Frame fixed to a link, or to the world; it stays valid when the physics is rebuilt.

    Attributes:
        link: the link; None: the world.
    """

    __slots__ = ("__weakref__", "_in_body", "_is_link", "_is_plain", "_offset", "link")

    def __init__(self, link: Link | None, offset: Pose) -> None:
        self.link: Link | None = None
        self.fix(link, offset)

    def fix(self, link: Link | None, offset: Pose) -> None:
        """Attach the frame to a link at a pose in it, or to the world (None)."""
        if link is not None and link is not self.link:
            link.frames.append(self)
        self.link = link
        self._offset = offset
        self._in_body = subtract(offset.position, link.centre) if link is not None else offset.position
        self._is_plain = offset.rotation == Pose().rotation
        self._is_link = offset == Pose()

    def pose(self) -> Pose:
        """Return X_WF: pose of the frame in the world."""
        link = self.link
        if link is None:
            return self._offset
        if link.kind is not BodyKind.DYNAMIC:
            pose = link.world_pose()
            return pose if self._is_link else pose * self._offset
        body = link.body
        r: Mat3 = body.getRotation()
        px, py, pz = body.getPosition()
        x, y, z = self._in_body
        position = (
            px + r[0] * x + r[1] * y + r[2] * z,
            py + r[3] * x + r[4] * y + r[5] * z,
            pz + r[6] * x + r[7] * y + r[8] * z,
        )
        return Pose(position, r if self._is_plain else multiply(r, self._offset.rotation))

    def in_body(self) -> tuple[Vec3, Mat3]:
        """Return its position from the origin of the link's body, m, and its rotation, in the body's axes."""
        return self._in_body, self._offset.rotation

    def linear_velocity(self) -> Vec3:
        """Return the velocity of the frame's origin, m/s, world axes."""
        link = self.link
        if link is None:
            return ZERO
        if link.kind is BodyKind.DYNAMIC:
            velocity: Vec3 = link.body.getRelPointVel(self._in_body)
            return velocity
        return link.velocity_at(link.world_pose().apply(self._offset.position))[0]

    def angular_velocity(self) -> Vec3:
        """Return the angular velocity, rad/s, world axes."""
        link = self.link
        if link is None:
            return ZERO
        if link.kind is BodyKind.DYNAMIC:
            velocity: Vec3 = link.body.getAngularVel()
            return velocity
        return link.velocity_at(ZERO)[1]
