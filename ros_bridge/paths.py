"""Where the files that come with odesim are; see `sim_core/shipped.py`."""

from sim_core.shipped import (
    CODE,
    PACKAGE,
    WORLD_ENDINGS,
    find_world,
    is_source_tree,
    share_dir,
    shipped_worlds,
    worlds_below,
)

__all__ = [
    "CODE",
    "PACKAGE",
    "WORLD_ENDINGS",
    "find_world",
    "is_source_tree",
    "share_dir",
    "shipped_worlds",
    "worlds_below",
]
