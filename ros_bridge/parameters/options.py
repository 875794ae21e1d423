"""What one run of the simulation node is asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class RecordingOptions:
    """A movie or an animation of a run, from its start to its end."""

    file: str
    """Its ending says the format."""
    size: str = ""
    """WIDTHxHEIGHT of a movie; empty: that of the camera, or 1280x720."""
    fps: float = 25.0
    speed: float = 1.0
    """Simulated seconds in one second of it."""
    camera: str = ""
    """ROBOT/DEVICE to look through in a movie; empty: the Viewpoint."""
    quality: int = 75
    look: str = ""
    """`fine` or `fast`; empty: fine from the Viewpoint, and as it is drawn for a camera."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run; None means: as the parameter files say."""

    world: str
    """Path of the world file."""
    snapshot: str | None = None
    """File of a snapshot to go on from, whose world `world` is; None: the run begins at the world's start."""
    mode: str | None = None
    """`realtime`, `fast` or `paused`; or `fast2d`, which is short for the parameter physics."""
    speed: float | None = None
    """Simulated seconds per second of wall time in the mode `realtime`."""
    seed: int | None = None
    layout: str | None = None
    """Of the names of topics and frames."""
    bridge: str | None = None
    """File of ros_gz_bridge, whose names topics have."""
    params: Sequence[str | Path] = ()
    """Parameter files, in the order in which they are read; a later one wins."""
    duration: float | None = None
    """Simulated seconds after which the run ends."""
    timeout: float | None = None
    """Seconds of wall time after which the run is ended, and has failed; None: there is no such limit."""
    controllers: bool = True
    """Whether the controllers that the world names are started."""
    plugins: bool = True
    """Whether the physics plug-in that it names is run."""
    allow_imported_controllers: bool = False
    """Whether what comes while the world runs may start controllers and physics plug-ins."""
    wait_extern: bool = False
    """Whether `<extern>` robots are waited for before a controller has attached."""
    controller_port: int | None = None
    """TCP port of this machine at which controllers are served too, 0: any; None: at none."""
    webots_protocol: int | None = None
    """Number of the instance at which all robots are served to controllers that were made for Webots; None:
    the first that is free, and those robots whose controllers come from elsewhere."""
    libcontroller: bool = False
    """Whether Python controllers use Webots' own module `controller` in place of ours."""
    webots_tcp: str | None = None
    """Version of Webots' controllers that are served by TCP too, at a port of that number; None: none are."""
    download: bool = False
    """Whether the network is asked for files that are nowhere here."""
    strict: bool = False
    """Whether a world with mistakes, or with PROTO files that are nowhere, is refused."""
    urdf: Sequence[str] = ()
    """URDF, SDF or xacro files of robots to put into the world; see `sim_core.scene.urdf.spawn`."""
    movie: RecordingOptions | None = None
    animation: RecordingOptions | None = None
    hurry: bool = False
    """Without `mode`: `fast`, unless a controller that is not in lock-step would be left behind."""
    viewer: bool = False
    """Whether a viewer runs beside it."""
    progress: bool = False
    """Whether a bar shows how much of `duration` is over."""
    record: str | None = None
    """Folder of a bag to be made; None: no recording."""
    record_topic: Sequence[str] = ()
    """Names of topics to record, with `*` and `?`; empty: all."""
    ros_args: Sequence[str] = field(default_factory=tuple)
    """Arguments for rclpy, without or with a leading `--ros-args`."""
