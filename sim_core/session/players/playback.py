"""Players of a simulation: motions and trajectories, which command motors before these act in phase 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from sim_core.base.state import Resettable, State

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(frozen=True)
class PlayerSpec(ABC):
    """Specification of a player as plain data, with the name of its robot."""

    robot: str

    @abstractmethod
    def player(self, robot: Robot, playback: Playback) -> Player:
        """Return a new player on this robot; it is not started."""


class Player(Resettable, ABC):
    """Commands motors in each step while it plays; it counts its own time from step to step.

    Attributes:
        spec: specification of the player.
    """

    def __init__(self, spec: PlayerSpec, playback: Playback) -> None:
        self.spec = spec
        self._playback = playback

    @property
    def is_playing(self) -> bool:
        """True after it was started and before it is stopped or ends."""
        return self._playback.is_playing(self)

    def stop(self) -> None:
        """Stop; the motors keep their targets."""
        self._playback.stop_player(self)

    def reset(self) -> None:
        """Stop, and go back to the start, after the world was reset."""
        self.stop()

    @abstractmethod
    def before_step(self, step_ns: int) -> bool:
        """Command the motors for the step that starts now; False: it was the last step."""


class ActivePlayer(NamedTuple):
    """A player that plays, as in snapshots: number, specification and state."""

    number: int
    spec: PlayerSpec
    state: State


@dataclass(eq=False)
class PlaybackState(State):
    """The players that play, in the order in which they were started."""

    playing: tuple[ActivePlayer, ...] = ()


P = TypeVar("P", bound=Player)


class Playback(Resettable):
    """The players that play, in start order; if two command the same motor, the later one wins.

    Attributes:
        players: the players, by number.
    """

    def __init__(self, robots: Mapping[str, Robot]) -> None:
        """Create it without players; `robots`: the present robots by name."""
        self._robots = robots
        self._numbers: WeakKeyDictionary[Player, int] = WeakKeyDictionary()
        self._known: WeakValueDictionary[int, Player] = WeakValueDictionary()
        self.players: dict[int, Player] = {}
        self._count = 0

    @property
    def state(self) -> PlaybackState:
        """The players that play."""
        return PlaybackState(
            tuple(
                [ActivePlayer(number, each.spec, each.state.copy()) for number, each in self.players.items()]
            )
        )

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, PlaybackState)
        self.players.clear()
        for number, spec, own in state.playing:
            player = self._known.get(number)
            if player is None:  # it does not exist any more, or is of another process
                player = spec.player(self._robots[spec.robot], self)
                self._register(player, number)
            player.state = own.copy()
            self.players[number] = player

    def playing(self, kind: type[P], robot: str) -> P | None:
        """Return the last started player of a kind on a robot, or None."""
        found = (each for each in reversed(self.players.values()) if each.spec.robot == robot)
        return next((each for each in found if isinstance(each, kind)), None)

    def start_player(self, player: Player) -> None:
        """Start a player with the next step."""
        self.stop_player(player)
        number = self._numbers.get(player)
        if number is None:
            number = self._register(player, self._count)
        self.players[number] = player

    def stop_player(self, player: Player) -> None:
        """Stop a player."""
        number = self._numbers.get(player)
        if number is not None:
            self.players.pop(number, None)

    def remove_robot(self, robot: str) -> None:
        """Stop all players of a robot that was removed."""
        for player in [each for each in self.players.values() if each.spec.robot == robot]:
            self.stop_player(player)

    def is_playing(self, player: Player) -> bool:
        """Return whether a player plays."""
        return self._numbers.get(player) in self.players

    def before_step(self, step_ns: int) -> None:
        """Run all players in phase 1, before the actuators."""
        for player in list(self.players.values()):
            if not player.before_step(step_ns):
                self.stop_player(player)

    def reset(self) -> None:
        """Reset and stop all players."""
        for player in list(self.players.values()):
            player.reset()
        self.players.clear()

    def _register(self, player: Player, number: int) -> int:
        """Register a player with a number, which it keeps."""
        self._numbers[player] = number
        self._known[number] = player
        self._count = max(self._count, number + 1)
        return number
