"""Movies and animations that supervisors ask for."""

from __future__ import annotations

from pathlib import Path

from sim_core.session.simulation import Simulation


class Films:
    """Starts and ends them; remembers whether the last movie failed."""

    def __init__(self) -> None:
        self.has_failed = False

    def start_movie(self, sim: Simulation, file: Path, size: list[int], quality: int, speed: float) -> None:
        """Begin a movie of what the Viewpoint sees.

        Raises:
            OdesimError: it is not possible.
        """
        self.has_failed = True
        sim.recordings.start("movie", file, width=size[0], height=size[1], quality=quality, speed=speed)
        self.has_failed = False

    def stop_movie(self, sim: Simulation) -> None:
        """End it.

        Raises:
            OdesimError: there is none, or its file cannot be written.
        """
        self.has_failed = True
        sim.recordings.stop("movie")
        self.has_failed = False

    def is_ready(self, sim: Simulation) -> bool:
        """Whether no movie is being made."""
        return "movie" not in sim.recordings.running

    def start_animation(self, sim: Simulation, file: Path) -> bool:
        """Begin an animation.

        Raises:
            OdesimError: it is not possible.
        """
        sim.recordings.start("animation", file)
        return True

    def stop_animation(self, sim: Simulation) -> bool:
        """End it.

        Raises:
            OdesimError: there is none, or its file cannot be written.
        """
        sim.recordings.stop("animation")
        return True
