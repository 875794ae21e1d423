"""What is played on the motors of a simulation: motions and trajectories, before motors act in phase 1."""

from __future__ import annotations

from typing import Protocol


class Player(Protocol):
    """Commands motors in each step while it plays."""

    def before_step(self, time_ns: int, step_ns: int) -> bool:
        """Command the motors for the step that starts at this sim time; False: it was the last."""

    def reset(self) -> None:
        """Stop, and go back to the start: the world has."""

    def clock_restarted(self, before_ns: int) -> None:
        """Sim time is 0 where it was `before_ns`: play on."""


class Playback:
    """The players that play now, in the order in which they were started; where two command one motor, the
    later one rules."""

    def __init__(self) -> None:
        self._players: dict[Player, None] = {}

    @property
    def is_idle(self) -> bool:
        """Nothing plays."""
        return not self._players

    def start(self, player: Player) -> None:
        """Let a player play from the next step on."""
        self._players.pop(player, None)
        self._players[player] = None

    def stop(self, player: Player) -> None:
        """Let it play no more."""
        self._players.pop(player, None)

    def is_playing(self, player: Player) -> bool:
        """Whether it plays."""
        return player in self._players

    def before_step(self, time_ns: int, step_ns: int) -> None:
        """Phase 1, before the actuators."""
        for player in list(self._players):
            if not player.before_step(time_ns, step_ns):
                self.stop(player)

    def reset(self) -> None:
        """Stop all of them, at their starts."""
        for player in list(self._players):
            player.reset()
        self._players.clear()

    def clock_restarted(self, before_ns: int) -> None:
        """Sim time is 0 where it was `before_ns`: all play on."""
        for player in self._players:
            player.clock_restarted(before_ns)
