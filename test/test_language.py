"""Spelling of documents, docstrings and messages; length of lines; messages in docs/troubleshooting.md.

words.txt contains the correct words that the dictionary does not know.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
KNOWN = set((Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split())
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^### `(.+)`$", PAGE, re.MULTILINE)
LONGEST_LINE = 99
RIGHT = "empy,lod,ontroller,sise,tread"
"""Words that codespell reports: a package, a node, a part of a tyre, and mistakes shown on purpose."""
SKIPPED = "*.webp,*.jpg,*.png,*.json,*.yaml,__pycache__"
"""Files that codespell does not read."""
NOT_PROSE = re.compile(
    r"""^(?P<fence>```+).*?^(?P=fence)$   # a block of code
    | ^[ ]{4}.*?$                         # another one
    | `[^`]*`                             # code in a sentence
    | \]\([^)]*\)                         # the target of a link
    | <[^>]*> | \w+://\S+""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
NAME = re.compile(r"""\S*(?:\w[._/@\\]\w|[_/\d]|[a-z][A-Z])\S*""")
"""Name of a file, a node, a field, a robot or a topic."""
WORD = re.compile(r"[A-Za-zÀ-ÿ]{3,}")


class Text(NamedTuple):
    """A text and the file that has it."""

    file: Path
    text: str


@cache
def texts_of_code() -> tuple[list[Text], list[Text]]:
    """Return the docstrings, and the other texts. A message with values is several texts."""
    docstrings, others = [], []
    for folder in ("sim_core", "ros_bridge", "webots_api"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            found = set()
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                    found.add(node.value)
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    lines = "\n".join(line.strip() for line in node.value.splitlines())
                    (docstrings if node in found else others).append(Text(file, lines))
    return docstrings, others


@cache
def all_texts_of_code() -> str:
    """Return the parts of all messages."""
    return "\n".join(each.text for each in texts_of_code()[1])


def read(file: Path) -> str:
    """Return the text of a document."""
    return file.read_text(encoding="utf-8")


def words(text: str) -> Iterator[str]:
    """Return the words in the prose of a text."""
    for word in WORD.findall(NAME.sub(" ", NOT_PROSE.sub(" ", text))):
        if word[1:] == word[1:].lower():  # no abbreviation
            yield word


def test_words_are_spelt_as_in_a_dictionary() -> None:
    spellchecker = pytest.importorskip("spellchecker")
    dictionary = spellchecker.SpellChecker()
    docstrings, others = texts_of_code()
    messages = [each for each in others if " " in each.text.strip() and "\n" not in each.text]
    documents = [Text(file, read(file)) for file in DOCUMENTS]
    found: dict[str, str] = {}
    for each in (*documents, *docstrings, *messages):
        found |= dict.fromkeys(words(each.text), each.file.relative_to(ROOT).as_posix())
    unknown = {
        (word, file) for word, file in found.items() if word.lower() not in KNOWN and word not in dictionary
    }
    assert sorted(unknown) == []


def test_the_list_of_words_is_sorted() -> None:
    """So that changes by several people merge."""
    listed = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed))


def test_no_word_is_a_common_misspelling() -> None:
    pytest.importorskip("codespell_lib")
    paths = [ROOT / name for name in ("README.md", "docs", "sim_core", "ros_bridge", "webots_api")]
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--skip", SKIPPED, "-L", RIGHT, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    "file",
    DOCUMENTS,
    ids=lambda file: file.relative_to(ROOT).as_posix(),
)
def test_lines_are_short(file: Path) -> None:
    """Except lines that cannot be broken: tables, code, headings and pictures."""
    text = re.sub(r"^(```+).*?^\1$", "", read(file), flags=re.MULTILINE | re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith(("|", "    ", "#", "![", "  |"))]
    assert [line for line in prose if len(line) > LONGEST_LINE and " " in line.strip("- ")] == []


def test_thirty_messages_are_explained() -> None:
    assert len(MESSAGES) >= 30


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_that_is_explained_is_one_of_the_code(message: str) -> None:
    """Compares the parts between values and punctuation, because the code joins these parts."""
    parts = [part.strip(" ()\"'") for part in re.split(r"…|[,;:] ", message)]
    parts = [part for part in parts if re.search(r"\w{4,}", part)]
    assert parts
    assert [part for part in parts if part not in all_texts_of_code()] == []
