"""Lights and appearance of a world in a page of viser, live or recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sim_core.recording.page_surroundings import DIRECTIONAL_DISTANCE

SCRIPTS = ("occlusion", "look", "levels", "batches")
"""Names of the scripts that do in the browser what viser has no message for."""
SHADOW_SUFFIX = "_shadow"
"""Suffix of the names of lights that cast shadows, for `look.js`."""


def page_script() -> str:
    """Return the code of all scripts."""
    folder = Path(__file__).parent / "page"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


class PageLights:
    """Shows the lights of a world; `look.js` shows the rest of its surroundings.

    Args:
        scene: scene of a viser server; viser's own lights are removed.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: list[Any] = []
        self._shown: list[dict[str, Any]] | None = None
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map(None)
        # look.js takes the classes of textures and colours from these two
        scene.add_image("/texture", np.full((1, 1, 3), 255, np.uint8), 1.0, 1.0, visible=False)
        scene.add_light_ambient("/lamp", intensity=0.0)

    def show(self, surround: dict[str, Any]) -> None:
        """Show the lights returned by `PageSurroundings.now`."""
        lights = surround["lights"]
        if lights == self._shown:
            return
        self._shown = lights
        for node in self._nodes:
            node.remove()
        self._nodes = [self._add(f"/light{number}", each) for number, each in enumerate(lights)]

    def _add(self, name: str, light: dict[str, Any]) -> Any:
        name += SHADOW_SUFFIX if light["casts"] else ""
        shine = _colour(light["colour"])
        if light["kind"] == "sun":
            place = tuple(-DIRECTIONAL_DISTANCE * part for part in light["aim"])
            return self._scene.add_light_directional(name, position=place, **shine)
        reach = {"position": light["position"], "decay": light["decay"], "distance": light["reach"]}
        if light["kind"] == "point":
            return self._scene.add_light_point(name, **reach, **shine)
        return self._scene.add_light_spot(
            name,
            angle=light["angle"],
            penumbra=light["penumbra"],
            direction=tuple(light["aim"]),
            **reach,
            **shine,
        )


def _colour(light: list[float]) -> dict[str, Any]:
    """Return a colour of whole numbers, sRGB, and the intensity with which it is this light."""
    strength = max(light)
    linear = np.array(light) / strength if strength > 0.0 else np.zeros(3)
    bent = 1.055 * np.maximum(linear, 0.0) ** (1.0 / 2.4) - 0.055
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, bent)
    colour = tuple(int(each) for each in np.rint(255.0 * encoded))
    return {"color": colour, "intensity": strength}
