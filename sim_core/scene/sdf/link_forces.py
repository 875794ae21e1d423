"""Forces of air and water that depend on tags of links: `<fluid_added_mass>` and `<enable_wind>`."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

from sim_core.scene.gazebo.found import FluidForce
from sim_core.scene.gazebo.tags import GazeboTags, Tag
from sim_core.scene.sdf.values import finite, vector

AXES = "xyzpqr"
"""Letters of `<fluid_added_mass>`: along x, y, z, then about them."""
RISE = 1.0
"""Default time constant in s with which the wind rises."""


def added_mass(link: Tag, name: str) -> list[FluidForce]:
    """Return the added mass of a link with this name, in its axes and about its origin, if it has one.

    Raises:
        SceneError: a number in it is invalid.
    """
    tag = link.at("inertial", "fluid_added_mass")
    if tag is None:
        return []
    matrix = [0.0] * 36
    for (row, first), (column, second) in combinations_with_replacement(enumerate(AXES), 2):
        matrix[6 * row + column] = matrix[6 * column + row] = finite(tag, first + second, 0.0)
    return [FluidForce(name, "Hydrodynamics", {"addedMass": matrix}, tag.source)] if any(matrix) else []


def wind_of(world: Tag, plugins: GazeboTags) -> dict[str, object]:
    """Return the fields of the Wind of all links with `<enable_wind>`; none: the world has no WindEffects.

    Raises:
        SceneError: a number is invalid.
    """
    velocity = vector(world.first("wind") or world, "linear_velocity", (0.0, 0.0, 0.0))
    for _, item in plugins.inside("plugin"):
        named = item.fields.get("name", "") + item.fields.get("filename", "")
        if "WindEffects" in named or "wind-effects" in named:
            return {"velocity": velocity, **_changes(plugins.claim(item))}
    return {}


def _changes(plugin: Tag) -> dict[str, object]:
    """Return the factor of the force, and how the wind changes with time; noise has no effect."""
    fields: dict[str, object] = {}
    horizontal, vertical = plugin.first("horizontal"), plugin.first("vertical")
    parts = [(horizontal.first(part) if horizontal else None) for part in ("magnitude", "direction")]
    for tag, rise in ((parts[0], "riseTime"), (vertical, "verticalRiseTime")):
        fields[rise] = finite(tag, "time_for_rise", RISE, 0.0) if tag else RISE
    if parts[1]:
        parts[1].all("time_for_rise")  # the direction is that of the file from the start
    for tag, amplitude, name, unit in (
        (parts[0], "amplitude_percent", "gust", 1.0),
        (parts[1], "amplitude", "swing", math.radians(1.0)),
    ):
        sine = tag.first("sin") if tag else None
        if sine is not None:
            fields[name] = unit * finite(sine, amplitude, 0.0)
            fields[f"{name}Period"] = finite(sine, "period", 1.0, 1e-6)
    scale = plugin.first("force_approximation_scaling_factor")
    if scale is not None and scale.first("when", "k", "px", "qy", "rz"):
        scale.ignore()
    elif scale is not None:
        fields["factor"] = scale.as_number(0.0)
    return fields
