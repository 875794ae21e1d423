"""`odesim shot`: what the Viewpoint sees, as a file."""

from pathlib import Path

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image

from ros_bridge.cli.__main__ import main

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Viewpoint { position 0 0 10 orientation 0 1 0 1.5707963 fieldOfView 1.0 }
Background { skyColor 0 0 1 }
Solid {
  translation 0 1 0
  children DEF B Shape {
    appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0 0 } }
    geometry Box { size 1 1 1 }
  }
}
"""


@needs_gl
def test_the_viewpoint_looks_along_its_x_axis(tmp_path: Path) -> None:
    """From above with x down, up in the picture is x of the world: a box at y = 1 is on the left."""
    (tmp_path / "w.wbt").write_text(WORLD)
    goal = tmp_path / "out.png"
    assert main(["shot", str(tmp_path / "w.wbt"), str(goal), "--size", "200x100"]) == 0
    picture = np.asarray(Image.open(goal))
    assert picture.shape == (100, 200, 3)
    rows, columns = np.nonzero(picture[..., 0] > 127)
    focal = 100 / np.tan(0.5)
    assert rows.mean() == pytest.approx(49.5, abs=0.5)
    assert columns.min() == pytest.approx(100 - focal * 1.5 / 9.5, abs=1.0)
    assert tuple(picture[0, 0, :2]) == (0, 0) and picture[0, 0, 2] > 200


@needs_gl
@pytest.mark.parametrize("turn", [1.5707963, -1.5707963])
def test_a_picture_of_nothing_but_the_sky_says_so(
    tmp_path: Path, turn: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """From 10 m above a box, down or up."""
    (tmp_path / "w.wbt").write_text(WORLD.replace("1.5707963", str(turn)))
    assert main(["shot", str(tmp_path / "w.wbt"), str(tmp_path / "out.png"), "--size", "200x100"]) == 0
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'out.png'}: written\n"
    warning = f"warning: {tmp_path / 'w.wbt'}:3:1: the Viewpoint sees nothing but the sky; "
    assert said.err.startswith(warning) == (turn < 0.0) and (turn < 0.0 or not said.err)


@needs_gl
def test_a_camera_that_sees_nothing_but_the_sky_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = 'Robot { name "r" rotation 0 1 0 -1.57 translation 0 0 9 children Camera { name "c" } }\n'
    (tmp_path / "w.wbt").write_text(WORLD + robot)
    goal = tmp_path / "out.png"
    assert main(["shot", str(tmp_path / "w.wbt"), str(goal), "--camera", "r/c"]) == 0
    assert capsys.readouterr().err == "warning: r/c sees nothing but the sky; turn it or its robot\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["out.gif"], "expected .png"),
        (["out.png", "--size", "12"], "expected WIDTHxHEIGHT"),
        (["out.png", "--time", "-1"], "expected a number from 0 to"),
    ],
)
def test_wrong_arguments_are_named(
    tmp_path: Path, arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "w.wbt").write_text(WORLD)
    assert main(["shot", str(tmp_path / "w.wbt"), *arguments]) == 2
    assert text in capsys.readouterr().err


def test_the_parameter_file_of_the_world_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("worlds", "config"):
        (tmp_path / folder).mkdir()
    (tmp_path / "worlds" / "w.wbt").write_text(WORLD)
    (tmp_path / "config" / "w.yaml").write_text("odesim:\n  ros__parameters:\n    contacts: soft\n")
    assert main(["shot", str(tmp_path / "worlds" / "w.wbt"), str(tmp_path / "out.png")]) == 2
    assert "w.yaml:3:" in capsys.readouterr().err
