"""The simulation node, as seen by the services of programs other than topics."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from sim_core.base.errors import CommandError
from sim_core.base.outcome import Refused
from sim_core.scene import Scene
from sim_core.session.pipeline import Action, Command
from sim_core.session.session import Run, Session


class Runner(Run, Protocol):
    """Requests to a run besides those of commands; to be called between two steps.

    Attributes:
        session: of the run.
    """

    session: Session

    @property
    def mode(self) -> str:
        """Mode of the run: `realtime`, `fast` or `paused`."""

    @property
    def steps_left(self) -> int:
        """Steps still to be made while paused."""

    @steps_left.setter
    def steps_left(self, count: int) -> None: ...

    def warn(self, line: str) -> None:
        """Write a line to the log."""

    def read(self, path: str, skip_missing: bool | None = None) -> Scene:
        """Read a world from its file.

        Args:
            path: of the file.
            skip_missing: see `load_scene`; None: as set for the run.

        Raises:
            OdesimError: it cannot be read.
        """

    def load(self, path: str | None, scene: Scene | None = None) -> str:
        """Continue with another world; `scene`: if it has been read already."""

    def restart_connected(self) -> None:
        """Restart the controllers that cannot detect that time is 0 again."""

    def folder(self, robot: str) -> Path:
        """Return the folder in which the controller of a robot runs."""

    def listen_to(self, kind: str) -> None:
        """Start listening to one kind of input of the user."""

    def open_window(self, robot: str) -> None:
        """Create the topics between the controller of a robot and its window."""

    def send_to_window(self, robot: str, text: str) -> None:
        """Send text from a robot's controller to its window."""

    def execute(self, *actions: Action) -> None:
        """Execute a command of simulation_interfaces in the session.

        Raises:
            CommandError: it was refused.
        """
        outcome = self.session.pipeline.submit(Command("simulation_interfaces", actions))
        if isinstance(outcome, Refused):
            raise CommandError(outcome.text, outcome.code)
