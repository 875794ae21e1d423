"""Values of fields as text and back."""

import pytest

from sim_core.scene.node_types import all_node_types
from sim_core.scene.wbt.value_text import read_text_value
from sim_core.scene.wbt.writer import value_text

SOLID = all_node_types()["Solid"].fields


def test_every_default_of_the_schema_is_read_back_from_its_text() -> None:
    kinds = {
        (kind.type, str(kind.default)): kind
        for node in all_node_types().values()
        for kind in node.fields.values()
        if not kind.type.endswith("Node")
    }
    assert len(kinds) > 100
    for kind in kinds.values():
        assert read_text_value(kind, value_text(kind.default)) == kind.default


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("translation", "1 -2 5e-1", (1.0, -2.0, 0.5)),
        ("locked", "TRUE", True),
        ("name", '"a \\" b"', 'a " b'),
        ("recognitionColors", "1 0 0, 0 1 0", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]),
        ("recognitionColors", "[ 1 0 0 0 1 0 ]", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]),
        ("recognitionColors", "", []),
    ],
)
def test_text_is_read_as_in_a_world_file(field: str, text: str, value: object) -> None:
    assert read_text_value(SOLID[field], text) == value


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("translation", "1 2", "found the end, expected 3 numbers"),
        ("translation", "1 2 x", 'found "x", expected 3 numbers'),
        ("translation", "1 2 3 4", 'found "4", expected 3 numbers'),
        ("translation", "1 2 1e999", "found .*1e999"),
        ("locked", "yes", 'found "yes", expected TRUE or FALSE'),
        ("name", '"a', "never closed"),
        ("recognitionColors", "[ 1 0 ]", "found recognitionColors ends within a value"),
        ("recognitionColors", "[ 1 0 0", "expected"),
    ],
)
def test_wrong_text_is_refused_with_what_was_found(field: str, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_text_value(SOLID[field], text)
