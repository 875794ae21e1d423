"""Follows the tutorial as a reader would, chapter by chapter, and prints how long each took.

    python3 docs/follow_tutorial.py                 # all chapters, in a new folder that is removed at the end
    python3 docs/follow_tutorial.py --until 3       # the first three
    python3 docs/follow_tutorial.py --pictures      # keeps the pictures that the chapters show, beside them

In a chapter, a block of `bash` is typed into one shell that lasts for the whole tutorial; a block with a
title is saved as the file that the title names; a block of `text` is what the commands before it must have
said, line by line, where … stands for anything. A command that fails ends it all, unless `<!-- fails -->`
stands before its block. For `.venv` that a chapter activates stands the environment that runs this script:
with an installation of ROS 2 it has another name.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
CHAPTERS = HERE / "tutorial"
BLOCK = re.compile(
    r'(?P<fails><!-- fails -->\n)?^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
ACTIVATE = ".venv/bin/activate"
PICTURE = re.compile(r"!\[[^]]*\]\(([\w./-]+)\)")
DONE = "__done__"


class Block(NamedTuple):
    """A piece of a chapter that does something."""

    language: str
    title: str
    text: str
    fails: bool


class Shell:
    """One bash that lasts; what it and its commands say on both outputs comes as one text."""

    def __init__(self, home: Path) -> None:
        environment = {**os.environ, "HOME": str(home), "PS1": "", "COLUMNS": "120"}
        environment.pop("VIRTUAL_ENV", None)
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=HERE.parent,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def type(self, text: str) -> tuple[str, list[str]]:
        """Type lines; returns what was said, and the commands that failed.

        Raises:
            RuntimeError: the shell has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"trap 'echo \"{DONE} failed $BASH_COMMAND\"' ERR\n{text}\ntrap - ERR\n")
        self._process.stdin.write(f"echo; echo {DONE} end\n")
        self._process.stdin.flush()
        said: list[str] = []
        failed: list[str] = []
        for line in self._process.stdout:
            if line.startswith(f"{DONE} failed "):
                failed.append(line.removeprefix(f"{DONE} failed ").strip())
            elif line.startswith(f"{DONE} end"):
                return "".join(said), failed
            else:
                said.append(line)
        raise RuntimeError("the shell has ended:\n" + "".join(said))

    def folder(self) -> Path:
        """Where it is."""
        return Path(self.type("pwd")[0].strip())

    def close(self) -> None:
        """End it, and whatever still runs in its background."""
        self.type("kill $(jobs -p) 2>/dev/null; wait")
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)


def blocks(chapter: Path) -> Iterator[Block]:
    """The blocks of a chapter, in order."""
    for found in BLOCK.finditer(chapter.read_text(encoding="utf-8")):
        yield Block(found["language"], found["title"] or "", found["text"], bool(found["fails"]))


def follow(chapter: Path, shell: Shell) -> None:
    """Do what a chapter says.

    Raises:
        RuntimeError: a command failed, or said something else than the chapter shows.
    """
    said = ""
    for block in blocks(chapter):
        if block.title:
            file = shell.folder() / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "bash":
            said, failed = shell.type(block.text.replace(ACTIVATE, f"{sys.prefix}/bin/activate"))
            if bool(failed) != block.fails:
                what = f"`{failed[0]}` failed" if failed else "should have failed"
                raise RuntimeError(f"{chapter.name}: {what}:\n{block.text}\n{said}")
        elif block.language == "text" and (line := missing(block.text, said)) is not None:
            raise RuntimeError(f"{chapter.name}: expected the line\n{line}\nfound\n{said}")


def missing(expected: str, said: str) -> str | None:
    """The first line that is not there, in this order; None: all are."""
    lines = iter(said.splitlines())
    for line in filter(str.strip, expected.splitlines()):
        pattern = ".*".join(re.escape(part) for part in line.strip().split("…"))
        if not any(re.fullmatch(pattern, each.strip()) for each in lines):
            return line
    return None


def main() -> int:
    """Follow the chapters that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--until", type=int, default=99, metavar="CHAPTER", help="the last one; default: all")
    parser.add_argument("--pictures", action="store_true", help="keep the pictures, in docs/tutorial")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="odesim-tutorial-"))
    shell = Shell(home)
    try:
        for chapter in sorted(CHAPTERS.glob("[0-9]*.md"))[: options.until]:
            start = time.monotonic()
            follow(chapter, shell)
            print(f"{chapter.stem:24} {time.monotonic() - start:5.1f} s", flush=True)
            for picture in PICTURE.findall(chapter.read_text(encoding="utf-8")):
                made = next(home.rglob(Path(picture).name), None)
                if options.pictures and made is not None:
                    shutil.copy(made, CHAPTERS / picture)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        shell.close()
        shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
