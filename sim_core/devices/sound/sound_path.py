"""Where a sound file that is named in a command is looked for."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sim_core.base.errors import CommandError


def find_sound(sound: str, world_file: str, controller: str) -> Path:
    """The file of a sound.

    It is looked for in the folder of the robot's controller, `controllers/name` in the project, then in the
    folder of the world. The project is the folder that holds the folder `worlds` in which the world is; if
    there is none, the folder of the world. A file outside the project, links followed, is not taken: what
    comes over the network reads nothing else.

    Raises:
        CommandError: there is no such file, or it is outside the project.
    """
    folder = Path(world_file).resolve().parent
    above = [each.parent for each in (folder, *folder.parents) if each.name == "worlds"]
    project = above[0] if above else folder
    places = [folder]
    if controller:
        places.insert(0, project / "controllers" / controller)
    for place in places:
        with suppress(OSError, ValueError):  # a name too long, or with a zero byte
            path = (place / sound).resolve()
            if sound and path.is_relative_to(project) and path.is_file():
                return path
    raise CommandError(f'found the sound "{sound}", expected a file in {" or ".join(map(str, places))}')
