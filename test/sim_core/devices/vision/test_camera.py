"""Camera: positions in the picture, noise, recognition, repeatability, refusals."""

import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from pictures import ROOT, Studio, needs_gl, white

from sim_core.base.errors import DeviceError
from sim_core.devices.vision.pictures import Pictures
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
GLOW = "appearance Appearance {{ material Material {{ diffuseColor 0 0 0 emissiveColor {} }} }}"


def glowing(colour: str, geometry: str, place: str, more: str = "") -> str:
    shape = f"Shape {{ {GLOW.format(colour)} geometry {geometry} }}"
    return f'Solid {{ name "{colour}" translation {place} {more} children {shape} }}\n'


def simulation(nodes: str, camera: str) -> Simulation:
    text = f'{HEAD}{nodes} Robot {{ name "r" children [ Camera {{ {camera} }} ] }}'
    return Simulation(parse_scene(text, "w.wbt"))


EYES = (
    "width 320 height 240 fieldOfView 1.0",
    "",
    "near 3.5",
    "far 2.5",
    "antiAliasing FALSE",
    "antiAliasing TRUE",
    "width 200 height 200 noise 0.02",
    "width 200 height 200",
    "width 200 height 150 recognition Recognition { segmentation TRUE }",
    'type "black and white"',
)
"""Fields of the cameras that are there."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    eyes = {f"EYE{number}": fields for number, fields in enumerate(EYES)}
    with closing(Studio(tmp_path_factory.mktemp("studio"), eyes)) as made:
        yield made


def picture(studio: Studio, nodes: str, camera: str) -> Any:
    """Return the picture of a camera with these fields; its array is overwritten by the next one."""
    (eye,) = studio.show(nodes, {f"EYE{EYES.index(camera)}": ""})
    return eye.reading


BALLS = {"1 0 0": (3.0, 0.8, 0.4), "0 1 0": (4.0, -1.0, 0.3), "0 0 1": (2.5, 0.1, -0.5)}


@needs_gl
def test_three_balls_are_where_the_pinhole_puts_them(studio: Studio) -> None:
    nodes = "".join(
        glowing(colour, "Sphere { radius 0.05 }", " ".join(map(str, place)))
        for colour, place in BALLS.items()
    )
    value = picture(studio, nodes, "width 320 height 240 fieldOfView 1.0").value
    focal = 320 / (2 * math.tan(0.5))
    for channel, (x, y, z) in zip((2, 1, 0), BALLS.values(), strict=True):
        rows, columns = np.nonzero(value[..., channel] > 127)
        assert len(rows) > 20
        assert columns.mean() == pytest.approx(159.5 - focal * y / x, abs=0.5)
        assert rows.mean() == pytest.approx(119.5 - focal * z / x, abs=0.5)


@needs_gl
def test_near_and_far_hide(studio: Studio) -> None:
    nodes = glowing("1 0 0", "Box { size 0.1 9 9 }", "3 0 0")
    assert picture(studio, nodes, "").value[32, 32, 2] > 200
    assert picture(studio, nodes, "near 3.5").value[32, 32, 2] == 0
    assert picture(studio, nodes, "far 2.5").value[32, 32, 2] == 0


@needs_gl
def test_smooth_edges_have_colours_between(studio: Studio) -> None:
    nodes = glowing("1 1 1", "Box { size 1 1 1 }", "3 0 0", "rotation 1 0 0 0.3")
    hard, soft = (
        np.unique(picture(studio, nodes, f"antiAliasing {on}").value[..., 0]) for on in ("FALSE", "TRUE")
    )
    assert len(hard) == 2
    assert len(soft) > 2


@needs_gl
def test_noise_has_the_deviation_that_is_asked_for_and_no_bias(studio: Studio) -> None:
    nodes = glowing("0.5 0.5 0.5", "Box { size 0.1 9 9 }", "3 0 0")
    camera = "width 200 height 200 noise 0.02"
    first, again = (picture(studio, nodes, camera).value.copy() for _ in range(2))
    clean = picture(studio, nodes, "width 200 height 200").value[..., :3]
    assert (clean == clean[0, 0, 0]).all()
    noise = first[..., :3].astype(float) - clean
    count = noise.size
    sigma = math.sqrt((256 * 0.02) ** 2 + 1 / 12)  # and the rounding
    assert noise.mean() == pytest.approx(0.0, abs=4 * sigma / math.sqrt(count))
    assert noise.std() == pytest.approx(sigma, rel=0.02)
    assert abs(np.corrcoef(noise[..., 0].ravel(), noise[..., 1].ravel())[0, 1]) < 0.03
    assert (first == again).all()


@needs_gl
def test_motion_blur_goes_on_to_the_new_colour(studio: Studio) -> None:
    """99.5 % of a change in 30 ms: after 10 ms the cube root of 0.005 of the light remains."""
    nodes = (
        'Robot { name "lamp" translation 2 0 0 children [ LED { name "led" color [ 1 1 1 ] children Shape {'
    )
    nodes += (
        " appearance PBRAppearance { baseColor 0 0 0 IBLStrength 0 } geometry Box { size 0.1 5 5 } } } ] }"
    )
    sim = simulation(nodes, "motionBlur 30")
    camera, led = sim.robot("r")["camera"], sim.robot("lamp")["led"]
    sim.step()
    assert camera.value[32, 32, 0] == 0
    led.set(1)
    bright = picture(studio, glowing("1 1 1", "Box { size 0.1 5 5 }", "2 0 0"), "").value[32, 32, 0]
    levels = []
    for _ in range(3):
        sim.step()
        levels.append(camera.value[32, 32, 0] / bright)
        sim.restart_clock()  # it goes on all the same
    sim.close()
    light = [1 - 0.005 ** (k / 3) for k in (1, 2, 3)]
    assert levels == pytest.approx(
        [((1 - math.exp(-each)) / (1 - math.exp(-1))) ** (1 / 2.2) for each in light], abs=0.01
    )


@needs_gl
def test_recognition_and_segmentation_agree(studio: Studio) -> None:
    nodes = glowing("1 1 1", "Box { size 0.5 0.5 0.5 }", "3.25 0.5 0.2", "recognitionColors [ 0 1 0 ]")
    nodes += glowing("1 0 1", "Box { size 0.5 0.5 0.5 }", "3 -0.7 0")
    camera = "width 200 height 150 recognition Recognition { segmentation TRUE }"
    reading = picture(studio, nodes, camera)
    (found,) = reading.objects
    assert found.colors == ((0.0, 1.0, 0.0),)
    rows, columns = np.nonzero(reading.segmentation[..., 1])
    assert (reading.segmentation[rows, columns] == (0, 255, 0, 255)).all()
    focal = 200 / (2 * math.tan(0.785398 / 2))
    assert columns.min() == pytest.approx(100 - focal * 0.75 / 3, abs=1)  # the box's face at x = 3
    assert rows.max() + 1 == pytest.approx(75 - focal * (0.2 - 0.25) / 3, abs=1)
    left, _, _, bottom = found.image  # at the depth of its middle
    assert 200 * left == pytest.approx(100 - focal * 0.75 / 3.25, abs=0.1)
    assert 150 * bottom == pytest.approx(75 - focal * (0.2 - 0.25) / 3.25, abs=0.1)


@needs_gl
def test_segmentation_is_switched_while_the_camera_works() -> None:
    box = glowing("1 1 1", "Box { size 0.1 9 9 }", "3 0 0", "recognitionColors [ 0 1 0 ]")
    sim = simulation(box, "recognition DEF R Recognition { }")
    camera = sim.robot("r")["camera"]
    for on in (False, True, False):
        sim.supervisor.set("R", "segmentation", on)
        sim.step()
        assert camera.has_segmentation == on
        assert (camera.reading.segmentation is not None) == on
        if on:
            assert camera.reading.segmentation[32, 32].tolist() == [0, 255, 0, 255]
        assert camera.value[32, 32, 0] > 200
    sim.close()


@needs_gl
def test_black_and_white_has_one_channel(studio: Studio) -> None:
    nodes = glowing("0 1 0", "Box { size 0.1 9 9 }", "3 0 0")
    value = picture(studio, nodes, 'type "black and white"').value
    assert value.shape == (64, 64)
    assert value[32, 32] == round(0.587 * float(picture(studio, nodes, "").value[32, 32, 1]))


SPIN = """
DirectionalLight { direction 1 0.3 -1 }
Robot { name "arm" translation 2 0 0 children [ HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { name "m" }
  endPoint Solid {
    children Shape {
      appearance PBRAppearance { roughness 0.5 metalness 0.2 } geometry DEF B Box { size 0.4 0.4 0.4 } }
    boundingObject USE B physics Physics { } } } ] }
"""
RUN = f"""
from sim_core.session.simulation import Simulation
from sim_core.scene import parse_scene
import hashlib
text = '''{HEAD}{SPIN} Robot {{ name "r" children [ Camera {{ noise 0.01 antiAliasing TRUE }} ] }}'''
def run(sim):
    sim.robot("arm")["m"].set_position(1.0)
    made = []
    for _ in range(4):
        sim.step()
        made.append(hashlib.sha1(sim.robot("r")["camera"].value.tobytes()).hexdigest())
    assert len(set(made)) > 1
    return made
sim = Simulation(parse_scene(text, "w.wbt"))
first = run(sim)
sim.reset()
assert run(sim) == first
sim.close()
print(first)
"""


@needs_gl
def test_pictures_that_are_drawn_together_are_those_of_cameras_alone() -> None:
    nodes = "".join(
        glowing(colour, "Sphere { radius 0.3 }", " ".join(map(str, place))) for colour, place in BALLS.items()
    )
    eyes = "".join(
        f'Camera {{ name "c{k}" rotation 0 0 1 {0.1 * k} width {size} height 24 {more} }} '
        for k, (size, more) in enumerate(
            [(32, ""), (32, ""), (40, "recognition Recognition { segmentation TRUE }")]
        )
    )
    falling = (
        "Solid { translation 2 0 1 children DEF B Shape { geometry Box { size 0.2 0.2 0.2 } } "
        "boundingObject USE B physics Physics { } }"
    )
    sim = Simulation(parse_scene(f'{HEAD}{nodes}{falling} Robot {{ name "r" children [ {eyes} ] }}', "w.wbt"))
    cameras = list(sim.robot("r").sensors())
    for _ in range(3):
        sim.step(4)
        sim.sample(cameras)
        together = [camera.reading for camera in cameras]
        for camera, before in zip(cameras, together, strict=True):
            sim.sample([camera])
            assert np.array_equal(camera.reading.value, before.value)
            assert camera.reading.time_ns == before.time_ns == sim.time_ns
        assert not np.array_equal(together[0].value, together[1].value)
        assert together[2].segmentation is not None
    sim.close()


@needs_gl
def test_after_a_reset_and_in_another_process_pictures_are_the_same() -> None:
    made = [
        subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert made[0].stderr == ""
    assert made[0].stdout == made[1].stdout != ""


@needs_gl
def test_without_waiting_pictures_come_later_with_the_time_they_show() -> None:
    sim = simulation(white("Box { size 0.1 9 9 }", "3 0 0"), "")
    camera = sim.robot("r")["camera"]
    camera.waits = False
    stamps: list[tuple[int, int]] = []
    camera.add_listener(lambda reading: stamps.append((reading.time_ns, sim.time_ns)))
    pictures = sim.media.of(Pictures)
    for _ in range(5):
        sim.step()  # asks, and the next picture is asked for when this one has come
        order = pictures.is_pending(0)
        while order and not stamps:
            sim.step()
    assert stamps
    assert all(shown % sim.step_ns == 0 and shown < told for shown, told in stamps)
    camera.waits = True
    sim.step()
    assert camera.reading.time_ns == sim.time_ns
    sim.close()


def test_without_gl_the_world_runs_and_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sim_core.sensing.render.client as client

    monkeypatch.setattr(client, "find_spec", lambda name: None)
    sim = simulation("", "")
    lines: list[str] = []
    sim.media.of(Pictures).warn = lines.append
    sim.step(10)
    sim.close()
    assert sim.robot("r")["camera"].reading is None
    (line,) = lines
    assert "moderngl" in line and "install" in line
    assert not sim.robot("r")["camera"].is_wanted()


@pytest.mark.parametrize(
    ("fields", "field", "expected"),
    [
        ("width 0", "width", "1 to 8192"),
        ("height -3", "height", "1 to 8192"),
        ("fieldOfView 3.2", "fieldOfView", "below π"),
        ("fieldOfView 0", "fieldOfView", "1e-06 or more"),
        ("fieldOfView 5e-324", "fieldOfView", "1e-06 or more"),
        ('projection "spherical" fieldOfView 7', "fieldOfView", "at most 2π"),
        ("near -1", "near", "at least 0"),
        ("near 1 far 0.5", "far", "more than near"),
        ("noise 1.5", "noise", "from 0 to 1"),
        ("exposure 0", "exposure", "above 0"),
        ("motionBlur -1", "motionBlur", "at least 0"),
        ("recognition Recognition { occlusion 3 }", "occlusion", "0, 1 or 2"),
        ("recognition Recognition { maxRange 0 }", "maxRange", "above 0"),
        ("recognition Recognition { maxObjects -2 }", "maxObjects", "-1"),
    ],
)
def test_fields_that_are_not_possible_are_refused(fields: str, field: str, expected: str) -> None:
    with pytest.raises(DeviceError) as refused:
        simulation("", fields)
    assert str(refused.value).startswith("w.wbt:3:")
    assert f".{field}: found" in str(refused.value) and expected in str(refused.value)


@needs_gl
def test_a_renderer_that_dies_is_followed_by_another_one() -> None:
    sim = simulation(white("Box { size 0.1 9 9 }", "3 0 0"), "")
    pictures, camera = sim.media.of(Pictures), sim.robot("r")["camera"]
    lines: list[str] = []
    pictures.warn = lines.append
    sim.step()
    before = camera.reading
    pictures._renderer._process.kill()  # type: ignore[union-attr]
    sim.step(5)
    after = camera.reading
    assert len(lines) == 1 and "ended by itself" in lines[0] and "it is restarted" in lines[0]
    assert after is not before and np.array_equal(after.value, before.value)
    sim.close()


@needs_gl
def test_a_renderer_that_dies_before_its_first_picture_takes_nothing_with_it() -> None:
    sim = simulation(white("Box { size 0.1 9 9 }", "3 0 0"), "")
    pictures, camera = sim.media.of(Pictures), sim.robot("r")["camera"]
    lines: list[str] = []

    def kill_the_next(line: str) -> None:
        lines.append(line)
        make = sim.media.new_renderer

        def made(views: Any) -> Any:
            renderer = make(views)  # type: ignore[misc]
            renderer._process.kill()
            return renderer

        sim.media.new_renderer = made

    pictures.warn = kill_the_next
    sim.step()
    reading = camera.reading
    pictures._renderer._process.kill()  # type: ignore[union-attr]
    sim.step(5)
    assert camera.reading is reading
    assert ["it is restarted" in line for line in lines] == [True, False] and "ended by itself" in lines[1]
    sim.close()


def test_fields_that_are_not_simulated_are_named_in_one_line() -> None:
    sim = simulation("", "zoom Zoom { } lensFlare LensFlare { } bloomThreshold 2")
    (warning,) = sim.robot("r").warnings
    assert "Camera.lensFlare, bloomThreshold" in str(warning) and "not simulated" in str(warning)
    assert not simulation("", "bloomThreshold -1").robot("r").warnings
