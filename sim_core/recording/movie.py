"""A movie of a simulation."""

from __future__ import annotations

from pathlib import Path

from sim_core.base.arrays import Pixels
from sim_core.base.errors import ConfigError
from sim_core.recording.frame_clock import FrameClock
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.recording.video_file import VideoFile, check_format, check_speed
from sim_core.recording.viewpoint import WorldView


class Movie:
    """Writes pictures of a world into a video file while it is simulated.

    Frame k shows the world at the end of the first step that ends at k·speed/fps of sim time or later,
    counted from now. So the movie plays at `speed` times the speed of sim time, however fast the simulation
    runs; while a picture is drawn the simulation continues. A reset does not end it: the frames continue.

    Args:
        sim: the simulation; a first picture of it is taken now.
        file: .mp4, .webm, .avi or .gif.
        width, height: pixels; 0 each: those of the camera, or 1280 × 720.
        fps: pictures per second of the movie.
        speed: seconds of sim time in one second of the movie.
        camera: `ROBOT/DEVICE` to look through; empty: the Viewpoint.
        quality: 1 to 100.
        look: see `WorldView`.

    Raises:
        ConfigError: an argument is not possible, or pictures cannot be drawn here.
        DeviceError: there is no such camera.
    """

    def __init__(
        self,
        sim: RecordedSimulation,
        file: str | Path,
        width: int = 0,
        height: int = 0,
        fps: float = 25.0,
        speed: float = 1.0,
        camera: str = "",
        quality: int = 75,
        look: str = "",
    ) -> None:
        check_speed(speed)
        view = WorldView(sim, width, height, camera, look)
        ending = Path(file).suffix.lower()
        if camera and ending != ".gif":  # the camera's own size may be odd, which video codecs do not accept
            width, height = width or view.width + view.width % 2, height or view.height + view.height % 2
            view = WorldView(sim, width, height, camera, look)
        check_format(ending, view.width, view.height, fps, quality)
        self._view = view
        first = view.picture()
        self._file = VideoFile(file, view.width, view.height, fps, quality)
        self._clock = FrameClock(sim.time_ns, fps / speed)
        self._clock.next_frame(sim.time_ns)
        self._picture: Pixels = first
        self._error: ConfigError | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def after_step(self, time_ns: int) -> None:
        """Request a picture if one is due; called after each step.

        Raises:
            ConfigError: the file cannot be written, or pictures cannot be drawn any more.
        """
        slot = self._clock.next_frame(time_ns)
        if self._error is not None:
            raise self._error
        if slot is not None:
            self._view.request(lambda picture: self._receive(slot, picture))
            if not self._view.works:
                raise ConfigError(f"{self.path}: the movie ends here, as pictures cannot be drawn any more")

    def wait_for_pictures(self) -> None:
        """Wait for the pending picture."""
        self._view.wait()

    def close(self) -> str:
        """Finish the file; return a line that describes it.

        Raises:
            ConfigError: it cannot be written.
        """
        self._view.wait()
        if self._error is not None:
            raise self._error
        self._write_until(max(1, self._clock.count()))
        self._file.close()
        return f"{self.path}: {self._file.count} pictures of {self._view.width}x{self._view.height}"

    def _receive(self, slot: int, picture: Pixels) -> None:
        """Receive the picture of a frame; the previous picture fills the frames until then."""
        try:
            self._write_until(slot)
        except (
            ConfigError
        ) as error:  # raised by the next `after_step`, as this is called in the middle of a step
            self._error = error
        self._picture = picture

    def _write_until(self, slot: int) -> None:
        while self._file.count < slot:
            self._file.add_picture(self._picture)
