"""The simulation node, as far as those need it who serve programs beside topics."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Refused
from sim_core.scene import Scene
from sim_core.session.pipeline import Action, Command
from sim_core.session.session import Run, Session


class Runner(Run, Protocol):
    """What it does and knows beside what commands reach; all of it between two steps.

    Attributes:
        session: of the run.
    """

    session: Session

    @property
    def mode(self) -> str:
        """`realtime`, `fast` or `paused`."""

    @property
    def steps_left(self) -> int:
        """To be made while it is paused."""

    @steps_left.setter
    def steps_left(self, count: int) -> None: ...

    def say(self, line: str) -> None:
        """A line for the log."""

    def read(self, path: str, skip_missing: bool | None = None) -> Scene:
        """A world from its file.

        Args:
            path: of the file.
            skip_missing: see `load_scene`; None: as the run is asked to.

        Raises:
            OdesimError: it cannot be read.
        """

    def load(self, path: str | None, scene: Scene | None = None) -> str:
        """Go on with another world; the scene, where it has been read."""

    def restart_connected(self) -> None:
        """Start those controllers anew that cannot see that time is 0 again."""

    def folder(self, robot: str) -> Path:
        """Where the controller of a robot runs."""

    def listen_to_keyboard(self) -> None:
        """Keys are wanted."""

    def open_window(self, robot: str) -> None:
        """The controller of a robot talks with a window."""

    def send_to_window(self, robot: str, text: str) -> None:
        """A text of a robot's controller to its window."""

    def must(self, *wishes: Action) -> None:
        """Have the session carry out a command of simulation_interfaces.

        Raises:
            CommandError: it was refused.
        """
        outcome = self.session.pipeline.submit(Command("simulation_interfaces", wishes))
        if isinstance(outcome, Refused):
            raise CommandError(outcome.text, outcome.code)
