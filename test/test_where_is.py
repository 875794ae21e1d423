"""The table of docs/development.md that says where things are."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "development.md").read_text(encoding="utf-8")
PLACES = re.findall(r"^\| .* \| `([\w.]+):([\w.]+)` \|$", TEXT, re.MULTILINE)


def test_there_is_such_a_table() -> None:
    assert len(PLACES) > 20


@pytest.mark.parametrize(("module", "name"), PLACES)
def test_it_is_there(module: str, name: str) -> None:
    assert callable(reduce(getattr, name.split("."), import_module(module)))
