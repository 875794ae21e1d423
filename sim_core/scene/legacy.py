"""Worlds in older axes: before R2022a y was up and robots faced -z; since then, ENU and FLU."""

from __future__ import annotations

from sim_core.errors import SceneError
from sim_core.scene.scene import Scene

FIRST_ENU_VERSION = "R2022a"


def check_axes(scene: Scene) -> None:
    """Refuse a world that is not in today's axes (Webots reference, WorldInfo; changes of R2022a).

    Raises:
        SceneError: the file is older than R2022a, or asks for another coordinate system.
    """
    info = scene.world_info
    line, column = (info.source.line, info.source.column) if info.source.line else (1, 1)
    if scene.header.is_before(FIRST_ENU_VERSION):
        raise SceneError(
            scene.file,
            1,
            1,
            f"a world of version {scene.header.version}",
            f"{FIRST_ENU_VERSION} or later",
            "worlds before R2022a have other axes and are not converted yet",
        )
    if info["coordinateSystem"] != "ENU":
        raise SceneError(scene.file, line, column, f'coordinateSystem "{info["coordinateSystem"]}"', '"ENU"')
