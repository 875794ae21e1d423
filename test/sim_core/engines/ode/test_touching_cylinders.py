"""Cylinders that touch by less than rounding errors: ODE then finds contacts without a normal."""

import math
from pathlib import Path

import pytest

import sim_core
from sim_core.engines.ode.pyode import ode

POSES = (  # two upright wheels whose rims met in a long run, to the last bit
    (
        (
            "0x1.1dbe13c88ed8ep+3", "-0x1.95c2afaf22affp+2", "0x1.9924712947f09p-3",
        ),
        (
            "-0x1.399af2ccaab49p-2", "-0x1.4d18c65bb19bdp-1", "-0x1.63d0563959e62p-1",
            "0x1.2f17086d1b58ap-2", "0x1.41ed8c7650db6p-1", "-0x1.702885e0e7b34p-1",
            "0x1.cf3d5f36b71e4p-1", "-0x1.b421fd5c78f24p-2", "0x1.0000000000000p-51",
        ),
    ),
    (
        (
            "0x1.19614ccc1c139p+3", "-0x1.9a6d4d8f16107p+2", "0x1.9924712947f09p-3",
        ),
        (
            "0x1.17ca1953fc580p-4", "0x1.1dea80daf8b34p-4", "-0x1.fd8d6271cc7b3p-1",
            "-0x1.646285682dfcep-1", "-0x1.6c304b12e3e3ap-1", "-0x1.9009a2982f5e4p-4",
            "-0x1.6df0264d7ecf5p-1", "0x1.6618c7e6a5310p-1", "-0x1.4000000000000p-52",
        ),
    ),
)  # fmt: skip
WHEEL = """Solid {{ name "{name}"
  boundingObject Cylinder {{ radius 0.2 height 0.02 }} physics Physics {{ }} }}
"""


def numbers(texts: tuple[str, ...]) -> list[float]:
    return [float.fromhex(text) for text in texts]


def test_ode_finds_a_contact_without_a_normal() -> None:
    """The reason for the check: with such a contact ODE ends the process in the next step."""
    wheels = []
    for place, turn in POSES:
        wheel = ode.GeomCylinder(None, 0.2, 0.02)
        wheel.setPosition(numbers(place))
        wheel.setRotation(numbers(turn))
        wheels.append(wheel)
    normals = [contact.getContactGeomParams()[1] for contact in ode.collide(*wheels)]
    assert any(not any(normal) for normal in normals)


@pytest.mark.parametrize("order", [1, -1])  # ODE finds other contacts in the other order
def test_wheels_that_just_touch_are_simulated(order: int, tmp_path: Path) -> None:
    """Without gravity they stay where they are."""
    text = "#VRML_SIM R2025a utf8\nWorldInfo { gravity 0 }\n"
    text += WHEEL.format(name="wheel0") + WHEEL.format(name="wheel1")
    file = tmp_path / "wheels.wbt"
    file.write_text(text)
    sim = sim_core.load_world(file)
    nodes = [node for node in sim.scene.nodes if node.type_name == "Solid"]
    for node, (place, turn) in zip(nodes, POSES[::order], strict=True):
        link = sim.physics.built.body_of(node.id)
        link.body.setPosition(numbers(place))
        (shape,) = link.shapes
        shape.geom.setOffsetRotation(numbers(turn))  # a body's own rotation is made orthogonal
        assert list(shape.geom.getRotation()) == numbers(turn)
    sim.physics.record_contacts = True
    sim.step()
    assert all(any(contact.normal) for contact in sim.physics.contacts)
    for node, (place, _) in zip(nodes, POSES[::order], strict=True):
        assert math.dist(sim.supervisor.pose(node).position, numbers(place)) < 1e-9
