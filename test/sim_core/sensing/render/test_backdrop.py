"""The six pictures of a Background surround the world, upright; those of its irradiance light it."""

from pathlib import Path

import numpy as np
import pytest
from pictures import needs_gl
from PIL import Image

from sim_core.scene import parse_scene
from sim_core.sensing.render.sky_and_fog import ambient_light, backdrop
from sim_core.session.simulation import Simulation

SIDES = ("front", "back", "left", "right", "top", "bottom")
AHEAD = {  # of the camera, and what is upwards in its picture
    "front": ((-1, 0, 0), (0, 0, 1)),
    "back": ((1, 0, 0), (0, 0, 1)),
    "left": ((0, -1, 0), (0, 0, 1)),
    "right": ((0, 1, 0), (0, 0, 1)),
    "top": ((0, 0, 1), (1, 0, 0)),
    "bottom": ((0, 0, -1), (-1, 0, 0)),
}


def axis_angle(ahead: tuple, up: tuple) -> str:
    turn = np.stack([ahead, np.cross(up, ahead), up], axis=1).astype(float)
    values, vectors = np.linalg.eig(turn)
    axis = np.real(vectors[:, np.argmin(abs(values - 1))])
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    if skew @ axis < 0:
        angle = -angle
    return f"{axis[0]} {axis[1]} {axis[2]} {angle}"


@needs_gl
@pytest.mark.parametrize("smooth", ["TRUE", "FALSE"])
def test_each_side_is_seen_upright_where_it_belongs(tmp_path: Path, smooth: str) -> None:
    fields = []
    for number, side in enumerate(SIDES):
        picture = np.zeros((32, 32, 3), np.uint8)
        picture[:16, :16] = (255, 30 + 30 * number, 0)  # above left: its own green, and red
        picture[:16, 16:] = (0, 255, 0)
        picture[16:, :16] = (0, 0, 255)
        Image.fromarray(picture).save(tmp_path / f"{side}.png")
        fields.append(f'{side}Url "{side}.png"')
    eyes = " ".join(
        f'Pose {{ rotation {axis_angle(*AHEAD[side])} children Camera {{ name "{side}" width 64 height 64 '
        f"fieldOfView 1.2 antiAliasing {smooth} }} }}"
        for side in SIDES
    )
    text = f"""#VRML_SIM R2025a utf8
    WorldInfo {{ basicTimeStep 10 }} Background {{ {" ".join(fields)} }}
    Solid {{ translation -3 0 0 children Shape {{
        appearance Appearance {{ material Material {{ }} }} geometry Box {{ size 0.2 0.2 0.2 }} }} }}
    Robot {{ name "r" children [ {eyes} ] }}"""
    sim = Simulation(parse_scene(text, str(tmp_path / "w.wbt")))
    sim.step()
    sim.close()
    greens = []
    for side in SIDES:
        value = sim.robot("r")[side].value
        bright = [[bool(each) for each in value[row, column, 2::-1] > 150]
                  for row, column in ((16, 16), (16, 48), (48, 16), (48, 48))]  # fmt: skip
        assert [each[0] for each in bright] == [True, False, False, False]
        assert bright[1][1] and bright[2][2] and not any(bright[3])
        greens.append(int(value[16, 16, 1]))
    assert greens == sorted(greens) and len(set(greens)) == 6
    assert (sim.robot("r")["front"].value[32, 32, :3] == 0).all()  # the unlit box stands before it


def light_of(folder: Path, background: str) -> list[float]:
    """Ambient light of a world in this folder."""
    text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ }} {background}"
    sim = Simulation(parse_scene(text, str(folder / "w.wbt")))
    surroundings = sim.physics.model.surroundings
    sim.close()
    assert surroundings.background is not None
    return ambient_light(surroundings.background, backdrop(surroundings.background)).tolist()


def test_irradiance_pictures_are_the_light_times_the_luminosity(tmp_path: Path) -> None:
    """If there are not all of them, the sky's colour is it (Webots reference, Background)."""
    head, fields = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n", []
    for number, side in enumerate(SIDES):
        (tmp_path / f"{side}.hdr").write_bytes(head + bytes((128, 64, 32 * number, 130)) * 2)
        fields.append(f'{side}IrradianceUrl "{side}.hdr"')
    sky = f"Background {{ skyColor 1 0 0.5 luminosity 0.5 {' '.join(fields)} }}"
    assert light_of(tmp_path, sky) == [1.0, 0.5, 0.625]
    (tmp_path / "top.hdr").unlink()
    assert light_of(tmp_path, sky) == [0.5, 0.0, 0.25]
    assert light_of(tmp_path, f"Background {{ skyColor 1 0 0.5 {fields[0]} }}") == [1.0, 0.0, 0.5]


def test_a_background_without_its_files_is_drawn_without_them_and_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for ending, word, consequence in (
        ("Url", "PNG", "the sky is drawn without pictures"),
        ("IrradianceUrl", "Radiance", "the light of the sky is computed without it"),
    ):
        fields = " ".join(f'{side}{ending} "{side}"' for side in SIDES)
        world = f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nBackground {{ skyColor 1 0 0.5 {fields} }}"
        place = f'{tmp_path / "w.wbt"}:3:1: Background.front{ending} "front": '
        missing = f"{place}no such file; looked for at {tmp_path / 'front'} (and 5 more pictures)"
        assert [str(each) for each in parse_scene(world, str(tmp_path / "w.wbt")).warnings] == [missing]
        for side in SIDES:
            (tmp_path / side).write_text("no picture")
        assert parse_scene(world, str(tmp_path / "w.wbt")).warnings == []
        caplog.clear()
        for _ in range(2):
            assert light_of(tmp_path, world.splitlines()[-1]) == [1.0, 0.0, 0.5]
        (line,) = caplog.messages
        assert line.endswith(consequence) and f'Background.front{ending} "front": no picture' in line
        assert word in line
        for side in SIDES:
            (tmp_path / side).unlink()


def test_the_light_of_a_textured_background_is_the_same_without_its_sky(tmp_path: Path) -> None:
    with_sky = light_of(tmp_path, "TexturedBackground { luminosity 0.5 }")
    without = light_of(tmp_path, "TexturedBackground { luminosity 0.5 skybox FALSE skyColor 0 1 0 }")
    assert without == pytest.approx(with_sky, abs=1 / 256) and min(with_sky) > 0.3
    assert light_of(tmp_path, "Background { }") == [0.0, 0.0, 0.0]
