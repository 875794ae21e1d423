"""The site of the documents is built without a warning, each page can be reached, the gallery is of today."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

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


class Page(HTMLParser):
    """What a page of the site links to, and what of it can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {"", "__top"}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.links |= {link for link in (told.get("href"), told.get("src")) if link}
        self.anchors |= {name for name in (told.get("id"), told.get("name")) if name}


def broken_links(site: Path) -> Iterator[str]:
    """Links of the built pages, of templates and HTML too, to files and anchors that are not there."""
    pages = {file.resolve(): Page(file) for file in site.rglob("*.html")}
    for file, page in pages.items():
        if file.name == "404.html":  # shown for any address: its links begin with /
            continue
        for link in page.links:
            to = urlsplit(link)
            if to.scheme or to.netloc:
                continue
            at = file if not to.path else (file.parent / unquote(to.path)).resolve()
            at = at / "index.html" if at.is_dir() else at
            if not at.exists() or (at in pages and unquote(to.fragment) not in pages[at].anchors):
                yield f"{file.name}: {link}"


def test_links_of_the_files_outside_the_site_lead_to_files() -> None:
    """Of the README files, which GitHub shows."""
    for file in (ROOT / "README.md", ROOT / "worlds" / "README.md"):
        links = re.findall(r'\]\(([^)#]+)|src="([^"]+)', file.read_text(encoding="utf-8"))
        assert links
        found = [link for pair in links for link in pair if link and "://" not in link]
        assert [link for link in found if not (file.parent / link).exists()] == []


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
    assert sorted(broken_links(tmp_path / "site")) == []


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
    shown = {path.stem for path in (*gallery.demonstrations(), *gallery.robots(), *gallery.scenes())}
    assert {path.stem for path in (DOCS / "gallery").glob("*.jpg")} == shown


def test_each_robot_has_its_page_of_today() -> None:
    """But those of the demonstrations, which stand for no real one."""
    pages = script("write_robots").pages()
    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text, "run docs/write_robots.py"
    shown = {path.stem for path in (ROOT / "protos" / "robots").glob("*.proto")} - {"Cart", "SwarmRobot"}
    assert {file.stem for file in pages} == shown | {"robots"}
