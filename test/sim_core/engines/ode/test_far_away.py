"""What stands so far away that its coordinates overflow is refused where it is written: ODE would abort."""

from __future__ import annotations

import re

import pytest

from sim_core.base.errors import SceneError

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
def test_it_is_refused_in_place(lab, kind: str) -> None:
    with pytest.raises(SceneError, match=re.escape("expected a place within 1e+09 m")) as caught:
        lab.make(FAR[kind])
    assert caught.value.line == 3


def test_what_is_far_but_can_be_reckoned_with_is_simulated(lab) -> None:
    world, _ = lab.make(
        f"Robot {{ translation 9e8 0 0 {BODY} children [ Solid {{ translation 9e7 0 0 {BOX} }} ] }}"
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
"""m, of the box."""


@pytest.mark.parametrize("kind", JOINTS)
def test_a_lever_at_which_nothing_turns_in_numbers_of_64_bits_is_refused_in_place(lab, kind: str) -> None:
    """A million radii of gyration are reckoned with; at a hundred million ODE ended the process."""

    def robot(lever: float) -> str:
        joint = (JOINTS[kind] % lever).replace("BODY", BODY)
        return f"Robot {{ {BODY} children [ Gyro {{ }}\n{joint} ] }}"

    world, _ = lab.make(robot(1e6 * GYRATION))
    lab.run(world, 1.0)
    with pytest.raises(SceneError, match=r"m away from the centre of mass of .*, expected at most") as caught:
        lab.make(robot(1e8 * GYRATION))
    assert caught.value.line == 4
