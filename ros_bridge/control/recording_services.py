"""`~/shot`, `~/start_movie`, `~/stop_movie`, `~/start_animation`, `~/stop_animation`."""

from __future__ import annotations

from pathlib import Path

from ros_bridge.cli.shot import size_of
from ros_bridge.control.services import Service
from ros_bridge.log import Log
from ros_bridge.node.options import RecordingOptions, RunOptions
from ros_bridge.node.parameter_table import RECORDING
from ros_bridge.node.parameters import BridgeParams
from sim_core.recording.animation import ENDINGS as PAGES
from sim_core.recording.targets import checked_target
from sim_core.recording.video_file import ENDINGS as VIDEOS
from sim_core.recording.video_file import check_format, check_speed
from sim_core.session.simulation import Simulation


class RecordingServices:
    """Makes pictures and recordings of a simulation, as the parameters say.

    Args:
        sim: the simulation; its recordings tell the log of themselves.
        params: the parameters at the start.
        log: of the node.
    """

    def __init__(self, sim: Simulation, params: BridgeParams, log: Log) -> None:
        self._sim = sim
        self._values: dict[str, str] = {name: getattr(params, name) for name in RECORDING}
        sim.recordings.tell, sim.recordings.warn = log.info, log.error

    def set(self, name: str, value: str) -> None:
        """A parameter has changed; it counts from the next picture or recording on."""
        self._values[name] = value

    def services(self) -> dict[str, Service]:
        """By name."""
        return {
            "shot": self._shot,
            "start_movie": self._start_movie,
            "stop_movie": self._sim.supervisor.stop_movie,
            "start_animation": self._start_animation,
            "stop_animation": self._sim.supervisor.stop_animation,
        }

    def _shot(self) -> str:
        width, height = size_of(self._values["picture_size"])
        camera = self._values["picture_camera"]
        path = self._sim.supervisor.export_image(self._values["shot_file"], width, height, camera=camera)
        return f"saved as {path.resolve()}"

    def _start_movie(self) -> str:
        values, file = self._values, self._values["movie_file"]
        start_movie(
            self._sim, RecordingOptions(file, values["picture_size"], camera=values["picture_camera"])
        )
        return f"recording {Path(file).resolve()} from {self._sim.time:g} s"

    def _start_animation(self) -> str:
        file = self._values["animation_file"]
        self._sim.supervisor.start_animation(file)
        return f"recording {Path(file).resolve()} from {self._sim.time:g} s"


def check_recordings(options: RunOptions) -> None:
    """Refuse what cannot be recorded, before a world is loaded.

    Raises:
        ConfigError: a file or a number is not possible.
    """
    if options.movie is not None:
        how = options.movie
        path = checked_target(how.file, VIDEOS)
        width, height = size_of(how.size)
        check_format(path.suffix.lower(), width or 2, height or 2, how.fps, how.quality)
        check_speed(how.speed)
    if options.animation is not None:
        check_speed(options.animation.speed)
        checked_target(options.animation.file, PAGES)


def begin_recordings(sim: Simulation, options: RunOptions) -> None:
    """Start what is recorded from the start.

    Raises:
        OdesimError: it is not possible.
    """
    if options.movie is not None:
        start_movie(sim, options.movie)
    if options.animation is not None:
        how = options.animation
        sim.supervisor.start_animation(how.file, fps=how.fps, speed=how.speed)


def start_movie(sim: Simulation, how: RecordingOptions) -> None:
    """Begin a movie.

    Raises:
        OdesimError: it is not possible.
    """
    width, height = size_of(how.size)
    sim.supervisor.start_movie(
        how.file, width=width, height=height, fps=how.fps, speed=how.speed, camera=how.camera,
        quality=how.quality,
    )  # fmt: skip
