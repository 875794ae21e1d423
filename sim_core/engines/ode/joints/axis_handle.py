"""Handle of an axis for devices, which survives edits of the scene."""

from __future__ import annotations

from sim_core.engines.ode.joints.axes import Axis, TrackTimer
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis


class AxisHandle:
    """One degree of freedom of a joint node; it stays valid when the world is rebuilt. Implements
    `JointAxis`.

    Attributes:
        name, spec: of the axis.
        drive, release, apply_effort, set_brake, feedback: methods of the axis, bound directly because each
            step calls them.
        axis: the present axis; after its node was removed one that stands still.
    """

    __slots__ = (
        *("__weakref__", "_feedback_wanted", "axis", "name", "spec"),
        *("drive", "release", "apply_effort", "set_brake", "feedback"),
    )

    def __init__(self, axis: Axis | KinematicAxis, watch: TrackTimer) -> None:
        self._feedback_wanted = False
        self.set_axis(axis, watch)

    def set_axis(self, axis: Axis | KinematicAxis, watch: TrackTimer) -> None:
        """Set the present axis; `watch` is notified of motor commands if its turns are counted."""
        self.axis = axis
        self.name, self.spec = axis.name, axis.spec
        self.drive, self.release, self.apply_effort = axis.drive, axis.release, axis.apply_effort
        self.set_brake, self.feedback = axis.set_brake, axis.feedback
        if isinstance(axis, Axis):
            axis.wants_feedback |= self._feedback_wanted
            if not axis.is_linear:
                axis.watch = watch

    def stand_still(self) -> None:
        """Stand still at the start position, after the node was removed."""
        self.set_axis(KinematicAxis(self.name, self.spec._replace(is_dynamic=False)), TrackTimer())

    @property
    def position(self) -> float:
        """Joint position, rad (continuous) or m."""
        return self.axis.position

    @property
    def velocity(self) -> float:
        """Joint velocity, rad/s or m/s."""
        return self.axis.velocity

    def enable_feedback(self) -> None:
        """Measure the motor's effort from now on; this costs a little in each step."""
        self._feedback_wanted = True
        self.axis.enable_feedback()
