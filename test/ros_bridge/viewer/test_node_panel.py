"""Texts that the panel of a node copies."""

import pytest

from ros_bridge.viewer.tree.node_panel import without_noise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 1e-17 -2.5e-16 1.0e-300", "0 0 0 0"),
        ("1e-6 -3.2e-11 1.5", "1e-6 -3.2e-11 1.5"),
        ('Solid { name "a 1e-17 b" rotation 0 0 1 4.4e-18 }', 'Solid { name "a 1e-17 b" rotation 0 0 1 0 }'),
        (r'name "say \"1e-20\"" x 1e-20', r'name "say \"1e-20\"" x 0'),
    ],
)
def test_what_is_zero_but_for_rounding_is_copied_as_zero(text: str, expected: str) -> None:
    assert without_noise(text) == expected
