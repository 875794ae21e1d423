"""Small worlds for the physics tests."""

from __future__ import annotations

import pytest

from sim_core.engines.ode import PhysicsWorld
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, Scene, parse_scene


class Lab:
    """Builds worlds from texts and runs them."""

    floor = 'Solid { name "floor" boundingObject Plane { } }\n'
    box_floor = 'Solid { name "floor" translation 0 0 -0.005 boundingObject Box { size 20 20 0.01 } }\n'
    smooth = 'contactProperties ContactProperties { material1 "smooth" coulombFriction 0 bounce 0 }'

    @staticmethod
    def make(
        text: str, step: float = 5.0, info: str = "", seed: int = 0, contacts: str = "webots"
    ) -> tuple[PhysicsWorld, Scene]:
        """Return the physics of a world with a basic time step in ms; `info`: further fields of WorldInfo."""
        header = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step} {info} }}\n"
        scene = parse_scene(header + text)
        return PhysicsWorld(WorldModel(scene), seed, contacts=contacts), scene

    @staticmethod
    def solid(scene: Scene, name: str) -> Node:
        return next(node for node in scene.walk() if node.is_a("Solid") and node["name"] == name)

    @staticmethod
    def joint(scene: Scene, type_name: str = "HingeJoint", index: int = 0) -> Node:
        return [node for node in scene.walk() if node.type_name == type_name][index]

    @staticmethod
    def run(world: PhysicsWorld, seconds: float) -> None:
        for _ in range(round(seconds * 1e9 / world.clock.step_ns)):
            world.step()

    @staticmethod
    def robot(x: float = 0.0, name: str = "robot") -> str:
        """Return a differential robot: wheels of radius 0.2 at y = ±0.25, smooth balls in front and
        behind."""
        wheel = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor 0 {y} -0.02 }}
          endPoint Solid {{ name "wheel {y}" translation 0 {y} -0.02 rotation 1 0 0 1.5707963267948966
            boundingObject Cylinder {{ height 0.02 radius 0.2 }} physics Physics {{ }} }} }}"""
        return f"""Robot {{ name "{name}" translation {x} 0 0.22 children [
          {wheel.format(y=0.25)} {wheel.format(y=-0.25)}
          Solid {{ name "ball" translation 0.18 0 -0.19 contactMaterial "smooth"
            boundingObject Sphere {{ radius 0.03 }} physics Physics {{ }} }}
          Solid {{ name "rear ball" translation -0.18 0 -0.189 contactMaterial "smooth"
            boundingObject Sphere {{ radius 0.03 }} physics Physics {{ }} }} ]
          boundingObject Box {{ size 0.4 0.4 0.35 }} physics Physics {{ density 500 centerOfMass [ 0.08
            0 -0.1 ] }} }}\n"""


@pytest.fixture
def lab() -> Lab:
    return Lab()
