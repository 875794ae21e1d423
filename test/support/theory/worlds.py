"""Small worlds whose motion is known in closed form."""

from __future__ import annotations

from collections.abc import Iterator

from sim_core.base.geometry import Vec3
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

G = 9.81
FREE = "damping Damping { linear 0 angular 0 }"
"""Of a Physics node: nothing but joints and contacts slows it."""


class Lab:
    """A simulation, and its solids by their DEF names."""

    def __init__(self, text: str, step: float, info: str = "") -> None:
        """Build a world with a basic time step in ms; `info`: further fields of WorldInfo."""
        header = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep {step} physicsDisableTime 0 {info} }}\n"
        self.sim = Simulation(parse_scene(header + text, "theory.wbt"))
        self.step = step / 1000.0
        self._frames = {
            node.def_name: self.sim.physics.frame(node.id)
            for node in self.sim.scene.walk()
            if node.def_name and node.is_a("Solid")
        }

    def at(self, name: str) -> Vec3:
        """Where the origin of a solid is, m."""
        return self._frames[name].pose().position

    def velocity(self, name: str) -> Vec3:
        """Of its origin, m/s, world axes."""
        return self._frames[name].linear_velocity()

    def turn_rate(self, name: str) -> Vec3:
        """Its angular velocity, rad/s, world axes."""
        return self._frames[name].angular_velocity()

    def run(self, seconds: float) -> float:
        """Go on for so many s, in whole steps; returns how many s these were."""
        count = round(seconds / self.step)
        self.sim.step(count)
        return count * self.step

    def steps(self, seconds: float) -> Iterator[float]:
        """Go on step by step; yields the sim time in s after each."""
        for _ in range(round(seconds / self.step)):
            self.sim.step()
            yield self.sim.time


def contact(fields: str) -> str:
    """Of a WorldInfo node: all contacts have these."""
    return f"contactProperties ContactProperties {{ {fields} }}"


def solid(name: str, shape: str, physics: str = "mass 1", more: str = "") -> str:
    """A solid with Physics, without damping."""
    density = "density -1" if "mass" in physics else ""
    return f"""DEF {name} Solid {{ name "{name}" {more} boundingObject {shape}
      physics Physics {{ {density} {physics} {FREE} }} }}\n"""
