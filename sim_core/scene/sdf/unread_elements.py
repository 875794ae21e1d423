"""Elements of a file that were not read, listed in one warning."""

from __future__ import annotations

from collections.abc import Iterator

from sim_core.base.errors import SceneError
from sim_core.scene.gazebo.tags import GazeboTags, in_one_warning
from sim_core.scene.node import Source
from sim_core.scene.x3d.scenery_item import Item

SILENT = frozenset(("gui", "audio", "atmosphere", "wind", "magnetic_field", "state", "scene", "plugin"))
"""Elements within which nothing is listed: they concern Gazebo's window, or are ignored as a whole."""


def without_effect(roots: list[Item], models: list[GazeboTags], read_ids: set[int]) -> list[SceneError]:
    """Return one warning that lists the kinds of elements without effect; none: all were read.

    Args:
        roots: root elements of the files.
        models: sensors and plugins of the models.
        read_ids: ids of the elements that were read.
    """
    found = [each for root in roots for each in _unread(root, read_ids)]
    found += [each for tags in models for each in tags.unread_tags()]
    return in_one_warning("SDF tags", found)


def _unread(item: Item, read_ids: set[int]) -> Iterator[tuple[str, Source]]:
    """Yield the unread elements within an element, with the name of the outer element, and their places."""
    for _, child in item.children:
        if (item.name, child.name) == ("world", "plugin"):
            continue  # they are among the models' tags
        if id(child) not in read_ids:
            yield f"{item.name}/{child.name}", child.source
        elif child.name not in SILENT:
            yield from _unread(child, read_ids)
