"""The site of the documents is built without a warning, each page can be reached, the gallery is of today."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def pages(entries) -> set[str]:
    """The files that a navigation names."""
    if isinstance(entries, str):
        return {entries}
    rows = entries.values() if isinstance(entries, dict) else entries
    return set().union(*(pages(row) for row in rows))


def test_every_page_is_in_the_navigation() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert pages(settings["nav"]) == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """A link, an anchor, a picture or a Python name that is not there would be one."""
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    for name in ("load_world", "Simulation.step", "Supervisor.set", "OdesimEnv.reset"):
        assert f'{name}"' in reference, name


def script(name: str) -> Any:
    """A program of the folder of the documents, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gallery_shows_all_that_comes_along() -> None:
    gallery = script("draw_gallery")
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == "\n".join(gallery.page()) + "\n"
    worlds = (ROOT / "worlds" / "README.md").read_text(encoding="utf-8")
    assert worlds == "\n".join(gallery.worlds_page()) + "\n"
    shown = {path.stem for path in (*gallery.demonstrations(), *gallery.robots())}
    assert {path.stem for path in (DOCS / "gallery").glob("*.jpg")} == shown


def test_each_robot_has_its_page_of_today() -> None:
    """But those of the demonstrations, which stand for no real one."""
    pages = script("write_robots").pages()
    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text, "run docs/write_robots.py"
    shown = {path.stem for path in (ROOT / "protos" / "robots").glob("*.proto")} - {"Cart", "SwarmRobot"}
    assert {file.stem for file in pages} == shown | {"robots"}
