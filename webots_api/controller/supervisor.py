"""A robot that may see and change everything."""

from __future__ import annotations

from typing import Any

from .device import Device
from .node import Node, make_node
from .robot import Robot


class Supervisor(Robot):
    """Nodes, labels and the run itself; the robot's field `supervisor` must be TRUE."""

    SIMULATION_MODE_PAUSE = 0
    SIMULATION_MODE_REAL_TIME = 1
    SIMULATION_MODE_FAST = 2
    SIMULATION_MODE_RUN = 2
    MOVIE_READY, MOVIE_RECORDING, MOVIE_SAVING, MOVIE_WRITE_ERROR, MOVIE_ENCODING_ERROR = range(5)

    def _ask(self, what: str, *arguments: Any) -> Any:
        return self._link.call(what, *arguments)

    # ---- nodes

    def getRoot(self) -> Node:
        node = make_node(self._ask("node_root"))
        return node or Node({"id": -1, "def": "", "type": "Group", "base": "Group"})

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
        """Nothing is ever selected."""
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

    def simulationQuit(self, status: int) -> None:
        self._ask("quit", int(status))

    def simulationSetMode(self, mode: int) -> None:
        self._ask("set_mode", int(mode))

    def simulationGetMode(self) -> int:
        return int(self._ask("get_mode") or 0)

    def simulationReset(self) -> None:
        """The world at its start; no controller is started anew."""
        self._ask("reset")

    def simulationRevert(self) -> None:
        self.worldReload()

    def simulationResetPhysics(self) -> None:
        self._ask("reset_physics")

    def worldLoad(self, filename: str) -> None:
        self._ask("world_load", str(filename))

    def worldReload(self) -> None:
        self._ask("world_load", None)

    def worldSave(self, filename: str | None = None) -> bool:
        return bool(self._ask("world_save", filename))

    def exportImage(self, filename: str, quality: int) -> None:
        """What the Viewpoint sees, 1280 × 720."""
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
        """The name's ending (.mp4, .webm, .gif) says the format; `codec` and `caption` are not used."""
        size = int(width), int(height)
        self._ask("start_movie", str(filename), *size, int(quality), int(acceleration))

    def movieStopRecording(self) -> None:
        self._ask("stop_movie")

    def movieIsReady(self) -> bool:
        return self.movieGetStatus() in (self.MOVIE_READY, self.MOVIE_WRITE_ERROR)

    def movieFailed(self) -> bool:
        return self.movieGetStatus() > self.MOVIE_SAVING

    def movieGetStatus(self) -> int:
        status = self._ask("movie_status")
        return self.MOVIE_READY if status is None else int(status)

    def animationStartRecording(self, filename: str) -> bool:
        """An .html file."""
        return bool(self._ask("start_animation", str(filename)))

    def animationStopRecording(self) -> bool:
        return bool(self._ask("stop_animation"))

    # ---- what is not there

    def virtualRealityHeadsetIsUsed(self) -> bool:
        return False

    def virtualRealityHeadsetGetPosition(self) -> None:
        return None

    def virtualRealityHeadsetGetOrientation(self) -> None:
        return None

    simulation_mode = property(simulationGetMode, simulationSetMode)
