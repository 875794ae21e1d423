"""A robot that may read and change the whole world."""

from __future__ import annotations

from typing import Any

from .connection import print_error
from .device import Device
from .node import Node, make_node
from .robot import Robot


class Supervisor(Robot):
    """Access to nodes, labels and the simulation; the robot's field `supervisor` must be TRUE."""

    SIMULATION_MODE_PAUSE = 0
    SIMULATION_MODE_REAL_TIME = 1
    SIMULATION_MODE_FAST = 2
    SIMULATION_MODE_RUN = 2
    MOVIE_READY, MOVIE_RECORDING, MOVIE_SAVING, MOVIE_WRITE_ERROR, MOVIE_ENCODING_ERROR = range(5)

    def _ask(self, what: str, *arguments: Any) -> Any:
        return self._connection.call(what, *arguments)

    # ---- nodes

    def getRoot(self) -> Node:
        return make_node(self._ask("node_root")) or Node(-1)

    def getSelf(self) -> Node | None:
        return make_node(self._ask("node_self"))

    def getFromDef(self, name: str) -> Node | None:
        return make_node(self._ask("node_from_def", str(name)))

    def getFromId(self, id: int) -> Node | None:
        return make_node(self._ask("node_from_id", int(id)))

    def getFromDevice(self, device: Device | int) -> Node | None:
        tag = device.tag if isinstance(device, Device) else int(device)
        return make_node(self._ask("node_from_device", tag - 1))

    def getSelected(self) -> Node | None:
        """Return None: nodes cannot be selected."""
        return None

    # ---- the run

    def setLabel(
        self,
        id: int,
        label: str,
        x: float,
        y: float,
        size: float,
        color: int,
        transparency: float = 0.0,
        font: str = "Arial",
    ) -> None:
        self._ask("label", int(id), str(label), float(x), float(y), float(size), int(color),
                  float(transparency), str(font))  # fmt: skip

    def simulationQuit(self, status: int = 0) -> None:
        self._ask("quit", int(status))

    def simulationSetMode(self, mode: int) -> None:
        self._ask("set_mode", int(mode))

    def simulationGetMode(self) -> int:
        return int(self._ask("get_mode") or 0)

    def simulationReset(self) -> None:
        """Reset the world to its start; controllers are not restarted."""
        self._ask("reset")

    def simulationResetPhysics(self) -> None:
        self._ask("reset_physics")

    def worldLoad(self, filename: str) -> None:
        self._ask("world_load", str(filename))

    def worldReload(self) -> None:
        self._ask("world_load", None)

    simulationRevert = worldReload

    def worldSave(self, filename: str | None = None) -> bool:
        return bool(self._ask("world_save", filename))

    def exportImage(self, filename: str, quality: int) -> None:
        """Write a picture from the Viewpoint, 1280 × 720."""
        self._ask("export_image", str(filename), int(quality))

    # ---- recordings

    def movieStartRecording(
        self,
        filename: str,
        width: int,
        height: int,
        codec: int,
        quality: int,
        acceleration: int,
        caption: bool,
    ) -> None:
        """Record a movie from the Viewpoint; the file's ending selects the codec; captions are ignored."""
        size = [int(width), int(height)]
        self._ask("movie_start", str(filename), size, int(quality), float(acceleration))

    def movieStopRecording(self) -> None:
        self._ask("movie_stop")

    def movieIsReady(self) -> bool:
        return bool(self._ask("movie_is_ready"))

    def movieFailed(self) -> bool:
        return bool(self._ask("movie_failed"))

    def movieGetStatus(self) -> int:
        if not self.movieIsReady():
            return self.MOVIE_RECORDING
        return self.MOVIE_WRITE_ERROR if self.movieFailed() else self.MOVIE_READY

    def animationStartRecording(self, filename: str) -> bool:
        """Record an animation: a web page that shows all motions."""
        return bool(self._ask("animation_start", str(filename)))

    def animationStopRecording(self) -> bool:
        return bool(self._ask("animation_stop"))

    # ---- names of Webots 6

    simulationPhysicsReset = simulationResetPhysics

    def startMovie(
        self,
        filename: str,
        width: int,
        height: int,
        type: int = 0,
        quality: int = 75,
        acceleration: int = 1,
        caption: bool = False,
    ) -> None:
        """Record a movie, as `movieStartRecording`."""
        self.movieStartRecording(filename, width, height, type, quality, acceleration, caption)

    stopMovie = movieStopRecording

    def startAnimation(self, filename: str) -> None:
        """Record an animation, as `animationStartRecording`; a web page is written instead of a .wva file."""
        if filename.endswith(".wva"):
            page = filename.removesuffix(".wva") + ".html"
            print_error(
                f"Supervisor.startAnimation(): writes {page} instead of {filename}, which nothing plays"
            )
            filename = page
        self.animationStartRecording(filename)

    def stopAnimation(self) -> None:
        self.animationStopRecording()

    # ---- what is not there

    def virtualRealityHeadsetIsUsed(self) -> bool:
        return False

    def virtualRealityHeadsetGetPosition(self) -> None:
        return None

    def virtualRealityHeadsetGetOrientation(self) -> None:
        return None

    simulation_mode = property(simulationGetMode, simulationSetMode)
