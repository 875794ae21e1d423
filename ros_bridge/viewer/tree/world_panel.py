"""Panel to save, revert and load the world."""

from __future__ import annotations

from typing import Any

from ros_bridge.viewer.panel import NOTHING, ViewerContext, download
from sim_core.base.shipped import shipped_worlds

NEW_WORLD = """#VRML_SIM R2025a utf8
WorldInfo { title "New world" basicTimeStep 8 }
Viewpoint { position -6 0 4 orientation 0 1 0 0.55 }
Background { skyColor 0.55 0.72 0.9 }
DirectionalLight { direction 0.4 -0.3 -1 intensity 2 ambientIntensity 0.4 castShadows TRUE }
Solid {
  name "floor"
  children Shape {
    appearance PBRAppearance { baseColor 0.75 0.75 0.72 roughness 1 metalness 0 }
    geometry Plane { size 10 10 }
    castShadows FALSE
  }
  boundingObject Plane { size 10 10 }
  locked TRUE
}
"""


class WorldPanel:
    """Buttons to save, revert and load."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        with gui.add_folder("World", expand_by_default=False):
            context.on_use(gui.add_button("Download current world", icon="download"), self._download)
            hint = "on the simulation's machine; empty: NAME_saved.wbt next to the world file"
            self._file = gui.add_text("Save as", "", hint=hint)
            save = gui.add_button("Save", icon="device-floppy")
            context.on_use(save, lambda _: self._save())
            context.on_use(gui.add_button("Revert to file", icon="refresh"), lambda _: self._call("revert"))
            choice = gui.add_dropdown("Worlds", (NOTHING, *shipped_worlds()))
            self._world = gui.add_text(
                "World", "", hint="file on the simulation's machine, or name of a world"
            )
            context.on_use(choice, lambda event: self._choose(event.target.value))
            load = gui.add_button("Load", icon="folder-open")
            context.on_use(load, lambda _: self._load_world(self._world.value.strip()))
            new = gui.add_button("New world", icon="file-plus", hint="a floor, the sun and a sky")
            context.on_use(new, lambda _: self._load_world(NEW_WORLD))

    def refresh(self, now: float) -> None:
        """Do nothing: nothing here changes by itself."""

    def _choose(self, name: str) -> None:
        if name != NOTHING:
            self._world.value = name

    def _save(self) -> None:
        """Save to the file that is given; without one, where the simulation chooses."""

        def answered(refusal: str) -> None:
            if refusal:
                self._context.selection.show_message(refusal, refused=True)
            else:
                self._call("save")

        file = self._file.value.strip()
        self._context.report_unsent(self._context.link.set_parameter("save_file", file, answered))

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

    def _load_world(self, world: str) -> None:
        if not world:
            self._context.selection.show_message("No world is given. Enter a file or a name.", refused=True)
        elif not self._context.link.send_text("load_world", world):
            self._context.selection.show_message("No simulation is running.", refused=True)
        else:
            self._context.selection.show_message("")
            self._context.history.clear_history()
