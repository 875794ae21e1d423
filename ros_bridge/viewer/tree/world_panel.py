"""Panel to save, revert and load the world."""

from __future__ import annotations

from typing import Any

from ros_bridge.viewer.panel import NOTHING, ViewerContext, download
from sim_core.base.shipped import shipped_worlds


class WorldPanel:
    """Buttons to save, revert and load."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        with gui.add_folder("World", expand_by_default=False):
            context.on_use(gui.add_button("Download current world", icon="download"), self._download)
            save = gui.add_button(
                "Save next to the world file",
                icon="device-floppy",
                hint="on the simulation's machine: NAME_saved.wbt, or the file of the parameter save_file",
            )
            context.on_use(save, lambda _: self._call("save"))
            context.on_use(gui.add_button("Revert to file", icon="refresh"), lambda _: self._call("revert"))
            choice = gui.add_dropdown("Worlds", (NOTHING, *shipped_worlds()))
            self._world = gui.add_text(
                "World", "", hint="file on the simulation's machine, or name of a world"
            )
            context.on_use(choice, lambda event: self._choose(event.target.value))
            context.on_use(gui.add_button("Load", icon="folder-open"), lambda _: self._load_world())

    def refresh(self, now: float) -> None:
        """Do nothing: nothing here changes by itself."""

    def _choose(self, name: str) -> None:
        if name != NOTHING:
            self._world.value = name

    def _call(self, service: str) -> None:
        selection = self._context.selection
        if service == "revert":
            self._context.history.clear_history()

        def answered(response: Any) -> None:
            if response is None:
                selection.show_message(f"{service}: no answer", refused=True)
            else:
                selection.show_message(response.message, refused=not response.success)

        self._context.report_unsent(self._context.link.call(service, answered))

    def _download(self, event: Any) -> None:
        """Send the world as a file to the browser that asked for it."""

        def send(response: Any) -> None:
            if response is None or not response.success:
                text = "no answer" if response is None else response.message
                self._context.selection.show_message(f"world_text: {text}", refused=True)
            else:
                download(event.client, "world.wbt", response.message.encode())

        self._context.report_unsent(self._context.link.call("world_text", send))

    def _load_world(self) -> None:
        if not self._world.value.strip():
            self._context.selection.show_message("No world is given. Enter a file or a name.", refused=True)
        elif not self._context.link.send_text("load_world", self._world.value.strip()):
            self._context.selection.show_message("No simulation is running.", refused=True)
        else:
            self._context.selection.show_message("")
            self._context.history.clear_history()
