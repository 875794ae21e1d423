"""Panel to save, revert and load the world."""

from __future__ import annotations

from typing import Any

from ros_bridge.viewer.panel import NOTHING, Room, download
from sim_core.base.shipped import shipped_worlds


class WorldPanel:
    """Buttons to save, revert and load."""

    def __init__(self, room: Room) -> None:
        self._room = room
        gui = room.server.gui
        with gui.add_folder("World", expand_by_default=False):
            room.when(gui.add_button("Download current world", icon="download"), self._download)
            save = gui.add_button(
                "Save next to the world file",
                icon="device-floppy",
                hint="on the simulation's machine: NAME_saved.wbt, or the file of the parameter save_file",
            )
            room.when(save, lambda _: self._call("save"))
            room.when(gui.add_button("Revert to file", icon="refresh"), lambda _: self._call("revert"))
            choice = gui.add_dropdown("Worlds", (NOTHING, *shipped_worlds()))
            self._world = gui.add_text(
                "World", "", hint="file on the simulation's machine, or name of a world"
            )
            room.when(choice, lambda event: self._choose(event.target.value))
            room.when(gui.add_button("Load", icon="folder-open"), lambda _: self._load_world())

    def refresh(self, now: float) -> None:
        """Do nothing: nothing here changes by itself."""

    def _choose(self, name: str) -> None:
        if name != NOTHING:
            self._world.value = name

    def _call(self, service: str) -> None:
        selection = self._room.selection
        if service == "revert":
            self._room.history.clear()

        def answered(response: Any) -> None:
            if response is None:
                selection.say(f"{service}: no answer", refused=True)
            else:
                selection.say(response.message, refused=not response.success)

        self._room.must(self._room.link.call(service, answered))

    def _download(self, event: Any) -> None:
        """Send the world as a file to the browser that asked for it."""

        def send(response: Any) -> None:
            if response is None or not response.success:
                text = "no answer" if response is None else response.message
                self._room.selection.say(f"world_text: {text}", refused=True)
            else:
                download(event.client, "world.wbt", response.message.encode())

        self._room.must(self._room.link.call("world_text", send))

    def _load_world(self) -> None:
        if not self._world.value.strip():
            self._room.selection.say("No world is given. Enter a file or a name.", refused=True)
        elif not self._room.link.send("load_world", self._world.value.strip()):
            self._room.selection.say("No simulation is running.", refused=True)
        else:
            self._room.selection.say("")
            self._room.history.clear()
