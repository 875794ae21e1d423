"""What is played on the motors of a simulation: motions and trajectories, before motors act in phase 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from sim_core.base.state import State, Stateful

if TYPE_CHECKING:
    from sim_core.session.robot import Robot


@dataclass(frozen=True)
class PlayerSpec(ABC):
    """What a player plays, as data, and the name of the robot that it is played on."""

    robot: str

    @abstractmethod
    def player(self, robot: Robot, playback: Playback) -> Player:
        """Another player of the same on this robot; it does not play yet."""


class Player(Stateful, ABC):
    """Commands motors in each step while it plays; it counts its own time, from step to step.

    Attributes:
        spec: what it plays.
    """

    def __init__(self, spec: PlayerSpec, playback: Playback) -> None:
        self.spec = spec
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


class Playing(NamedTuple):
    """A player that plays: its number, and what it plays from where on."""

    number: int
    spec: PlayerSpec
    state: State


@dataclass(eq=False)
class PlaybackState(State):
    """The players that play, in the order in which they were started."""

    playing: tuple[Playing, ...] = ()


P = TypeVar("P", bound=Player)


class Playback(Stateful):
    """The players that play now, in the order in which they were started; where two command one motor, the
    later one rules.

    Attributes:
        players: those that play, by number.
    """

    def __init__(self, robots: Mapping[str, Robot]) -> None:
        """`robots`: those that are there, by name."""
        self._robots = robots
        self._numbers: WeakKeyDictionary[Player, int] = WeakKeyDictionary()
        self._known: WeakValueDictionary[int, Player] = WeakValueDictionary()
        self.players: dict[int, Player] = {}
        self._count = 0

    @property
    def state(self) -> PlaybackState:
        """The players that play."""
        return PlaybackState(
            tuple([Playing(number, each.spec, each.state.copy()) for number, each in self.players.items()])
        )

    @state.setter
    def state(self, state: State) -> None:
        assert isinstance(state, PlaybackState)
        self.players.clear()
        for number, spec, own in state.playing:
            player = self._known.get(number)
            if player is None:  # it was forgotten, or was of another process
                player = spec.player(self._robots[spec.robot], self)
                self._know(player, number)
            player.state = own.copy()
            self.players[number] = player

    def playing(self, kind: type[P], robot: str) -> P | None:
        """The player of a kind that plays on a robot, the latest; None: there is none."""
        found = (each for each in reversed(self.players.values()) if each.spec.robot == robot)
        return next((each for each in found if isinstance(each, kind)), None)

    def start(self, player: Player) -> None:
        """Let a player play from the next step on."""
        self.stop(player)
        number = self._numbers.get(player)
        if number is None:
            number = self._know(player, self._count)
        self.players[number] = player

    def stop(self, player: Player) -> None:
        """Let it play no more."""
        number = self._numbers.get(player)
        if number is not None:
            self.players.pop(number, None)

    def remove_robot(self, robot: str) -> None:
        """Play no more on a robot, which has gone."""
        for player in [each for each in self.players.values() if each.spec.robot == robot]:
            self.stop(player)

    def is_playing(self, player: Player) -> bool:
        """Whether it plays."""
        return self._numbers.get(player) in self.players

    def before_step(self, step_ns: int) -> None:
        """Phase 1, before the actuators."""
        for player in list(self.players.values()):
            if not player.before_step(step_ns):
                self.stop(player)

    def reset(self) -> None:
        """Stop all of them, at their starts."""
        for player in list(self.players.values()):
            player.reset()
        self.players.clear()

    def _know(self, player: Player, number: int) -> int:
        """Give a player a number, which it keeps."""
        self._numbers[player] = number
        self._known[number] = player
        self._count = max(self._count, number + 1)
        return number
