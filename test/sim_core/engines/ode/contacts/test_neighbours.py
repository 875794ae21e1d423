"""Which links of a robot with `selfCollision TRUE` never collide with each other."""

import pytest

HIP = """Robot {{ name "r" selfCollision TRUE children [
  HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 anchor 0 0 1 }}
    endPoint Solid {{ name "pelvis" translation 0 0 1 boundingObject Box {{ size 0.2 0.2 0.2 }}
      physics Physics {{ }} children [
        {first} endPoint Solid {{ name "small" {place} physics Physics {{ }} children [
          HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {anchor} }}
            endPoint Solid {{ name "thigh" translation 0 0 -0.1 boundingObject Box {{ size 0.15 0.15 0.3 }}
              physics Physics {{ }} }} }} ] }} }} ] }} }} ] }}"""
HINGE = "HingeJoint { jointParameters HingeJointParameters { axis 1 0 0 anchor %s }"


def contacts(lab, **parts: str) -> int:
    world, _ = lab.make(HIP.format(**parts), 4.0, "gravity 0")
    world.record_contacts = True
    world.step()
    return len(world.contacts)


def test_parts_of_a_joint_of_three_hinges_in_one_place_do_not_collide(lab) -> None:
    assert contacts(lab, first=HINGE % "0 0 0", place="", anchor="0 0 0") == 0


def test_anchors_are_compared_by_position_and_not_by_their_numbers(lab) -> None:
    lower = "translation 0 0 -0.05"
    assert contacts(lab, first=HINGE % "0 0 -0.05", place=lower, anchor="0 0 0") == 0
    assert contacts(lab, first=HINGE % "0 0 0", place=lower, anchor="0 0 0") > 0


@pytest.mark.parametrize(
    "first", [HINGE % "0 0 0.02", "SliderJoint { jointParameters JointParameters { axis 1 0 0 }"]
)
def test_other_chains_collide(lab, first: str) -> None:
    assert contacts(lab, first=first, place="", anchor="0 0 0") > 0
