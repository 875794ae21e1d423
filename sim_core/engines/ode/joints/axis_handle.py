"""An axis as devices hold it, whatever the scene becomes."""

from __future__ import annotations

from sim_core.engines.ode.joints.axes import Axis, Watch
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis


class AxisHandle:
    """One degree of freedom of a joint node; it stays valid when the world is built anew. Meets `JointAxis`.

    Attributes:
        name, spec, is_linear, is_dynamic: of the axis.
        drive, release, apply_effort, set_brake, feedback: likewise; called in each step without a detour.
        axis: that is behind it now; of what is gone one that stands still.
    """

    __slots__ = (
        *("__weakref__", "_feedback_wanted", "axis", "name", "spec", "is_linear", "is_dynamic"),
        *("drive", "release", "apply_effort", "set_brake", "feedback"),
    )

    def __init__(self, axis: Axis | KinematicAxis, watch: Watch) -> None:
        self._feedback_wanted = False
        self.hold(axis, watch)

    def hold(self, axis: Axis | KinematicAxis, watch: Watch) -> None:
        """Be this axis from now on; `watch` is told what its motor is told, if its turns are counted."""
        self.axis = axis
        self.name, self.spec = axis.name, axis.spec
        self.is_linear, self.is_dynamic = axis.is_linear, axis.is_dynamic
        self.drive, self.release, self.apply_effort = axis.drive, axis.release, axis.apply_effort
        self.set_brake, self.feedback = axis.set_brake, axis.feedback
        if isinstance(axis, Axis):
            axis.wants_feedback |= self._feedback_wanted
            if not axis.is_linear:
                axis.watch = watch

    def stand_still(self) -> None:
        """It is gone: it stands still at its start, for ever."""
        self.hold(KinematicAxis(self.name, self.spec, self.is_linear), Watch())

    @property
    def position(self) -> float:
        """rad (continuous) or m."""
        return self.axis.position

    @property
    def velocity(self) -> float:
        """rad/s or m/s."""
        return self.axis.velocity

    def enable_feedback(self) -> None:
        """Measure from now on; costs a little in each step."""
        self._feedback_wanted = True
        self.axis.enable_feedback()
