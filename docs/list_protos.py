"""Writes docs/protos.md: every PROTO file that comes along, from its first comment.

python3 docs/list_protos.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sim_core.scene.proto.catalogue import NOT_OFFERED
from sim_core.scene.proto.proto_file import read_head

FILE = ROOT / "docs" / "protos.md"
PROTOS = ROOT / "protos"
HEAD = """# Included PROTO files

This page lists the PROTO files in `protos/`; the files themselves describe their fields. Some of
them [replace PROTO files of Webots](proto.md#replacements-for-webots-proto-files). Parts that
only other PROTO files use are not listed. `docs/list_protos.py` creates this page from the first
comment of each file.
"""


def table(folder: Path) -> str:
    """The rows of a folder; empty: it has none."""
    rows = []
    for file in sorted(folder.glob("*.proto"), key=lambda path: path.stem.lower()):
        head = read_head(file.read_text(encoding="utf-8"), str(file))
        about = " ".join(each for each in head.comments if each).partition(" Made by ")[0]
        if not NOT_OFFERED & {*head.words("tags")}:
            rows.append(f"| `{file.stem}` | {about} |")
    return "\n".join(["| PROTO | what it is |", "|---|---|", *rows]) if rows else ""


def text() -> str:
    """All of docs/protos.md."""
    folders = [PROTOS, *sorted(path for path in PROTOS.rglob("*") if path.is_dir())]
    tables = {folder.relative_to(PROTOS).as_posix(): table(folder) for folder in folders}
    return HEAD + "".join(f"\n## {name}\n\n{rows}\n" for name, rows in tables.items() if rows)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
