"""`~/shot`, `~/start_movie`, `~/stop_movie`, `~/start_animation`, `~/stop_animation`, `~/save_traces`."""

from __future__ import annotations

from pathlib import Path

from ros_bridge.base.log import Log
from ros_bridge.parameters.bridge_params import RECORDING, BridgeParams
from ros_bridge.parameters.options import RecordingOptions, RunOptions
from sim_core.devices.drawing.pen import Pen
from sim_core.devices.drawing.trace_pictures import save_traces
from sim_core.recording.animation import ENDINGS as PAGES
from sim_core.recording.targets import checked_target, size_of
from sim_core.recording.video_file import ENDINGS as VIDEOS
from sim_core.recording.video_file import check_format, check_speed
from sim_core.session.simulation import Simulation


class RecordingServices:
    """Makes pictures and recordings of a simulation, configured by parameters.

    Args:
        sim: the simulation; its recordings log their progress.
        params: parameters at the start.
        log: of the node.
    """

    def __init__(self, sim: Simulation, params: BridgeParams, log: Log) -> None:
        self._sim = sim
        self._values: dict[str, str] = {name: getattr(params, name) for name in RECORDING}
        sim.recordings.report, sim.recordings.warn = log.info, log.error

    def set_parameter(self, name: str, value: str) -> None:
        """Change a parameter; it takes effect at the next picture or recording."""
        self._values[name] = value

    def shot(self) -> str:
        """Save a picture; return a line with its file."""
        width, height = size_of(self._values["picture_size"])
        camera = self._values["picture_camera"]
        path = self._sim.supervisor.export_image(self._values["shot_file"], width, height, camera=camera)
        return f"saved as {path.resolve()}"

    def start_movie(self) -> str:
        """Start a movie; return a line with its file."""
        values, file = self._values, self._values["movie_file"]
        start_movie(
            self._sim, RecordingOptions(file, values["picture_size"], camera=values["picture_camera"])
        )
        return f"recording {Path(file).resolve()} from {self._sim.time:g} s"

    def start_animation(self) -> str:
        """Start an animation; return a line with its file."""
        file = self._values["animation_file"]
        self._sim.recordings.start_recording("animation", file)
        return f"recording {Path(file).resolve()} from {self._sim.time:g} s"


def check_recordings(options: RunOptions) -> None:
    """Refuse invalid recordings before a world is loaded.

    Raises:
        ConfigError: a file or a number is invalid.
    """
    if options.movie is not None:
        check_movie(options.movie)
    if options.animation is not None:
        check_animation(options.animation)


def check_animation(how: RecordingOptions) -> None:
    """Refuse an animation that cannot be made.

    Raises:
        ConfigError: the file or the speed is not possible.
    """
    check_speed(how.speed)
    checked_target(how.file, PAGES)


def check_movie(how: RecordingOptions) -> None:
    """Refuse a movie that cannot be made.

    Raises:
        ConfigError: the file or a number is not possible.
    """
    path = checked_target(how.file, VIDEOS)
    width, height = size_of(how.size)
    check_format(path.suffix.lower(), width or 2, height or 2, how.fps, how.quality)
    check_speed(how.speed)


def begin_recordings(sim: Simulation, options: RunOptions) -> None:
    """Start the recordings that begin with the run.

    Raises:
        OdesimError: one cannot be started.
    """
    if options.movie is not None:
        start_movie(sim, options.movie)
    if options.animation is not None:
        start_animation(sim, options.animation)


def start_animation(sim: Simulation, how: RecordingOptions) -> None:
    """Start an animation.

    Raises:
        OdesimError: it cannot be started.
    """
    sim.recordings.start_recording("animation", how.file, fps=how.fps, speed=how.speed)


def start_movie(sim: Simulation, how: RecordingOptions) -> None:
    """Start a movie.

    Raises:
        OdesimError: it cannot be started.
    """
    width, height = size_of(how.size)
    sim.recordings.start_recording(
        "movie",
        how.file, width=width, height=height, fps=how.fps, speed=how.speed, camera=how.camera,
        quality=how.quality,
        look=how.look,
    )  # fmt: skip


def save_all_traces(sim: Simulation, file: str) -> str:
    """Write the traces of all pens to a .png or .svg file.

    Returns:
        A line about what was written.

    Raises:
        CommandError: nothing has been drawn, the suffix is wrong, or the file cannot be written.
    """
    pens = [
        device
        for robot in sim.robots.values()
        for device in robot.devices.values()
        if isinstance(device, Pen)
    ]
    view = save_traces(file, [pen.trace for pen in pens])
    return (
        f"{Path(file).resolve()}: x from {view.left:.3g} to {view.right:.3g} m, y from {view.bottom:.3g} to "
        + (f"{view.top:.3g} m, {view.pixels_per_metre:.4g} pixels per metre")
    )
