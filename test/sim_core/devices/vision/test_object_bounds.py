"""Extents of objects against points sampled on the surfaces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from still_world import StillWorld
from transforms3d.axangles import axangle2mat

from sim_core.base.geometry import Pose
from sim_core.devices.vision.object_bounds import ObjectBounds, in_view
from sim_core.scene import parse_scene

PLACE = "translation 1 -2 0.5 rotation 0.6 0 0.8 0.7"


def bounds_of(text: str) -> Any:
    scene = parse_scene(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }} {text}")
    world = StillWorld(scene)
    return ObjectBounds(world.model.recognizable()[0], world.frame)


def surface(kind: str) -> np.ndarray:
    """Return many points on the surface, in the geometry's axes."""
    rng = np.random.default_rng(5)
    turn = rng.uniform(0, 2 * math.pi, 40_000)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ends = rng.choice([-0.5, 0.5], 40_000)
    if kind == "Box":
        return rng.choice([-0.5, 0.5], (40_000, 3)) * [0.4, 1.0, 0.6]
    if kind == "Cylinder":
        return np.column_stack([0.3 * ring, 0.8 * ends])
    if kind == "Cone":
        return np.column_stack([0.3 * ring * (ends < 0)[:, None], 0.8 * ends])
    ball = rng.normal(size=(40_000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    if kind == "Sphere":
        return 0.5 * ball
    return 0.3 * ball + np.column_stack([np.zeros((40_000, 2)), 0.8 * ends])


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("Box", "size 0.4 1 0.6"),
        ("Sphere", "radius 0.5"),
        ("Cylinder", "radius 0.3 height 0.8"),
        ("Capsule", "radius 0.3 height 0.8"),
        ("Cone", "bottomRadius 0.3 height 0.8"),
    ],
)
@pytest.mark.parametrize("seen", [False, True])
def test_the_box_round_a_shape_is_that_of_its_points(kind: str, fields: str, seen: bool) -> None:
    geometry = f"{kind} {{ {fields} }}"
    shape = f"children Shape {{ geometry {geometry} }}" if seen else f"boundingObject {geometry}"
    bounds = bounds_of(f"Solid {{ recognitionColors [ 1 0 0 ] {PLACE} {shape} }}")
    view = Pose.from_axis_angle((0.3, 0.1, -0.4), (0.0, 0.8, 0.6, -0.4))
    world = surface(kind) @ axangle2mat([0.6, 0.0, 0.8], 0.7).T + [1.0, -2.0, 0.5]
    local = (world - view.position) @ np.array(view.rotation).reshape(3, 3)
    low, high = bounds.box(view)
    assert low == pytest.approx(local.min(axis=0), abs=3e-3)
    assert high == pytest.approx(local.max(axis=0), abs=3e-3)
    assert (low <= local.min(axis=0) + 1e-9).all() and (high >= local.max(axis=0) - 1e-9).all()


def test_solids_below_belong_to_an_object_and_bounding_objects_come_first() -> None:
    bounds = bounds_of(
        """Solid { recognitionColors [ 1 0 0 ] children [
          Shape { geometry Sphere { radius 5 } }
          Solid { name "below" translation 2 0 0 boundingObject Box { size 1 1 1 } } ]
          boundingObject Box { size 1 2 1 } }"""
    )
    low, high = bounds.box(Pose())
    assert (low.tolist(), high.tolist()) == ([-0.5, -1.0, -0.5], [2.5, 1.0, 0.5])


def test_meshes_have_the_extent_of_their_points() -> None:
    bounds = bounds_of(
        """Solid { recognitionColors [ 1 0 0 ] translation 0 0 1 boundingObject
          IndexedFaceSet { coord Coordinate { point [ 0 0 0, 2 0 0, 0 3 0, 0 0 -4 ] }
            coordIndex [ 0 1 2 -1 0 1 3 -1 ] } }"""
    )
    low, high = bounds.box(Pose())
    assert (low.tolist(), high.tolist()) == ([0.0, 0.0, -3.0], [2.0, 3.0, 1.0])


@pytest.mark.parametrize("horizontal", [0.5, 1.5, 3.0, 3.3, 5.0, 6.2])
def test_a_small_ball_is_in_view_where_its_azimuth_is(horizontal: float) -> None:
    for degrees in range(-179, 180, 3):
        azimuth = math.radians(degrees)
        at = f"translation {3 * math.cos(azimuth)} {3 * math.sin(azimuth)} 0"
        bounds = bounds_of(
            f"Solid {{ recognitionColors [ 1 0 0 ] {at} boundingObject Sphere {{ radius 1e-6 }} }}"
        )
        if abs(abs(azimuth) - horizontal / 2) > 1e-3:
            assert in_view(bounds, Pose(), horizontal, 0.2) == (abs(azimuth) < horizontal / 2)


@pytest.mark.parametrize("horizontal", [1.5, 5.0])
def test_a_ball_is_in_view_as_far_as_it_reaches(horizontal: float) -> None:
    """A ball of radius r at d is touched by a plane through the origin at asin(r / d) from its centre."""
    edge = 0.1 + math.asin(0.2 / 3.0)
    for elevation, seen in ((edge - 0.005, True), (edge + 0.005, False)):
        at = f"translation {3 * math.cos(elevation)} 0 {3 * math.sin(elevation)}"
        bounds = bounds_of(
            f"Solid {{ recognitionColors [ 1 0 0 ] {at} boundingObject Sphere {{ radius 0.2 }} }}"
        )
        if horizontal < math.pi or seen:  # a wide view takes the ball round the box
            assert in_view(bounds, Pose(), horizontal, 0.2) == seen
