"""Geometries with point lists are checked against the limits of meshes before they are used."""

from __future__ import annotations

from typing import Any

import pytest

from sim_core.base.errors import SceneError
from sim_core.base.limits import LIMITS
from sim_core.base.outcome import DONE, Refused
from sim_core.scene import parse_scene, write_scene
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import ImportText, SetField

FAR = "beyond 1e\\+09 m"
SHAPES = """#VRML_SIM R2025a utf8
Shape { geometry IndexedFaceSet { coord DEF FACES Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }
  coordIndex [ 0 1 2 ] } }
Shape { geometry IndexedLineSet { coord DEF LINES Coordinate { point [ 0 0 0, 1 0 0 ] } coordIndex [ 0 1 ] } }
Shape { geometry PointSet { coord DEF POINTS Coordinate { point [ 0 0 0, 1 0 0 ] } } }
DEF GROUP Group { }
Shape { geometry DEF GRID ElevationGrid { xDimension 2 yDimension 2 height [ 0 0 1 ] } }
"""


@pytest.mark.parametrize(
    ("geometry", "found"),
    [
        (
            "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1e300 0 0, 0 1 0 ] } coordIndex [ 0 1 2 ] }",
            FAR,
        ),
        ("IndexedLineSet { coord Coordinate { point [ 0 0 0, 0 -1e10 0 ] } coordIndex [ 0 1 ] }", FAR),
        ("PointSet { coord Coordinate { point [ 0 0 1e308 ] } }", FAR),
        ("ElevationGrid { xDimension 2 yDimension 2 height [ 0 1e200 ] }", FAR),
        ("ElevationGrid { xDimension 2 yDimension 2 xSpacing 1e200 }", FAR),
        ("ElevationGrid { xDimension 100000 yDimension 100000 }", str(LIMITS["grid_points"])),
    ],
)
def test_a_world_is_refused_in_place(geometry: str, found: str) -> None:
    scene = parse_scene(f"#VRML_SIM R2025a utf8\nShape {{ geometry {geometry} }}\n", "w.wbt")
    with pytest.raises(SceneError, match=rf"w\.wbt:2:\d+: {geometry.split()[0]} .*{found}"):
        Simulation(scene)


@pytest.mark.parametrize(
    ("target", "field", "good", "bad"),
    [
        ("FACES", "point", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(0.0, 0.0, 1e300)]),
        ("LINES", "point", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], [(0.0, 0.0, 1e300)]),
        ("POINTS", "point", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], [(0.0, 0.0, 1e300)]),
        ("GRID", "height", [0.0, 2.0], [0.0, 1e200]),
        ("GRID", "xDimension", 3, LIMITS["grid_points"]),
    ],
)
def test_an_edit_is_refused_and_changes_nothing(target: str, field: str, good: Any, bad: Any) -> None:
    session = Session(Simulation(parse_scene(SHAPES, "w.wbt")), Journal())
    submit, supervisor = session.pipeline.submit, session.sim.supervisor
    assert submit(Command("me", (SetField(target, field, good),))) is DONE
    outcome = submit(Command("me", (SetField(target, field, bad),)))
    assert isinstance(outcome, Refused) and "w.wbt" in outcome.text
    session.sim.step()
    assert supervisor.get(target, field) == good


@pytest.mark.parametrize("into", [None, "GROUP"])
def test_an_import_is_refused_and_adds_nothing(into: str | None) -> None:
    session = Session(Simulation(parse_scene(SHAPES, "w.wbt")), Journal())
    before = write_scene(session.sim.scene)
    text = "Shape { geometry ElevationGrid { xDimension 1 yDimension 1 height 1e300 } }"
    outcome = session.pipeline.submit(Command("me", (ImportText(text, into),)))
    assert isinstance(outcome, Refused) and "ElevationGrid" in outcome.text
    session.sim.step()
    assert write_scene(session.sim.scene) == before
