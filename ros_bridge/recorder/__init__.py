"""Records topics as rosbag2 bags, and reads, draws and repeats what was recorded.

`bag_writer.BagWriter` writes a bag from any process; `recording.Recording` records a simulation from inside
it; `record_node` records any ROS topics. Files are imported where they are used: nothing here costs a run
without a recording anything.
"""

from __future__ import annotations

from pathlib import Path

from sim_core.errors import RecordingError


def check_new(folder: Path) -> None:
    """Raise RecordingError if there is something of that name already."""
    if folder.exists():
        raise RecordingError(f"{folder}: exists already, expected a new folder: no recording is overwritten")
