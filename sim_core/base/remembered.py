"""Answers of the user that hold for a project from then on: files of project folders, one on each line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from sim_core.base.errors import ConfigError


class Remembered(NamedTuple):
    """Projects of one answer.

    Attributes:
        name: of the file below `~/.config/odesim`; a line that is deleted is forgotten.
    """

    name: str

    @property
    def file(self) -> Path:
        """Return the file; it need not exist."""
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(home) / "odesim" / self.name

    def has(self, project: Path) -> bool:
        """Return whether the answer was given for a project."""
        try:
            lines = self.file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return False
        return str(project) in lines

    def add(self, project: Path) -> None:
        """Remember the answer for a project; one whose name has line breaks is asked about each time.

        Raises:
            ConfigError: it cannot be remembered.
        """
        file, line = self.file, os.fsencode(project) + b"\n"
        if len(line.splitlines()) > 1:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("ab") as stream:
                stream.write(line)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None
