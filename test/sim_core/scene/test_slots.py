"""What fits in Slots: types and genders (Webots reference, Slot)."""

import pytest

from sim_core.scene import parse_scene, write_scene
from sim_core.scene.slots import fits


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("", "", True), ("", "b", True), ("a+", "", True), ("a", "a", True), ("a", "b", False),
        ("a+", "a-", True), ("a-", "a+", True), ("a+", "a+", False), ("a-", "a-", False), ("a", "a+", False),
        ("a+", "b-", False), ("two words", "two words", True),
    ],
)  # fmt: skip
def test_types_and_genders(outer: str, inner: str, expected: bool) -> None:
    assert fits(outer, inner) is expected


def test_a_slot_that_does_not_fit_is_left_out_with_a_warning() -> None:
    slot = 'Slot {{ type "{}" endPoint Slot {{ type "{}" endPoint GPS {{ }} }} }}'
    text = (
        "#VRML_SIM R2025a utf8\nRobot { children [ "
        + slot.format("a+", "a-")
        + slot.format("a", "b")
        + " ] }"
    )
    scene = parse_scene(text, "w.wbt")
    (warning,) = scene.warnings
    assert str(warning).startswith("w.wbt:2:") and 'Slot of type "b" in one of type "a", left out' in str(
        warning
    )
    assert write_scene(scene).count("GPS") == 1
