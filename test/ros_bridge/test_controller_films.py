"""Pictures, movies and animations that a supervisor's controller asks for by Webots' names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import run_project, said
from pictures import needs_gl
from PIL import Image

av = pytest.importorskip("av", reason="needs the Python package av")

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 }
Viewpoint { position -5 0 1 }
Robot { name "boss" controller "boss" supervisor TRUE children Shape { geometry Box { size 1 1 1 } } }
"""
SOURCE = """
from controller import Supervisor
boss = Supervisor()
print("at first", boss.movieGetStatus(), boss.movieIsReady(), boss.movieFailed())
boss.exportImage("here.jpg", 80)
boss.movieStartRecording("film.mp4", 128, 64, 0, 90, 2, False)
print("animation", boss.animationStartRecording("page.html"))
for _ in range(20):
    boss.step(20)
print("on the way", boss.movieGetStatus(), boss.movieIsReady())
boss.movieStopRecording()
print("ready", boss.movieIsReady(), boss.movieFailed(), boss.animationStopRecording())
boss.movieStartRecording("film.xyz", 128, 64, 0, 90, 2, False)
print("nothing", boss.movieGetStatus(), boss.animationStopRecording())
"""


@needs_gl
def test_files_are_beside_the_controller(tmp_path: Path, simulate: Callable[..., Any]) -> None:
    """0.4 s at twice the speed are 0.2 s of film: 5 frames."""
    sim = run_project(tmp_path, simulate, WORLD, {"boss": SOURCE}, 2.0)
    assert sim.code == 0, sim.lines
    lines = said(sim, "boss")
    told = [line for line in lines if line.split()[0] in ("at", "animation", "on", "ready", "nothing")]
    assert told == [
        "at first 0 True False",
        "animation True",
        "on the way 1 False",
        "ready True False True",
        "nothing 0 False",
    ]
    assert any("expected .mp4, .webm or .gif" in line for line in lines)
    folder = tmp_path / "controllers" / "boss"
    assert Image.open(folder / "here.jpg").size == (1280, 720)
    with av.open(str(folder / "film.mp4")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) == 5 and frames[0].shape == (64, 128, 3)
    assert (folder / "page.html").stat().st_size > 100_000
