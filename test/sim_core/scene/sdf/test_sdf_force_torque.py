"""Sensors of type force_torque: the wrench of their joints, in the frames of the file."""

from collections.abc import Callable

import pytest

from sim_core.session.simulation import Simulation

Made = Callable[..., Simulation]
G = 9.8


def link(name: str, mass: float, z: float) -> str:
    return f"""<link name="{name}"><pose>0 0 {z} 0 0 0</pose><inertial><mass>{mass}</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"""


def hanging(sensor: str = "", kind: str = "fixed", pose: str = "0 0 0.5 0 0 0") -> str:
    """Two kilograms under a ceiling, one of them beyond the sensor's joint, and a box on that."""
    return f"""<model name="m">{link("top", 1, 2)}{link("low", 1, 1)}{link("tip", 3, 1)}
<joint name="hang" type="fixed"><parent>world</parent><child>top</child></joint>
<joint name="ft" type="{kind}"><pose>{pose}</pose><parent>top</parent><child>low</child>
<axis><xyz>0 1 0</xyz></axis>
<sensor name="s" type="force_torque"><update_rate>100</update_rate>{sensor}</sensor></joint>
<joint name="tool" type="fixed"><parent>low</parent><child>tip</child></joint></model>"""


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_a_hanging_part_pulls_at_its_joint(simulated: Made, kind: str) -> None:
    sim = simulated(hanging(kind=kind))
    sim.run(0.1)
    sensor = sim.robot("m")["s"]
    sim.sample([sensor])
    assert sensor.reading.force == pytest.approx((0.0, 0.0, -4.0 * G), abs=1e-2)


@pytest.mark.parametrize(
    ("frame", "force"), [("child", (0, 0, 4 * G)), ("sensor", (-4 * G, 0, 0)), ("parent", (0, 0, 4 * G))]
)
def test_direction_and_frames(simulated: Made, frame: str, force: tuple[float, ...]) -> None:
    """The joint is turned by 90° about y, and the sensor with it."""
    tag = f"<frame>{frame}</frame><measure_direction>parent_to_child</measure_direction>"
    sim = simulated(hanging(f"<force_torque>{tag}</force_torque>", pose="0 0 0.5 0 1.5707963 0"))
    sim.step()
    sensor = sim.robot("m")["s"]
    sim.sample([sensor])
    assert sensor.reading.force == pytest.approx(force, abs=1e-4)


def test_the_torque_is_about_the_joint(simulated: Made) -> None:
    """A joint 0.3 m beside the centre of mass: M = -0.3·m·g about y on the parent."""
    sim = simulated(hanging(pose="0.3 0 0 0 0 0"))
    sim.step()
    sensor = sim.robot("m")["s"]
    sim.sample([sensor])
    assert sensor.reading.torque == pytest.approx((0.0, -0.3 * 4.0 * G, 0.0), abs=1e-6)


def test_noise_that_no_device_has_is_named(simulated: Made) -> None:
    noise = "<{0}><x><noise type='gaussian'><stddev>{1}</stddev></noise></x></{0}>"
    axes = noise.format("force", 1) + noise.format("torque", 2)
    said = " ".join(map(str, simulated(hanging(f"<force_torque>{axes}</force_torque>")).scene.warnings))
    assert "force of force_torque" in said or "force_torque/force" in said
    assert "force_torque/torque" in said
