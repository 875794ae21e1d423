"""Overlays for the picture of a world: rays, contacts, masses, axes, views, bounds, lights."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ros_bridge.overlays.primitives import Overlay

PREFIX = "/odesim/overlay/"

OVERLAYS: dict[str, str] = {
    "sensor_rays": "sensor_rays",
    "contact_points": "contact_points",
    "centres_of_mass": "centres_of_mass",
    "joint_axes": "joint_axes",
    "connector_axes": "connector_axes",
    "frustums": "frustums",
    "bounding_objects": "bounding_objects",
    "lights": "light_places",
}
"""Last part of the topic's name → module with `OVERLAY`; a new overlay needs a file and a row here."""


def overlay_class(name: str) -> type[Overlay]:
    """Return the class of an overlay, loading its module at the first use."""
    found: type[Overlay] = import_module(f"{__name__}.{OVERLAYS[name]}").OVERLAY
    return found
