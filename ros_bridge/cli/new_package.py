"""`odesim new`: creates a ROS package from the template `examples/my_robot`."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from sim_core.base.errors import ConfigError
from sim_core.base.shipped import share_dir

EXAMPLE = "my_robot"
"""Name of the template package, which is replaced by the new name in files and file names."""
NAME = re.compile(r"[a-z](_?[a-z0-9])*")
"""Package names allowed by REP-144: lower-case letters, digits and single underscores, first a letter."""


def new_package(name: str, folder: Path) -> Path:
    """Create a package with a world, a robot, a controller, a launch file, parameters and a test.

    Args:
        name: name of the package, its world and its folder.
        folder: parent folder, which is created if necessary.

    Returns:
        The package's folder.

    Raises:
        ConfigError: the name is not valid for a ROS package, or the folder exists.
        OSError: the package cannot be written.
    """
    if not NAME.fullmatch(name) or len(name) < 2 or len(name) > 100 or keyword.iskeyword(name):
        raise ConfigError(
            f"{name!r} is no name for a ROS package, expected 2 to 100 lower-case letters, digits and single "
            "underscores, a letter first, such as my_robot"
        )
    package = folder / name
    if package.exists() or package.is_symlink():
        raise ConfigError(f"{package} exists, expected a new folder; choose another name")
    example = share_dir() / "examples" / EXAMPLE
    for file in sorted(path for path in example.rglob("*") if path.is_file()):
        place = file.relative_to(example)
        if any(part.startswith((".", "__pycache__")) for part in place.parts):
            continue
        made = package / place.as_posix().replace(EXAMPLE, name)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(file.read_text(encoding="utf-8").replace(EXAMPLE, name), encoding="utf-8")
    return package
