"""Panel that shows and hides parts of the scene, by marker namespace."""

from __future__ import annotations

from typing import Any

from ros_bridge.viewer.panel import ViewerContext
from ros_bridge.viewer.scene.scene_view import TRACE_SUFFIX


class LayerPanel:
    """A checkbox for each marker namespace, and for grid, axes, labels and all pen traces."""

    def __init__(self, context: ViewerContext) -> None:
        self._context = context
        gui = context.server.gui
        grid = context.server.scene.add_grid(
            "/grid", 20.0, 20.0, cell_size=0.5, section_size=1.0, visible=False
        )
        axes = context.server.scene.add_frame("/axes", axes_length=0.5, axes_radius=0.01, visible=False)
        context.switches["G"] = self._switch("Grid", False, lambda shown: setattr(grid, "visible", shown))
        self._switch("World axes", False, lambda shown: setattr(axes, "visible", shown))
        context.switches["L"] = self._switch("Labels", False, context.view.show_labels)
        self._switch("Pen traces", True, self._show_traces)
        self._traces_shown = True
        self._folder = gui.add_folder("By namespace")
        self._boxes: dict[str, Any] = {}

    def refresh(self, now: float) -> None:
        """Add and remove checkboxes to match the namespaces."""
        names = self._context.state.namespaces()
        if names.keys() == self._boxes.keys():
            return
        for name in self._boxes.keys() - names.keys():
            self._boxes.pop(name).remove()
        with self._folder:
            for name in names:
                if name not in self._boxes:
                    self._add(name)

    def _add(self, name: str) -> None:
        if name.endswith(TRACE_SUFFIX) and not self._traces_shown:
            self._context.view.set_visible(name, False)
        view = self._context.view
        self._boxes[name] = self._switch(
            name, view.is_visible(name), lambda shown: view.set_visible(name, shown)
        )

    def _show_traces(self, shown: bool) -> None:
        self._traces_shown = shown
        for name, box in self._boxes.items():
            if name.endswith(TRACE_SUFFIX):
                self._context.view.set_visible(name, shown)
                box.value = shown

    def _switch(self, label: str, value: bool, act: Any) -> Any:
        box = self._context.server.gui.add_checkbox(label, value)
        self._context.on_use(box, lambda event: act(event.target.value))
        return box
