"""The torque or force that a joint's motor applied, measured once somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.state import State, Stateful
from sim_core.engines.world_view import JointAxis, World


@dataclass(eq=False)
class FeedbackState(State):
    """What is measured.

    Attributes:
        since_ns: elapsed time since which it measures; None: nobody has asked.
        at_ns: elapsed time of this state.
        effort: torque or force of the step before it, N·m or N.
    """

    since_ns: int | None = None
    at_ns: int = -1
    effort: float = 0.0


class EffortFeedback(Stateful):
    """Feedback of an axis; it costs a little in each step, so it starts with the first question."""

    def __init__(self, axis: JointAxis, world: World) -> None:
        self._axis = axis
        self._world = world
        self._state = FeedbackState()

    @property
    def state(self) -> FeedbackState:
        """What is measured, and what the physics tells of the last step."""
        since_ns, now_ns = self._state.since_ns, self._world.elapsed_ns
        return FeedbackState() if since_ns is None else FeedbackState(since_ns, now_ns, self.read())

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, FeedbackState)
        self._state = state

    def enable(self) -> None:
        """Measure from the next step on."""
        if self._state.since_ns is None:
            self._axis.enable_feedback()
            self._state.since_ns = self._world.elapsed_ns

    def read(self) -> float:
        """Torque or force of the last step, N·m or N; 0 before the first measured step."""
        self.enable()
        now_ns = self._world.elapsed_ns
        if now_ns == self._state.at_ns:  # the physics has not stepped since it was put back
            return self._state.effort
        return 0.0 if now_ns == self._state.since_ns else self._axis.feedback()

    def reset(self) -> None:
        """The world has been put back to its start: nothing has been measured yet."""
        if self._state.since_ns is not None:
            self._state = FeedbackState(self._world.elapsed_ns)

    def restored(self) -> None:
        """Measure, if it did then."""
        if self._state.since_ns is not None:
            self._axis.enable_feedback()
