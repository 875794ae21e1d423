"""Options of one run of the simulation node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RecordingOptions:
    """A movie or an animation of a whole run."""

    file: str
    """The suffix determines the format."""
    size: str = ""
    """WIDTHxHEIGHT of a movie; empty: that of the camera, or 1280x720."""
    fps: float = 25.0
    speed: float = 1.0
    """Simulated seconds per second of the recording."""
    camera: str = ""
    """ROBOT/DEVICE whose view a movie shows; empty: the Viewpoint."""
    quality: int = 75
    look: str = ""
    """`fine` or `fast`; empty: fine for the Viewpoint, and for a camera as its pictures are drawn."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run; None means: as set in the parameter files."""

    world: str
    """Path of the world file."""
    snapshot: str | None = None
    """Snapshot file to continue from, for the world `world`; None: the run begins at the world's start."""
    mode: str | None = None
    """`realtime`, `fast` or `paused`; or `fast2d`, an abbreviation for the parameter physics."""
    speed: float | None = None
    """Simulated seconds per second of wall time in the mode `realtime`."""
    seed: int | None = None
    layout: str | None = None
    """Layout of the names of topics and frames."""
    bridge: str | None = None
    """File of ros_gz_bridge, whose topic names are used."""
    params: Sequence[str | Path] = ()
    """Parameter files in reading order; a later one replaces values of an earlier one."""
    duration: float | None = None
    """Simulated seconds after which the run ends."""
    timeout: float | None = None
    """Seconds of wall time after which the run is ended, and has failed; None: there is no such limit."""
    controllers: bool = True
    """Whether to start the controllers that the world names."""
    controller_output: str | None = None
    """File to which the output of these controllers is appended; None: it is logged."""
    plugins: bool = True
    """Whether to run the physics plug-in that it names."""
    allow_imported_controllers: bool = False
    """Whether worlds and robots added at run time may start controllers and physics plug-ins."""
    wait_extern: bool = False
    """Whether to wait for `<extern>` robots before a controller has connected."""
    controller_port: int | None = None
    """TCP port on this machine that also accepts controllers, 0: any; None: none."""
    webots_protocol: int | None = None
    """Instance number at which all robots accept controllers made for Webots; None: the first free number,
    for robots whose controllers are started elsewhere."""
    libcontroller: bool = False
    """Whether Python controllers use Webots' own module `controller` instead of ours."""
    webots_tcp: str | None = None
    """Version of Webots whose controllers are also accepted by TCP, at a port of that number; None: none."""
    download: bool = False
    """Whether missing files are downloaded."""
    strict: bool = False
    """Whether a world with errors, or with missing PROTO files, is refused."""
    urdf: Sequence[str] = ()
    """URDF, SDF or xacro files of robots to add to the world; see `sim_core.scene.urdf.spawn`."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Values of fields that the world has in place of those in its file; see `sim_core.scene.by_name`."""
    movie: RecordingOptions | None = None
    animation: RecordingOptions | None = None
    hurry: bool = False
    """Without `mode`: use `fast`, unless a controller that is not in lock-step would fall behind."""
    viewer: bool = False
    """Whether to run a viewer beside it."""
    viewer_port: int | None = None
    """First port to try for it, 0: any; None: as the viewer does by itself."""
    progress: bool = False
    """Whether to show a progress bar for `duration`."""
    record: str | None = None
    """Folder of the bag to record; None: no recording."""
    record_topic: Sequence[str] = ()
    """Names of topics to record, with `*` and `?`; empty: all."""
    ros_args: Sequence[str] = field(default_factory=tuple)
    """Arguments for rclpy, with or without a leading `--ros-args`."""
