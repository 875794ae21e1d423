"""PROTO nodes that an import may use, and nodes of a file that are added."""

from pathlib import Path

import pytest

from sim_core.base.errors import OdesimError
from sim_core.base.outcome import DONE, Outcome, Refused
from sim_core.session.load_world import load_world
from sim_core.session.pipeline import Command
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import ImportText

BALL = """#VRML_SIM R2025a utf8
PROTO Ball [ field SFString name "ball" ] { Solid { name IS name } }"""
PAIR = """#VRML_SIM R2025a utf8
EXTERNPROTO "Ball.proto"
PROTO Pair [ ] { Solid { name "pair" children Ball { } } }"""


def world(
    folder: Path, declared: str = "", version: str = "R2025a", nodes: str = "WorldInfo { }"
) -> Simulation:
    """Return a project with the PROTO Ball, and Pair, which consists of balls."""
    for name, text in {"protos/Ball.proto": BALL, "protos/Pair.proto": PAIR}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    file = folder / "worlds" / "w.wbt"
    file.parent.mkdir()
    file.write_text(f"#VRML_SIM {version} utf8\n{declared}\n{nodes}", encoding="utf-8")
    return load_world(file)


def imported(sim: Simulation, text: str) -> Outcome:
    """Return the result of an import by a controller."""
    return Session(sim).pipeline.submit(Command("boss", (ImportText(text, importable=True),)))


@pytest.mark.parametrize("text", ["Ball { }", "Group { children [ Ball { } ] }"])
def test_a_controller_imports_no_proto_that_the_world_does_not_declare(tmp_path: Path, text: str) -> None:
    """Although its file is in the folder `protos` of the project, where old worlds find it."""
    sim = world(tmp_path)
    outcome = imported(sim, text)
    assert isinstance(outcome, Refused)
    assert "PROTO Ball is not declared, expected an IMPORTABLE EXTERNPROTO line" in outcome.text
    assert [node.type_name for node in sim.scene.nodes] == ["WorldInfo"]


def test_declarations_of_a_proto_for_an_import(tmp_path: Path) -> None:
    """The world, the text itself, or the PROTO file for its own body; in old worlds no declaration is
    needed."""
    url = (tmp_path / "new" / "protos" / "Ball.proto").as_posix()
    for name, declared, version, text in (
        ("new", "", "R2025a", f'EXTERNPROTO "{url}" Ball {{ }}'),
        ("plain", 'IMPORTABLE EXTERNPROTO "../protos/Ball.proto"', "R2022b", "Ball { }"),
        ("body", 'IMPORTABLE EXTERNPROTO "../protos/Pair.proto"', "R2025a", "Pair { }"),
        ("old", "", "R2022a", "Ball { }"),
    ):
        (tmp_path / name).mkdir()
        sim = world(tmp_path / name, declared, version)
        assert imported(sim, text) == DONE, name
        node = sim.scene.nodes[-1]
        assert node.proto is not None and node.proto.node_type.name == text.split()[-3], name


def test_a_line_for_the_own_nodes_of_a_world_is_not_enough_for_a_controller(tmp_path: Path) -> None:
    """As in Webots; for Python and ROS it is sufficient."""
    sim = world(tmp_path, 'EXTERNPROTO "../protos/Ball.proto"', nodes='WorldInfo { } Ball { name "own" }')
    outcome = imported(sim, "Ball { }")
    assert isinstance(outcome, Refused) and "PROTO Ball is not declared" in outcome.text
    sim.supervisor.import_text("Ball { }")
    assert [node["name"] for node in sim.scene.nodes[1:]] == ["own", "ball"]


VRML97 = """#VRML V2.0 utf8
WorldInfo { title "other" }
Background { skyColor [ 1 0 0 ] }
Viewpoint { position 1 2 3 }
Fog { visibilityRange 9 }
Background { skyColor [ 0 1 0 ] }
Transform { translation 1 0 0 children Shape { geometry Box { size 1 1 1 } } }
DEF LAST Group { }
"""


def test_a_file_adds_all_nodes_but_second_ones_of_unique_types(tmp_path: Path) -> None:
    """A line gives the reason for each skipped node; the first Fog is added, because the world has none."""
    sim = world(tmp_path, nodes="WorldInfo { } Viewpoint { } Background { skyColor 0 0 1 }")
    file = tmp_path / "scenery.wrl"
    file.write_text(VRML97, encoding="utf-8")
    before = len(sim.scene.warnings)
    come = sim.supervisor.import_file(file)
    assert [node.type_name for node in come] == ["Fog", "Transform", "Group"]
    told = [str(each) for each in sim.scene.warnings[before:]]
    assert [line.split(", ")[0].split(": ")[1] for line in told] == [
        "an import of a WorldInfo", "a second Background", "a second Viewpoint", "a second Background",
    ]  # fmt: skip
    assert sim.scene.nodes[2]["skyColor"] == [(0.0, 0.0, 1.0)]
    sim.step()
    (tmp_path / "only.wrl").write_text("#VRML V2.0 utf8\nBackground { }\n", encoding="utf-8")
    with pytest.raises(OdesimError, match="a second Background"):
        sim.supervisor.import_file(tmp_path / "only.wrl")
