"""A project from elsewhere, whose controller and plug-in leave marks when they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_core.base import trust

PROGRAM = "from pathlib import Path\nPath({mark!r}).touch()\n"
PLUGIN = "def get_state():\n    return 1\ndef set_state(state):\n    pass\ndef step(api):\n    pass\n"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physics "code" }
Robot { name "r" controller "code" children DistanceSensor { name "d" } }
"""


def new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which nothing is trusted yet, with a folder of downloads."""
    folder = tmp_path / "home"
    (folder / "Downloads").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DOWNLOAD_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    forget(monkeypatch)
    return folder


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process knows of no trust, and has said nothing."""
    for name in ("_trusted_now", "_printed"):
        monkeypatch.setattr(trust, name, set())
    trust.TRUSTED.file.unlink(missing_ok=True)


def project(folder: Path, world: str = "worlds/w.wbt") -> Path:
    """A world whose controller and plug-in leave a mark in the project's folder."""
    for place, mark in (("controllers/code", "controller"), ("plugins/physics/code", "plugin")):
        (folder / place).mkdir(parents=True)
        text = PROGRAM.format(mark=str(folder / mark)) + ("" if mark == "controller" else PLUGIN)
        (folder / place / "code.py").write_text(text, encoding="utf-8")
    file = folder / world
    file.parent.mkdir(parents=True)
    file.write_text(WORLD, encoding="utf-8")
    return file


def started(folder: Path) -> set[str]:
    """What has run of a project."""
    return {name for name in ("controller", "plugin") if (folder / name).exists()}
