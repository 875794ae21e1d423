"""W9: the camera as the book has it: three types, noise in grey levels, the functions of its controllers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from controller_runs import write_controllers
from pictures import ROOT, needs_gl

from sim_core.scene.loader import load_scene
from sim_core.session.simulation import Simulation

WALL = """#VRML_SIM V6.0 utf8
WorldInfo { basicTimeStep 32 }
Solid { translation 0 0 -2 children Shape { geometry Box { size 9 9 0.1 }
  appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 0.8 0.8 0.8 } } } }
"""
CONTROLLER = """
from controller import Camera, Robot
robot = Robot()
camera, grey, ranges = (robot.getCamera(name) for name in ("camera", "grey", "ranges"))
for each in (camera, grey, ranges):
    each.enable(32)
types = (Camera.COLOR, Camera.BLACK_AND_WHITE, Camera.RANGE_FINDER)
print("types", [types.index(each.getType()) for each in (camera, grey, ranges)], len(set(types)))
print("limits", camera.getNear(), camera.getFar(), ranges.getNear(), ranges.getFar())
camera.moveWindow(10, 20)
camera.moveWindow(20, 20)
robot.step(32)
robot.step(32)
image = ranges.getRangeImage()
depth = ranges.rangeImageGetValue(image, ranges.getNear(), ranges.getFar(), ranges.getWidth(), 8, 8)
print("depth", round(depth, 3))
def width_of_wall():
    image, width = camera.getImage(), camera.getWidth()
    return sum(camera.imageGetGrey(image, width, x, 8) > 50 for x in range(width))
print("wide", camera.getFov(), width_of_wall())
camera.setFov(0.5)
robot.step(32)
robot.step(32)
print("narrow", camera.getFov(), width_of_wall())
print("saved", camera.saveImage("seen.png", 100))
robot.step(32)
"""


def robot(cameras: str) -> str:
    """A robot that looks along -z, with its cameras."""
    return f'DifferentialWheels {{ name "r" controller "looker" children [ {cameras} ] }}'


def picture(folder: Path, text: str) -> np.ndarray:
    """What the robot's camera sees after a step."""
    file = folder / "book.wbt"
    file.write_text(text, encoding="utf-8")
    sim = Simulation(load_scene(file))
    sim.step()
    sim.close()
    return np.asarray(sim.robot("r")["camera"].reading.value, float)


@needs_gl
@pytest.mark.parametrize("kind", ["color", "black and white"])
def test_gaussian_noise_of_20_is_a_deviation_of_20_grey_levels(tmp_path: Path, kind: str) -> None:
    pixels = picture(tmp_path, WALL + robot(f'Camera {{ type "{kind}" gaussianNoise 20 }}'))
    levels = pixels if pixels.ndim == 2 else pixels[..., :3]
    assert 150.0 < levels.mean() < 195.0  # far from black and white, where it would be cut off
    assert levels.std() == pytest.approx(20.0, rel=0.05)


@needs_gl
def test_nothing_farther_than_fifty_metres_is_seen(tmp_path: Path) -> None:
    """The book's default of `far`."""
    far = WALL.replace("0 0 -2", "0 0 -60").replace("9 9 0.1", "90 90 0.1")
    for camera, is_seen in (("", False), ("far 70", True)):
        pixels = picture(tmp_path, far + robot(f"Camera {{ {camera} }}"))
        assert (pixels[32, 32, 0] > 100) == is_seen


@needs_gl
def test_a_controller_of_the_book(tmp_path: Path) -> None:
    """Its wall is 0.4 m wide and 2 m ahead: 16 pixels show 2·2·tan(fov/2) m of it."""
    write_controllers(tmp_path, {"looker": CONTROLLER})
    (tmp_path / "worlds").mkdir()
    cameras = (
        'Camera { name "camera" width 16 height 16 fieldOfView 1 far 30 }'
        'Camera { name "grey" width 16 height 16 type "black and white" }'
        'Camera { name "ranges" width 16 height 16 type "range-finder" near 0.1 far 5 }'
    )
    world = tmp_path / "worlds" / "book.wbt"
    wall = WALL.replace("9 9 0.1", "0.4 9 0.1").replace("0 0 -2", "0 0 -2.05")
    world.write_text(wall + robot(cameras), encoding="utf-8")
    command = [sys.executable, "-m", "ros_bridge.cli", "run", str(world), "--mode", "fast", "--duration", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120.0)
    said = [line.split(" r: ", 1)[1] for line in (done.stdout + done.stderr).splitlines() if " r: " in line]
    assert said[:7] == [
        "types [0, 1, 2] 3",
        "limits 0.01 30.0 0.1 5.0",
        'Camera.moveWindow(): "camera" is shown in a panel of the viewer',
        "depth 2.0",
        "wide 1.0 2",
        "narrow 0.5 6",
        "saved 0",
    ]
    assert (tmp_path / "controllers" / "looker" / "seen.png").is_file()
