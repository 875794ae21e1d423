"""Whether pictures can be drawn here, and worlds to draw."""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sim_core.devices import Sensor
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def has_gl() -> bool:
    """Asked in a process of its own: a context made here would not live through a fork."""
    if os.environ.get("CI"):
        return True  # has Mesa: there these tests must not be skipped
    code = "from sim_core.sensing.render.painter import make_context; make_context()"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


needs_gl = pytest.mark.skipif(
    not has_gl(), reason="no OpenGL through EGL: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"
)


def white(geometry: str, place: str = "0 0 0", more: str = "") -> str:
    """A Solid with one shape in a plain white that only scatters light."""
    look = "Appearance { material Material { diffuseColor 1 1 1 } }"
    return (
        f"Solid {{ translation {place} {more} children Shape {{ appearance {look} geometry {geometry} }} }}\n"
    )


class Studio:
    """One simulation that shows many worlds in turn: a render process starts slower than it draws.

    What is shown comes by a supervisor and goes at a reset; the eyes stay, for which the process was started.

    Attributes:
        folder: of the world, from which the files that nodes name are read.
    """

    def __init__(self, folder: Path, eyes: Mapping[str, str], device: str = "Camera") -> None:
        """`eyes`: the fields of each, by its name."""
        self.folder, self._eyes = folder, list(eyes)
        robots = (
            f'DEF {name} Robot {{ name "{name}" children [ {device} {{ name "eye" {fields} }} ] }}'
            for name, fields in eyes.items()
        )
        text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 10 }} {' '.join(robots)}"
        self._sim = Simulation(parse_scene(text, str(folder / "w.wbt")))

    def show(self, nodes: str, places: Mapping[str, str], exposure: float | None = None) -> list[Sensor]:
        """The eyes that have seen a world of these nodes after its first step.

        Args:
            nodes: VRML text; "": none.
            places: "translation X Y Z rotation X Y Z ANGLE", either or none, for each eye that is to see.
            exposure: of the eyes that are cameras.
        """
        sim = self._sim
        sim.reset()
        if nodes:
            sim.supervisor.import_text(nodes)
        seeing: list[Sensor] = []
        for name in self._eyes:
            eye = sim.robot(name)["eye"]
            eye.enabled = name in places
            if eye.enabled:
                seeing.append(eye)
                if exposure is not None:
                    eye.set_exposure(exposure)
                for field, numbers in re.findall(r"(translation|rotation)((?: +[-+.\de]+)+)", places[name]):
                    sim.supervisor.set(name, field, tuple(map(float, numbers.split())))
        sim.step()
        return seeing

    def close(self) -> None:
        """End the simulation and its render process."""
        self._sim.close()
