"""Common fields of Camera and RangeFinder."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.limits import limit, limit_text
from sim_core.devices.field_checks import field_error, number_at_least
from sim_core.model.device_spec import NodeSpec
from sim_core.sensing.picture_view import LensModel

MAX_SIDE = 8192
"""Largest width or height in pixels."""
PROJECTIONS = ("planar", "cylindrical", "spherical")
MIN_ANGLE = 1e-6
"""Smallest angle of view, rad; narrower views have a focal length too large for the renderer."""
MIN_NEAR = 1e-4
"""Smallest `near`, m; below it the depth buffer has too little resolution."""


def size_of(spec: NodeSpec) -> tuple[int, int]:
    """Return width and height in pixels.

    Raises:
        DeviceError: one of them is not possible.
    """
    for field in ("width", "height"):
        if not 1 <= spec[field] <= MAX_SIDE:
            raise field_error(spec, field, spec[field], f"a whole number from 1 to {MAX_SIDE}")
    pixels = spec["width"] * spec["height"]
    if pixels > limit("camera_pixels"):
        raise field_error(spec, "width", f"{pixels} pixels in all", limit_text("camera_pixels"))
    return spec["width"], spec["height"]


def projection_of(spec: NodeSpec) -> str:
    """Return the projection; if it is not set, the old field `spherical` TRUE means "cylindrical", as in
    Webots.

    Raises:
        DeviceError: there is no such projection.
    """
    if spec["spherical"] and "projection" not in spec.given:
        return "cylindrical"
    name: str = spec["projection"].lower()
    if name not in PROJECTIONS:
        expected = " or ".join(f'"{each}"' for each in PROJECTIONS)
        raise field_error(spec, "projection", f'"{spec["projection"]}"', expected)
    return name


def angle_of(spec: NodeSpec, projection: str) -> float:
    """Return `fieldOfView` in rad: `MIN_ANGLE` or more, below π for a planar projection, at most 2π for
    others.

    Raises:
        DeviceError: it is outside this range.
    """
    angle: float = spec["fieldOfView"]
    if projection == "planar":
        if not MIN_ANGLE <= angle < math.pi:
            expected = f"an angle of {MIN_ANGLE:g} or more and below π for a planar projection"
            raise field_error(spec, "fieldOfView", angle, expected)
    elif not MIN_ANGLE <= angle <= 2.0 * math.pi + 1e-4:
        raise field_error(spec, "fieldOfView", angle, f"an angle of {MIN_ANGLE:g} or more and at most 2π")
    return min(angle, 2.0 * math.pi)


def near_of(spec: NodeSpec) -> float:
    """Return `near` in m, at least 0.1 mm.

    Raises:
        DeviceError: it is negative, or not finite.
    """
    return max(number_at_least(spec, "near", 0.0), MIN_NEAR)


def lens_of(spec: NodeSpec, projection: str) -> LensModel | None:
    """Return the lens; None: there is none, or it has no effect.

    Raises:
        DeviceError: a value that is not possible, or the projection is not planar.
    """
    lens = spec["lens"]
    if lens is None:
        return None
    centre = lens["center"]
    if not all(0.0 <= each <= 1.0 for each in centre):
        raise field_error(lens, "center", centre, "numbers from 0 to 1")
    model = LensModel(centre, lens["radialCoefficients"], lens["tangentialCoefficients"])
    if not any((*model.radial, *model.tangential)):
        return None
    if projection != "planar":
        raise field_error(spec, "projection", f'"{projection}"', '"planar", for a lens')
    return model


WITHOUT_EFFECT = ("lensFlare", "bloomThreshold")
"""Fields of a Camera that are not simulated."""


def fields_without_effect(spec: NodeSpec) -> list[SceneError]:
    """Return a warning for each kind of setting of a Camera that has no effect."""
    kinds = spec.node_type.fields
    unsupported = [name for name in WITHOUT_EFFECT if spec[name] not in (kinds[name].default, None)]
    found = []
    if unsupported:
        what = f"{spec.type_name}.{', '.join(unsupported)}"
        found.append(SceneError(*spec.source, what, "nothing: not simulated yet"))
    if spec["focus"] is not None and projection_of(spec) != "planar":
        what = f'{spec.type_name}.focus with the projection "{projection_of(spec)}"'
        found.append(SceneError(*spec.source, what, '"planar": everything is sharp in other pictures'))
    if spec["ambientOcclusionRadius"] > 0.0 and projection_of(spec) != "planar":
        what = f'{spec.type_name}.ambientOcclusionRadius with the projection "{projection_of(spec)}"'
        found.append(SceneError(*spec.source, what, '"planar": other pictures are drawn without it'))
    return found
