"""W12: the other devices that the book names, in a world of Webots 6, where y is up."""

from pathlib import Path

import numpy as np
import pytest
from document_runs import run_document
from PIL import Image

from sim_core.devices.drawing.trace_pictures import save_traces
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

FLOOR = """DEF FLOOR Solid { translation 0 -0.5 0
  children [ DEF GROUND Shape { geometry Box { size 20 1 20 } } ] boundingObject USE GROUND }
"""
WORLD = f"""
WorldInfo {{ basicTimeStep 8 gravity 0 -9.81 0 }}
DirectionalLight {{ direction 0 -1 0 intensity 0.5 }}
{FLOOR}
Robot {{
  name "box" controller "box" translation 0 0.1 0 battery [ 1 100 5 ]
  children [
    Accelerometer {{ name "felt" }}
    TouchSensor {{ name "foot" type "force" translation 0 -0.1 0 rotation 1 0 0 1.5707963267948966
      boundingObject Box {{ size 0.4 0.4 0.02 }} }}
    TouchSensor {{ name "bump" type "bumper" translation 0 0.1 0 boundingObject Box {{ size 0.1 0.1 0.1 }} }}
    LightSensor {{ name "sun" translation 0 1 0 rotation 0 0 1 1.5707963267948966 }}
    LightSensor {{ name "lamp" translation -1 1 0 }}
    LED {{ name "led" translation 0 1 0 color [ 1 0 0, 0 0 1 ]
      children [ PointLight {{ intensity 0.6 attenuation 0 0 1 }} ] }}
    Connector {{ name "hook" translation 0 0.5 0.3 distanceTolerance 0.05 }}
  ]
  boundingObject Box {{ size 0.4 0.1 0.4 }}
  physics Physics {{ density -1 mass 2 }}
}}
DEF CHARGER Charger {{ battery [ 50 100 1 ] radius 0.5 }}
DEF AWAY Solid {{ name "away" translation 0 0.59 0.38 physics Physics {{ density -1 mass 0.01 }}
  boundingObject Sphere {{ radius 0.01 }}
  children [ Robot {{ name "eye" controller "void" children [
    Connector {{ name "eye" translation 0 0 -0.05 rotation 0 1 0 3.141592653589793 }} ] }} ] }}
"""
BOX = """
from controller import *
robot = Robot()
felt, foot, bump, sun, lamp, led, hook = (
    robot.getDevice(name) for name in ("felt", "foot", "bump", "sun", "lamp", "led", "hook"))
for sensor in (felt, foot, bump, sun, lamp):
    sensor.enable(8)
hook.enablePresence(8)
robot.batterySensorEnable(8)
robot.step(8)
start, begun = robot.batterySensorGetValue(), robot.getTime()
print("dark", lamp.getValue(), led.get())
led.set(2)
hook.lock()
robot.step(992)
print("energy", robot.batterySensorGetValue() - start, robot.getTime() - begun)
print("felt", *felt.getValues())
print("foot", foot.getValue(), bump.getValue())
print("light", sun.getValue(), lamp.getValue(), led.get())
print("hook", hook.getPresence(), hook.isLocked())
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """The numbers behind each word that the controller has printed."""
    lines = run_document(tmp_path_factory.mktemp("box"), WORLD, {"box": BOX}, 2.0).robots["box"]
    found = {}
    for line in lines:
        word, *rest = line.replace("True", "1").replace("False", "0").split()
        if word in ("dark", "energy", "felt", "foot", "light", "hook"):
            found[word] = [float(each) for each in rest]
    return found


def test_gravity_is_felt_upwards_along_y(told: dict[str, list[float]]) -> None:
    assert told["felt"] == pytest.approx([0.0, 9.81, 0.0], abs=0.02)


def test_a_force_presses_along_z_and_a_bumper_feels_nothing(told: dict[str, list[float]]) -> None:
    """2 kg stand on it; the table that it has by default gives 10 for each N."""
    force, bump = told["foot"]
    assert force == pytest.approx(10.0 * 2.0 * 9.81, rel=0.02)
    assert bump == 0.0


def test_light_is_measured_along_x(told: dict[str, list[float]]) -> None:
    """1000 for 1 W/m²: half of it from above; of the blue lamp, 1 m ahead, a third of 0.6 once it is on."""
    assert told["dark"] == pytest.approx([0.0, 0.0], abs=1e-3)
    assert told["light"] == pytest.approx([500.0, 200.0, 2.0], rel=1e-3)


def test_connectors_dock_with_z_against_z(told: dict[str, list[float]]) -> None:
    assert told["hook"] == [1.0, 1.0]


def test_a_charger_gives_what_a_battery_takes(told: dict[str, list[float]]) -> None:
    """5 W for one second."""
    energy, seconds = told["energy"]
    assert energy == pytest.approx(5.0 * seconds, rel=1e-9)


def test_a_resting_pen_leaves_a_spot_whose_density_adds_up(tmp_path: Path) -> None:
    """It writes along -y; 0.1 after one step, 0.1·n after n, up to 1."""
    pen = 'Pen { name "pen" translation 0 0.2 0.3 inkColor 1 0 0 inkDensity 0.1 leadSize 0.1 }'
    text = f"#VRML_SIM V6.0 utf8\nWorldInfo {{ basicTimeStep 8 }}\n{FLOOR}\n"
    sim = Simulation(parse_scene(f'{text}Robot {{ name "r" controller "void" children [ {pen} ] }}', "w.wbt"))
    trace = sim.robot("r")["pen"].trace
    before = 255.0
    for steps in (4, 8, 16):
        sim.step(steps - sim.time_ns // sim.step_ns)
        view = save_traces(tmp_path / "t.png", [trace], area=(-1.0, -1.0, 1.0, 1.0), pixels_per_metre=100.0)
        picture = np.asarray(Image.open(tmp_path / "t.png").convert("RGB"))
        inked = picture[:, :, 1] < 255
        assert inked.sum() == pytest.approx(np.pi * 5.0**2, rel=0.3)  # a disc of 0.1 m
        column, row = view.pixels(trace.points[:1])[0].astype(int)
        green = float(picture[row, column, 1])
        assert green == pytest.approx(255.0 * (1.0 - min(1.0, 0.1 * steps)), abs=4.0)
        assert green < before
        before = green
