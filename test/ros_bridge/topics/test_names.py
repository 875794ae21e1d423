import pytest
from hypothesis import given
from hypothesis import strategies as st

from ros_bridge.topics.names import ros_name, ros_names
from sim_core.base.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("ds_front", "ds_front"),
        ("left wheel", "left_wheel"),
        ("e-puck", "e_puck"),
        ("8ball", "n8ball"),
        ("_a__b_", "a_b"),
    ],
)
def test_names_become_letters_digits_and_single_underscores(name: str, legal: str) -> None:
    assert ros_name(name) == legal


@given(st.text(min_size=1))
def test_a_legal_name_stays_as_it_is(name: str) -> None:
    try:
        legal = ros_name(name)
    except ConfigError:
        assert not any(c.isascii() and c.isalnum() for c in name)
        return
    assert ros_name(legal) == legal
    assert not legal[0].isdigit()
    assert "__" not in legal


def test_two_names_that_become_one_are_an_error() -> None:
    both = '"left wheel" and "left-wheel" both become "left_wheel"'
    with pytest.raises(ConfigError, match=both) as caught:
        ros_names({"left wheel": "w.wbt:2:1", "left-wheel": "w.wbt:3:1"}, 'devices of robot "r"')
    assert str(caught.value).startswith("w.wbt:3:1: ") and "w.wbt:2:1)" in str(caught.value)
