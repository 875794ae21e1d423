"""The physics is as near to closed formulas as the table in docs/physics.md says; see test/support/theory."""

from __future__ import annotations

import pytest
from theory.table import CASES, STEPS, bounds


def test_every_row_of_the_table_is_measured() -> None:
    assert list(bounds()) == list(CASES)


@pytest.mark.parametrize("column", range(len(STEPS)), ids=[f"{step:g} ms" for step in STEPS])
@pytest.mark.parametrize("row", CASES)
def test_the_error_is_no_larger_than_the_document_says(row: str, column: int) -> None:
    assert CASES[row](STEPS[column]) <= bounds()[row][column]
