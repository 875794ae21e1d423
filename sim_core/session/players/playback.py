"""What is played on the motors of a simulation: motions and trajectories, before motors act in phase 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary, WeakValueDictionary

from sim_core.base.state import State, Stateful


class Player(Stateful, ABC):
    """Commands motors in each step while it plays; it counts its own time, from step to step."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback

    @property
    def is_playing(self) -> bool:
        """It was told to play and is neither stopped nor at its end."""
        return self._playback.is_playing(self)

    def stop(self) -> None:
        """Play no more; the motors keep their targets."""
        self._playback.stop(self)

    def reset(self) -> None:
        """Stop, and go back to the start: the world has."""
        self.stop()

    @abstractmethod
    def before_step(self, step_ns: int) -> bool:
        """Command the motors for the step that starts now; False: it was the last."""


@dataclass(eq=False)
class PlaybackState(State):
    """Numbers of the players that play, in the order in which they were started."""

    playing: dict[int, None] = field(default_factory=dict)


class Playback(Stateful):
    """The players that play now, in the order in which they were started; where two command one motor, the
    later one rules."""

    state: PlaybackState

    def __init__(self) -> None:
        self.state = PlaybackState()
        self._numbers: WeakKeyDictionary[Player, int] = WeakKeyDictionary()
        self._known: WeakValueDictionary[int, Player] = WeakValueDictionary()
        self._players: dict[int, Player] = {}  # those that play
        self._count = 0

    def parts(self) -> tuple[Player, ...]:
        """The players that play."""
        return tuple(self._players.values())

    def restored(self) -> None:
        """Those play that did then."""
        self._players = {number: self._known[number] for number in self.state.playing}

    @property
    def is_idle(self) -> bool:
        """Nothing plays."""
        return not self._players

    def start(self, player: Player) -> None:
        """Let a player play from the next step on."""
        self.stop(player)
        number = self._numbers.get(player)
        if number is None:
            number = self._numbers[player] = self._count
            self._known[number] = player
            self._count += 1
        self.state.playing[number] = None
        self._players[number] = player

    def stop(self, player: Player) -> None:
        """Let it play no more."""
        number = self._numbers.get(player)
        if number is not None:
            self.state.playing.pop(number, None)
            self._players.pop(number, None)

    def is_playing(self, player: Player) -> bool:
        """Whether it plays."""
        return self._numbers.get(player) in self._players

    def before_step(self, step_ns: int) -> None:
        """Phase 1, before the actuators."""
        for player in list(self._players.values()):
            if not player.before_step(step_ns):
                self.stop(player)

    def reset(self) -> None:
        """Stop all of them, at their starts."""
        for player in list(self._players.values()):
            player.reset()
        self.state = PlaybackState()
        self._players.clear()
