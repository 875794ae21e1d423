"""World files to scenes."""

from __future__ import annotations

from pathlib import Path

from sim_core.scene.assets import Assets
from sim_core.scene.files import read_text
from sim_core.scene.older.legacy import convert_old
from sim_core.scene.older.old_scale import bake_scales
from sim_core.scene.scene import Scene
from sim_core.scene.wbt.world_text import parse_scene
from sim_core.scene.x3d.x3d_loader import ENDINGS, load_x3d


def load_scene(path: str | Path, *, download: bool = False, skip_missing: bool = False) -> Scene:
    """Read a world file, and the PROTO files that it needs; what is old is converted (see `legacy.py`).

    Files that end in .x3d or .wrl are read as X3D and VRML97 (see `x3d.py`).

    Args:
        path: of the world.
        download: ask the network for files that are nowhere here.
        skip_missing: a PROTO that is nowhere becomes an empty node and a warning; unknown fields are
            passed over with a warning.

    Raises:
        SceneErrors: the file cannot be read, or with every problem found in it and in its PROTO files.
    """
    if Path(path).suffix.lower() in ENDINGS:
        return load_x3d(path)
    text = read_text(path, "a world file (.wbt)")
    return scene_from_text(text, path, download=download, skip_missing=skip_missing)


def scene_from_text(
    text: str, path: str | Path, *, download: bool = False, skip_missing: bool = False
) -> Scene:
    """As `load_scene`, of a text that is, or stands for, that of a world file (.wbt).

    Raises:
        SceneErrors: with every problem found in it and in its PROTO files.
    """
    scene = parse_scene(text, str(path), Assets.for_world(path, download), skip_missing)
    convert_old(scene)
    bake_scales(scene)
    return scene
