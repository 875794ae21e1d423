"""Torque or force applied by a joint's motor, measured from the first request on."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.state import Resettable, State
from sim_core.engines.world_view import JointAxis, World


@dataclass(eq=False)
class FeedbackState(State):
    """State of the measurement.

    Attributes:
        since_ns: elapsed time of its start; None: not requested yet.
        at_ns: elapsed time of this state.
        effort: torque or force of the step before it, N·m or N.
    """

    since_ns: int | None = None
    at_ns: int = -1
    effort: float = 0.0


class EffortFeedback(Resettable):
    """Torque or force feedback of an axis; it starts with the first request, as it costs time in each
    step."""

    def __init__(self, axis: JointAxis, world: World) -> None:
        self._axis = axis
        self._world = world
        self._state = FeedbackState()

    @property
    def state(self) -> FeedbackState:
        """State of the measurement, with the engine's result of the last step."""
        since_ns, now_ns = self._state.since_ns, self._world.clock.elapsed_ns
        return FeedbackState() if since_ns is None else FeedbackState(since_ns, now_ns, self.latest_effort())

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, FeedbackState)
        self._state = state

    def enable(self) -> None:
        """Measure from the next step on."""
        if self._state.since_ns is None:
            self._axis.enable_feedback()
            self._state.since_ns = self._world.clock.elapsed_ns

    def latest_effort(self) -> float:
        """Return the torque or force of the last step, N·m or N; 0 before the first measured step."""
        self.enable()
        now_ns = self._world.clock.elapsed_ns
        if now_ns == self._state.at_ns:  # no step since the state was restored
            return self._state.effort
        return 0.0 if now_ns == self._state.since_ns else self._axis.feedback()

    def reset(self) -> None:
        """Return to the start, after the world was reset: nothing has been measured yet."""
        if self._state.since_ns is not None:
            self._state = FeedbackState(self._world.clock.elapsed_ns)

    def restored(self) -> None:
        """Enable the engine's measurement if it was enabled in the restored state."""
        if self._state.since_ns is not None:
            self._axis.enable_feedback()
