"""The torque or force that a joint's motor applied, measured once somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.state import State, Stateful
from sim_core.devices.world_view import JointAxis, World


@dataclass(eq=False)
class FeedbackState(State):
    """Sim time since which it measures; None: nobody has asked."""

    since_ns: int | None = None


class EffortFeedback(Stateful):
    """Feedback of an axis; it costs a little in each step, so it starts with the first question."""

    state: FeedbackState

    def __init__(self, axis: JointAxis, world: World) -> None:
        self._axis = axis
        self._world = world
        self.state = FeedbackState()

    def enable(self) -> None:
        """Measure from the next step on."""
        if self.state.since_ns is None:
            self._axis.enable_feedback()
            self.state.since_ns = self._world.time_ns

    def read(self) -> float:
        """Torque or force of the last step, N·m or N; 0 before the first measured step."""
        self.enable()
        return 0.0 if self._world.time_ns == self.state.since_ns else self._axis.feedback()

    def clock_restarted(self) -> None:
        """What was measured from some step on is measured on."""
        if self.state.since_ns is not None:
            self.state.since_ns = -1

    def reset(self) -> None:
        """The world has been put back to its start: nothing has been measured yet."""
        if self.state.since_ns is not None:
            self.state.since_ns = self._world.time_ns

    def restored(self) -> None:
        """Measure, if it did then."""
        if self.state.since_ns is not None:
            self._axis.enable_feedback()
