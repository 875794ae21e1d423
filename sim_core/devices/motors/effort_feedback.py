"""The torque or force that a joint's motor applied, measured once somebody asks for it."""

from __future__ import annotations

from sim_core.devices.world_view import JointAxis, World


class EffortFeedback:
    """Feedback of an axis; it costs a little in each step, so it starts with the first question."""

    def __init__(self, axis: JointAxis, world: World) -> None:
        self._axis = axis
        self._world = world
        self._since_ns: int | None = None

    def enable(self) -> None:
        """Measure from the next step on."""
        if self._since_ns is None:
            self._axis.enable_feedback()
            self._since_ns = self._world.time_ns

    def read(self) -> float:
        """Torque or force of the last step, N·m or N; 0 before the first measured step."""
        self.enable()
        return 0.0 if self._world.time_ns == self._since_ns else self._axis.feedback()

    def clock_restarted(self) -> None:
        """What was measured from some step on is measured on."""
        if self._since_ns is not None:
            self._since_ns = -1

    def reset(self) -> None:
        """The world has been put back to its start: nothing has been measured yet."""
        if self._since_ns is not None:
            self._since_ns = self._world.time_ns
