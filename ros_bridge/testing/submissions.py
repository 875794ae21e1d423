"""Submissions: folders with controllers, each of which takes the place of those beside a world."""

from __future__ import annotations

import shutil
from pathlib import Path

from ros_bridge.cli.trust import ask_and_require_trust
from sim_core.base.errors import ConfigError
from sim_core.base.trust import trust_issues_of_folder

CONTROLLERS = "controllers"
PARTS = ("worlds", "protos", CONTROLLERS, "plugins", "libraries", "motions", "resources")
"""Folders of a Webots project (Webots user guide, "The Standard File Hierarchy of a Project")."""


def find_submissions(folder: Path) -> list[Path]:
    """Return the submissions in a folder, sorted by name.

    Raises:
        ConfigError: there are none.
    """
    if not folder.is_dir():
        raise ConfigError(f"--submissions: found no folder {folder}, expected one with a folder a submission")
    found = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    if not found:
        raise ConfigError(f"--submissions: found nothing in {folder}, expected a folder for each submission")
    return found


def project_with(submission: Path, world: Path, place: Path, assume_yes: bool) -> Path:
    """Make a project of a world and of the controllers of a submission, and return the world's file in it.

    The folders of the world's project are copied; controllers of the submission are put among its own, in the
    place of those of the same name.

    Args:
        submission: a folder with `controllers`, or one that holds the controllers themselves.
        world: its file.
        place: an empty folder for the project.
        assume_yes: whether the user has declared the submissions as trusted.

    Raises:
        ConfigError: the submission is not trusted.
    """
    submission, world = submission.resolve(), world.resolve()
    ask_and_require_trust(trust_issues_of_folder(submission), assume_yes)
    project, origin = place / "project", world.parent.parent
    if world.parent.name == "worlds":
        for part in PARTS:
            if (origin / part).is_dir():
                _copy(origin / part, project / part)
    else:
        _copy(world.parent, project / "worlds")
    own = submission / CONTROLLERS
    _copy(own if own.is_dir() else submission, project / CONTROLLERS)
    return project / "worlds" / world.name


def _copy(source: Path, target: Path) -> None:
    ignored = shutil.ignore_patterns(".git", "__pycache__", ".venv")
    shutil.copytree(source, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)
