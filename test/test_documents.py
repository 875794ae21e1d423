"""The tables of docs/documents.md and docs/security.md name tests that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(test/[\w/]+\.py)(?:::(\w+))?`", TEXT + SECURITY)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_is_there(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert not name or name in functions


def test_each_row_names_one() -> None:
    rows = [line for line in TEXT.splitlines() if re.match(r"\| [WPMGU]\d* \|", line)]
    assert [row for row in rows if not re.search(r"`test/[\w/]+\.py", row)] == []


def test_each_rule_of_who_can_do_what_names_one() -> None:
    rows = SECURITY.partition("## Proofs")[2].partition("\n## ")[0].splitlines()[4:]
    assert len(rows) > 10
    assert [row for row in rows if row and not re.search(r"`test/[\w/]+\.py::\w+`", row)] == []


def test_each_cell_of_who_can_reach_what_names_one() -> None:
    part = SECURITY.partition("## Who can reach what")[2].partition("\n## ")[0]
    table, _, proofs = part.partition("Each cell has its test:")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line[:1] == "|"
    ]
    cells = {(row[0], what) for row in rows[2:] for what in rows[0][1:]}
    assert len(cells) == 24
    proven = re.findall(r"^\| (.+?) \| (.+?) \| `test/[\w/]+\.py::\w+`", proofs, re.M)
    assert sorted(proven) == sorted(cells)
