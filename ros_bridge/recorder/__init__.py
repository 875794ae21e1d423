"""Records topics to rosbag2 bags; reads, plots and replays bags.

`bag_writer.BagWriter` writes a bag from any process; `recording.Recording` records a simulation from inside
it; `record_node` records any ROS topics. Modules are imported where they are used, so that
a run without a recording does not load them.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from sim_core.base.errors import RecordingError


def check_installed() -> None:
    """Raise RecordingError if a library that bags need is not installed."""
    for name in ("mcap", "rosbags"):
        if find_spec(name) is None:
            raise RecordingError(f"bags need the Python package {name}, found none: pip install {name}")


def check_new(folder: Path) -> None:
    """Raise RecordingError if no bag can be created there: the folder exists, or a library is missing."""
    check_installed()
    if folder.exists():
        raise RecordingError(f"{folder}: exists already, expected a new folder: no recording is overwritten")
