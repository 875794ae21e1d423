"""Positions so far away that coordinates overflow are refused with their place: ODE would abort."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim_core.base.errors import SceneError
from sim_core.scene.loader import scene_from_text
from sim_core.session.simulation import Simulation

BOX = "boundingObject Box { size 1 1 1 }"
BODY = f"physics Physics {{ }} {BOX}"
CHILDREN = {
    "fixed": f"Solid {{ translation 0 0 -1e308 {BOX} }}",
    "merged": f"Solid {{ translation 0 0 -1e308 {BODY} }}",
    "overflows": f"Pose {{ translation -1e308 0 0 children Solid {{ translation -1e308 0 0 {BOX} }} }}",
    "end point": f"HingeJoint {{ endPoint Solid {{ translation 0 -2e9 0 {BODY} }} }}",
}
FAR = {kind: f"Robot {{ {BODY} children [ {child} ] }}" for kind, child in CHILDREN.items()} | {
    "below one that stands": f"Robot {{ children [ Solid {{ translation 0 -1e308 0 {BOX} }} ] }}",
    "by itself": f"Robot {{ translation 1.1e9 0 0 {BODY} }}",
}


@pytest.mark.parametrize("kind", FAR)
def test_it_is_refused_with_its_place(lab, kind: str) -> None:
    with pytest.raises(SceneError, match=re.escape("expected a place within 1e+09 m")) as caught:
        lab.make(FAR[kind])
    assert caught.value.line == 3


def test_far_positions_that_can_be_computed_are_simulated(lab) -> None:
    world, _ = lab.make(
        f"Robot {{ translation 9e8 0 0 {BODY} children [ Solid {{ translation 9e5 0 0 {BOX} }} ] }}"
    )
    lab.run(world, 0.1)


JOINTS = {
    "its end": "HingeJoint { endPoint Solid { translation %g 0 0 BODY } }",
    "its anchor": "HingeJoint { jointParameters HingeJointParameters { anchor 0 %g 0 } "
    "endPoint Solid { BODY } }",
    "a ball": "BallJoint { endPoint Solid { translation 0 0 %g BODY } }",
    "two axes": "Hinge2Joint { endPoint Solid { translation 0 %g 0 BODY } }",
    "a slider": "SliderJoint { endPoint Solid { translation 0 %g 0 BODY } }",
}
GYRATION = (1.0 / 6.0) ** 0.5
"""Size of the box in m."""


@pytest.mark.parametrize("kind", JOINTS)
def test_a_lever_too_long_for_64_bit_numbers_is_refused_with_its_place(lab, kind: str) -> None:
    """A million radii of gyration can be computed; at a hundred million ODE ended the process."""

    def robot(lever: float) -> str:
        joint = (JOINTS[kind] % lever).replace("BODY", BODY)
        return f"Robot {{ {BODY} children [ Gyro {{ }}\n{joint} ] }}"

    world, _ = lab.make(robot(1e6 * GYRATION))
    lab.run(world, 1.0)
    with pytest.raises(SceneError, match=r"m away from the centre of mass of .*, expected at most") as caught:
        lab.make(robot(1e8 * GYRATION))
    assert caught.value.line == 4


def test_a_shape_at_such_a_lever_is_refused_or_left_out_in_lenient_mode(tmp_path: Path) -> None:
    """A contact there would turn the body by an amount that 64-bit numbers cannot resolve."""

    def text(lever: float) -> str:
        plate = f"Solid {{ boundingObject Box {{ size {4.0 * lever} 1 0.1 }} }}"
        return f"""#VRML_SIM R2025a utf8
{plate}
DEF BODY Solid {{ translation 0 0 0.3 {BODY} children [
  Solid {{ name "far" translation {lever} 0 0 boundingObject Box {{ size 0.1 0.1 0.1 }} }} ] }}"""

    near, far = text(1e6 * GYRATION), text(1e8 * GYRATION)
    Simulation(scene_from_text(near, tmp_path / "w.wbt")).run(0.1)
    with pytest.raises(SceneError, match=r"m away from the centre of mass of DEF BODY, expected at most"):
        Simulation(scene_from_text(far, tmp_path / "w.wbt"))
    sim = Simulation(scene_from_text(far, tmp_path / "w.wbt", lenient=True))
    (line,) = [str(each) for each in sim.physics.warnings if "away from the centre" in str(each)]
    assert line.startswith(f"{tmp_path / 'w.wbt'}:4:3: a shape of") and "left out" in line
    sim.run(0.1)
