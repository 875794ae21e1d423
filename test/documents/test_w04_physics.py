"""W4, the book on Webots: the fields of Physics."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sim_core.model.physics import read_physics
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation

TO_ENU = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""x, y up, z of a file of Webots 6, in which north is x."""


def written(folder: Path, text: str) -> Path:
    file = folder / "book.wbt"
    file.write_text(f"#VRML_SIM V6.0 utf8\nWorldInfo {{ basicTimeStep 1 }}\n{text}")
    return file


def mass_of(folder: Path, physics: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, in the axes of the file."""
    scene = load_scene(written(folder, f"Solid {{ physics Physics {{ {physics} }} }}"))
    (solid,) = [node for node in scene.nodes if node.is_a("Solid")]
    found = read_physics(solid, (), None, []).mass
    inertia = np.array(found.inertia).reshape(3, 3)
    return found.mass, TO_ENU.T @ np.array(found.centre), TO_ENU.T @ inertia @ TO_ENU


NINE = "inertiaMatrix [ 0.1 0.2 0.3  1 2 3  0.1 0.2 0.3 ]"
MATRIX = np.array([[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.0]])
CENTRE = np.array((0.1, 0.2, 0.3))


def about_centre(mass: float) -> np.ndarray:
    """The theorem of Steiner: ODE takes the matrix about the origin of the body."""
    return MATRIX - mass * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))


def test_nine_numbers_are_those_of_odes_call(tmp_path: Path) -> None:
    """The centre of mass, then I11, I22, I33, I12, I13, I23."""
    mass, centre, inertia = mass_of(tmp_path, f"density -1 mass 2 {NINE}")
    assert mass == 2.0
    np.testing.assert_allclose(centre, CENTRE)
    np.testing.assert_allclose(inertia, about_centre(2.0), atol=1e-12)


def test_the_orientation_turns_the_matrix(tmp_path: Path) -> None:
    _, centre, inertia = mass_of(tmp_path, f"density -1 mass 2 orientation 0 1 0 1.5707963267948966 {NINE}")
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    np.testing.assert_allclose(centre, CENTRE)
    np.testing.assert_allclose(inertia, turn @ about_centre(2.0) @ turn.T, atol=1e-12)


def test_a_matrix_without_a_mass_is_ignored(tmp_path: Path) -> None:
    file = written(tmp_path, f"DEF S Solid {{ boundingObject Box {{ }} physics Physics {{ {NINE} }} }}")
    body = Simulation(load_scene(file)).supervisor
    assert body.get("S", "translation") == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("physics", "mass"),
    [
        ("", 1000.0),
        ("density 500", 500.0),
        ("density -1 mass 3", 3.0),
        ("density 500 mass 3", 500.0),
        ("mass 3", 1000.0),
    ],
)
def test_a_density_goes_before_a_mass(physics: str, mass: float, tmp_path: Path) -> None:
    """Of one cubic metre; the default of the density is 1000 kg/m3."""
    text = f"Solid {{ boundingObject Box {{ size 1 1 1 }} physics Physics {{ {physics} }} }}"
    scene = load_scene(written(tmp_path, text))
    (solid,) = [node for node in scene.nodes if node.is_a("Solid")]
    density = solid["physics"]["density"]
    assert (density if density > 0.0 else solid["physics"]["mass"]) == mass
    told = [each for each in scene.warnings if "Physics.mass" in each.found]
    assert len(told) == ("mass" in physics and "-1" not in physics)


@pytest.mark.parametrize(
    ("floor", "ratio"),
    [("", 0.8), ("physics Physics { density -1 mass 1e7 bounce 0.4 }", 0.6)],
)
def test_the_mean_of_two_bounces_counts_or_that_of_the_one_that_has_one(
    floor: str, ratio: float, tmp_path: Path
) -> None:
    """A ball that falls 1 m rises to ratio² m; a floor of 10⁷ kg hardly moves meanwhile."""
    text = f"""Solid {{ name "ground" boundingObject Transform {{ translation 0 -1.5 0
      children Box {{ size 50 1 50 }} }} }}
    Solid {{ name "floor" translation 0 -0.5 0 boundingObject Box {{ size 9 1 9 }} {floor} }}
    DEF BALL Solid {{ name "ball" translation 0 1.1 0 boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ density -1 mass 1 bounce 0.8 bounceVelocity 0.01 }} }}"""
    sim = Simulation(load_scene(written(tmp_path, text)))
    heights = []
    while sim.time < 1.0:
        sim.step()
        heights.append(sim.supervisor.get("BALL", "translation")[1] - 0.1)
    lowest = heights.index(min(heights))
    assert max(heights[lowest:]) == pytest.approx(ratio**2, abs=0.01)


@pytest.mark.parametrize(("block", "slides"), [("coulombFriction 0.2", True), ("coulombFriction 0.6", False)])
def test_friction_is_the_mean_too(block: str, slides: bool, tmp_path: Path) -> None:
    """On a slope of tan 0.5 the mean with 0.6 must be more: 0.4 slides, 0.6 does not."""
    angle = math.atan(0.5)
    x, y = -math.sin(angle), math.cos(angle)
    text = f"""DEF SLOPE Solid {{ name "slope" rotation 0 0 1 {angle} boundingObject Transform {{
      translation 0 -5 0 children Box {{ size 99 10 99 }} }} }}
    DEF LOW Solid {{ name "low" translation {0.1 * x} {0.1 * y} 0 rotation 0 0 1 {angle}
      boundingObject Box {{ size 2 0.2 2 }} physics Physics {{ density -1 mass 500 coulombFriction 0.6 }} }}
    DEF BLOCK Solid {{ name "block" translation {0.25 * x} {0.25 * y} 0 rotation 0 0 1 {angle}
      boundingObject Box {{ size 0.2 0.1 0.2 }} physics Physics {{ density -1 mass 1 {block} }} }}"""
    sim = Simulation(load_scene(written(tmp_path, text)))
    sim.run(1.0)
    block_at, low_at = (np.array(sim.supervisor.get(name, "translation")) for name in ("BLOCK", "LOW"))
    moved = float(np.linalg.norm(block_at - low_at - 0.15 * np.array((x, y, 0.0))))
    assert (moved > 0.2) is slides
