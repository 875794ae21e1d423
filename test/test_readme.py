"""The README's Python runs as it is printed, and the commands of README and documents exist."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ros_bridge.cli.arguments import make_parser

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(mark: str) -> str:
    found = re.search(rf"<!-- test: {mark} -->\n```python\n(.*?)```", README, re.DOTALL)
    assert found, f"README.md has no block marked {mark}"
    return found[1]


def test_the_ten_lines_run_from_any_folder(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", block("run")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},  # as the environment of the set-up has it
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"2\.0 s: \d\.\d\d m free, robot at \(.*\)\n", result.stdout)


def test_ten_lines_are_ten_lines() -> None:
    assert len([line for line in block("run").splitlines() if line]) <= 10


def test_every_file_named_exists() -> None:
    """Paths in code marks and pictures, not names without slash or suffix; some are invented or made."""
    names = re.findall(r"`([\w./-]+/[\w.-]*|[\w-]+\.(?:py|sh|md|yaml))`|\]\(([\w./-]+)\)", README)
    paths = [first or second for first, second in names]
    places = (ROOT, ROOT / "benchmarks", ROOT / "sim_core", ROOT / "sim_core/devices")
    invented = ("my_node.py", "thing.py", ".venv/bin/odesim")
    missing = [path for path in paths if not any((place / path).exists() for place in places)]
    missing = [path for path in missing if not path.startswith("my_project/")]
    assert [path for path in missing if not path.endswith(invented)] == []


def test_every_command_is_listed_once() -> None:
    page = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    listed = re.findall(r"^    odesim ([\w-]+)[ \[].*  \w", page, re.MULTILINE)
    (choices,) = [action.choices for action in make_parser()._actions if isinstance(action.choices, dict)]
    assert sorted(listed) == sorted(choices)


def test_every_document_is_listed() -> None:
    listed = set(re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"} <= listed


def command_lines() -> list[str]:
    """What the README and the documents tell to type, without remarks; `…` stands for more of the same."""
    texts = [README, *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))]
    texts = [re.sub(r"\\\n\s*", "", text) for text in texts]  # a command of several lines
    lines = [
        line for text in texts for line in re.findall(r"^    (?:\./run\.sh|odesim) .*", text, re.MULTILINE)
    ]
    return sorted({re.split(r"\s#|\s{2,}", line.strip())[0].replace("…", "") for line in lines})


@pytest.mark.parametrize("line", command_lines())
def test_a_command_that_is_printed_can_be_typed(line: str) -> None:
    words = shlex.split(line.replace("./run.sh", "odesim run"))[1:]
    options = words[: words.index("--ros-args")] if "--ros-args" in words else words
    options = [word for word in options if word not in ("[WORLD]", "[OPTIONS]", "|")]
    make_parser().parse_args(options)
