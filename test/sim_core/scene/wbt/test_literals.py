"""Single values from tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.scene.values import INT32_MAX, INT32_MIN
from sim_core.scene.wbt.lexer import NUMBER, NUMBERS, Numbers, Token
from sim_core.scene.wbt.literals import LiteralError, literal, token_count
from sim_core.scene.wbt.literals import numbers as values_at_once


def numbers(*texts: str) -> list[Token]:
    return [Token(NUMBER, text, 0) for text in texts]


@given(st.integers(INT32_MIN, INT32_MAX))
def test_whole_numbers_in_both_bases(value: int) -> None:
    assert literal("SFInt32", numbers(str(value))) == value
    assert literal("SFInt32", numbers(hex(value))) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_every_bit(value: float) -> None:
    assert literal("SFFloat", numbers(repr(value))).hex() == value.hex()


@pytest.mark.parametrize("text", ["2147483648", "-2147483649", "0x100000000", "1.0", "1e3", "9" * 10_000])
def test_what_is_no_whole_number_of_32_bits(text: str) -> None:
    with pytest.raises(LiteralError):
        literal("SFInt32", numbers(text))


def test_the_token_that_is_wrong_is_named() -> None:
    with pytest.raises(LiteralError) as caught:
        literal("SFVec3f", numbers("1", "1e999", "2"))
    assert caught.value.index == 1


@pytest.mark.parametrize(
    ("type_name", "texts"),
    [
        ("SFFloat", ["1", "-.5e-3", "2."]),
        ("SFInt32", ["1", "-1", "2147483647"]),
        ("SFVec3f", ["0", "1", "2", "3.5", "4", "-5"]),
        ("SFVec2f", ["1", "2"]),
    ],
)
def test_a_list_read_at_once_is_that_of_its_single_values(type_name: str, texts: list[str]) -> None:
    count = token_count(type_name)
    each = [texts[at : at + count] for at in range(0, len(texts), count)]
    assert values_at_once(type_name, Numbers(NUMBERS, " ".join(texts), 0)) == [
        literal(type_name, numbers(*one)) for one in each
    ]


@pytest.mark.parametrize(
    ("type_name", "texts"),
    [("SFInt32", ["0x10"]), ("SFInt32", ["2147483648"]), ("SFInt32", ["1.5"]), ("SFFloat", ["1e999"]),
     ("SFVec3f", ["1", "2"]), ("SFBool", ["1"]), ("SFFloat", ["nan"])],
)  # fmt: skip
def test_what_single_values_must_judge_is_not_read_at_once(type_name: str, texts: list[str]) -> None:
    assert values_at_once(type_name, Numbers(NUMBERS, " ".join(texts), 0)) is None
