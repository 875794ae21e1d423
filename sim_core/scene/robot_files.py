"""Addition of robots from files of any format to a world: URDF or SDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim_core.base.errors import ConfigError
from sim_core.scene.node import Node
from sim_core.scene.scene import Scene
from sim_core.scene.sdf.file_kinds import head_of, is_sdf
from sim_core.scene.sdf.spawn import add_sdf
from sim_core.scene.urdf.spawn import add_urdf, parse_argument


def add_robot_file(scene: Scene, argument: str) -> Node:
    """Add a robot to a scene from an argument of `--urdf` or `--model`; see `parse_argument`, `add_urdf`,
    `add_sdf`.

    Raises:
        SceneErrors, ConfigError: the file or the argument is invalid.
    """
    request = parse_argument(argument)
    if not is_sdf(request.file, head_of(request.file)):
        return add_urdf(scene, *request)
    if request.robot:
        found = f"{request.file}@{request.robot}: found SDF and the name of a robot"
        raise ConfigError(f"{found}, expected x,y or x,y,z,yaw")
    return add_sdf(scene, request.file, request.place, request.values)


def add_robot_files(scene: Scene, arguments: Sequence[str | Path]) -> None:
    """Add several robots to a scene; see `add_robot_file`.

    Raises:
        SceneErrors, ConfigError: a file or an argument is invalid.
    """
    for argument in arguments:
        add_robot_file(scene, str(argument))
