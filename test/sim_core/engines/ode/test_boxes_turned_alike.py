"""Boxes whose edges are parallel up to rounding: ODE takes rounding noise for a gap or a direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim_core.base.geometry import axis_angle_from_rotation
from sim_core.engines.ode import PhysicsWorld
from sim_core.model.world_model import WorldModel
from sim_core.scene import parse_scene
from sim_core.scene.older.legacy import convert_old

Array = NDArray[np.float64]

PAIRS = 500
SPACING = 10.0
UP = np.array([0.0, 0.0, 1.0])
TO_ENU = {"ENU": np.eye(3), "NUE": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])}


def turned(axis: Array, angle: float) -> Array:
    """Return the rotation matrix (3, 3) of an axis and angle."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k)


def signed_permutation(random: np.random.Generator) -> Array:
    """Return one of the 24 rotations that map a box onto itself."""
    turn: Array = np.eye(3)[random.permutation(3)] * random.choice([-1.0, 1.0], 3)[:, None]
    return turn if np.linalg.det(turn) > 0.0 else -turn


def box(name: str, place: Array, turn: Array, size: Any, physics: str = "") -> str:
    def text(values: Any) -> str:
        return " ".join(repr(float(value)) for value in np.ravel(values))

    rotation = axis_angle_from_rotation(tuple(turn.ravel().tolist()))
    return (
        f'Solid {{ name "{name}" translation {text(place)} rotation {text(rotation)} '
        f"boundingObject Box {{ size {text(size)} }} {physics} }}\n"
    )


def built(text: str, axes: str, info: str) -> PhysicsWorld:
    """Return a world that is written in these axes and turned to ENU, as on loading."""
    header = f'#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 5 coordinateSystem "{axes}" {info} }}\n'
    scene = parse_scene(header + text)
    convert_old(scene)
    return PhysicsWorld(WorldModel(scene))


def by_crate(world: PhysicsWorld) -> dict[str, list[tuple[Array, float]]]:
    """Return the direction in which each contact pushes the crate, and its depth, by the crate's name."""
    found: dict[str, list[tuple[Array, float]]] = {}
    for contact in world.contacts:
        first, second = (world.model.solid(each).name for each in (contact.first, contact.second))
        name, side = (first, 1.0) if first.startswith("crate") else (second, -1.0)
        found.setdefault(name, []).append((side * np.array(contact.normal), contact.depth))
    return found


@pytest.mark.parametrize("axes", TO_ENU)
@pytest.mark.parametrize("kind", ["level", "tilted", "level yawed", "tilted yawed"])
def test_a_box_on_a_box_touches_it_with_its_lower_face(kind: str, axes: str) -> None:
    """In each pose the contacts are those of two faces: normal, depth and number follow from geometry."""
    random = np.random.default_rng(4)
    text, expected = "", {}
    for index in range(PAIRS):
        frame = turned(random.normal(size=3), random.uniform(0.0, 3.0)) if "tilted" in kind else np.eye(3)
        turn = turned(UP, random.uniform(0.0, 6.0)) if "yawed" in kind else np.eye(3)
        turn = turn @ signed_permutation(random)
        noise = turned(random.normal(size=3), 10.0 ** random.uniform(-17.0, -10.0))
        table, crate = random.uniform(0.5, 0.9, 3), random.uniform(0.1, 0.3, 3)
        half = 0.5 * np.abs(turn) @ crate
        depth = 10.0 ** random.uniform(-6.0, -3.0)
        x, y = (0.5 * table[:2] - half[:2]) * random.uniform(-1.0, 1.0, 2)
        above = frame @ np.array([x, y, 0.5 * table[2] + half[2] - depth])
        place = SPACING * np.array([index % 25, index // 25, 0.0])
        text += box(f"table {index}", place, frame, table)
        text += box(f"crate {index}", place + above, frame @ turn @ noise, crate, "physics Physics { }")
        expected[f"crate {index}"] = (TO_ENU[axes] @ frame @ UP, depth)
    world = built(text, axes, "gravity 0")
    world.record_contacts = True
    world.step()
    found = by_crate(world)
    for name, (up, depth) in expected.items():
        contacts = found.get(name, [])
        assert len(contacts) == 4, name
        for normal, deep in contacts:
            assert normal @ up == pytest.approx(1.0, abs=1e-9), name
            assert deep == pytest.approx(depth, abs=1e-8), name


@pytest.mark.parametrize("axes", TO_ENU)
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_stacks_stand_on_a_sloped_table(axes: str, yaw: float) -> None:
    """Friction of 1 holds them on a slope of 15°: none penetrates or slides, at any position."""
    back = TO_ENU[axes].T
    random = np.random.default_rng(5)
    frame = turned(np.array([3.0, 1.0, 0.0]), math.radians(15.0))
    table, edge = np.array([8.0, 8.0, 0.2]), 0.2
    turn = frame @ turned(UP, yaw)
    text = box("table", np.zeros(3), back @ frame, table)
    for index in range(64):
        spot = np.array([index % 8 - 3.5, index // 8 - 3.5]) * 0.9 + random.uniform(-0.2, 0.2, 2)
        for layer in range(2):
            place = frame @ np.array([*spot, 0.1 + edge * (layer + 0.5)])
            text += box(
                f"crate {index} {layer}", back @ place, back @ turn, 3 * [edge], "physics Physics { }"
            )
    world = built(text, axes, "")
    links = [link for link in world.built.reading.links if link.body is not None]
    assert len(links) == 128
    start = np.array([link.world_pose().position for link in links])
    for _ in range(100):
        world.step()
    moved = np.array([link.world_pose().position for link in links]) - start
    assert np.abs(moved).max() < 0.002
