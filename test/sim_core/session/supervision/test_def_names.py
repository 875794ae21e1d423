"""Nodes by DEF names while the world is edited: the first in file order, without a walk over the tree."""

import random
import sys
from pathlib import Path

import pytest

from sim_core.scene import Node, Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

NAMES = ["A", "B", "C", "SHAPE", "BOX", "INNER", "BODY"]
PROTO = """#VRML_SIM R2025a utf8
# template language: javascript
PROTO P [ field SFString name "p" field SFInt32 n 1 field MFNode inside [ ] ] {
  DEF BODY Solid { name IS name children [ DEF INNER Pose { }
    %< for (let k = 0; k < fields.n.value; ++k) { >% DEF A Pose { } %< } >%
    Group { children IS inside } ] } }"""
WORLD = """#VRML_SIM R2025a utf8
EXTERNPROTO "P.proto"
WorldInfo { }
DEF P1 P { name "p1" inside [ DEF C Pose { } ] }
P { name "p2" n 2 }
DEF B Solid { name "b" children [ DEF SHAPE Shape { geometry DEF BOX Box { } } ] boundingObject USE SHAPE }
DEF G Group { }
"""
COMING = [
    'DEF A Solid { name "a" children [ DEF B Pose { children DEF C Group { } } ] }',
    'DEF C Solid { name "c" children [ DEF SHAPE Shape { geometry DEF BOX Sphere { } } ] }',
    "DEF A Pose { children [ DEF BOX Group { } USE BOX ] }",
    "DEF BODY P { n 1 inside [ DEF B Pose { } ] }",
]


@pytest.fixture
def sim(tmp_path: Path) -> Simulation:
    (tmp_path / "P.proto").write_text(PROTO, encoding="utf-8")
    return Simulation(parse_scene(WORLD, str(tmp_path / "w.wbt"), Assets(cache=tmp_path)))


def by_walking(scene: Scene, name: str) -> Node | None:
    """Return the node of a DEF name: the first in file order that has it, except copies made by USE; else the
    first whose PROTO gives it that name."""

    def first(node: Node) -> Node | None:
        if node.use_name is not None or node.def_name == name:
            return node if node.use_name is None else None
        return next((found for each in node.child_nodes() if (found := first(each))), None)

    found = next((found for root in scene.nodes if (found := first(root))), None)
    if found is not None:
        return found
    instances = (each for each in scene.walk() if each.proto is not None and each.def_name is None)
    return next((each for each in instances if each.proto and each.proto.defs.get(name) is each), None)


@pytest.mark.parametrize("seed", range(6))
def test_names_give_the_same_node_as_a_walk_after_any_edits(sim: Simulation, seed: int) -> None:
    chance = random.Random(seed)
    supervisor = sim.supervisor
    kept = []

    def come() -> None:
        into = chance.choice([None, supervisor.find("G"), supervisor.find("A")])
        index = chance.choice([-1, 0]) if into is not None else chance.choice([-1, 1])
        supervisor.import_text(chance.choice(COMING), into, index=index)

    def go() -> None:
        roots = [each for each in sim.scene.nodes if each.type_name not in ("WorldInfo", "Viewpoint")]
        below = [
            each for root in roots if root.proto is None for each in root.child_nodes() if each.is_a("Pose")
        ]
        supervisor.remove(chance.choice(roots + below))

    def make_anew() -> None:
        instances = [each for each in sim.scene.nodes if each.proto is not None]
        if instances:
            supervisor.set(chance.choice(instances), "n", chance.randrange(3))

    def be_another_type() -> None:
        node = chance.choice(
            [each for each in sim.scene.nodes if each.proto is None and each.is_a("Group")] or [None]
        )
        if node is not None and node.type_name in ("Group", "Pose"):
            supervisor.change_type(node, "Pose" if node.type_name == "Group" else "Group")

    def keep() -> None:
        kept.append(sim.snapshot())

    def go_back() -> None:
        if kept:
            sim.restore(chance.choice(kept))

    for _ in range(40):
        chance.choice(
            [come, come, come, go, make_anew, make_anew, be_another_type, keep, go_back, sim.reset, sim.step]
        )()
        for name in NAMES:
            assert supervisor.find(name) is by_walking(sim.scene, name), name
    sim.close()


def test_a_refused_import_leaves_the_names(sim: Simulation) -> None:
    def refuse() -> None:
        raise ValueError

    before = {name: sim.supervisor.find(name) for name in NAMES}
    sim.supervisor.changed.append(refuse)
    with pytest.raises(ValueError):
        sim.supervisor.import_text(COMING[0], index=1)
    assert {name: sim.supervisor.find(name) for name in NAMES} == before


def test_a_node_added_to_the_list_directly_is_found() -> None:
    scene = parse_scene("#VRML_SIM R2025a utf8\nDEF G Group { } DEF A Pose { }")
    assert scene.find_def("A") is scene.nodes[1]
    first = Node.create("Pose")
    first.def_name = "A"
    scene.nodes[0]["children"] = [first]
    assert scene.find_def("A") is first
    scene.nodes[0].unset("children")
    assert scene.find_def("A") is scene.nodes[1]


def calls(sim: Simulation, name: str) -> int:
    """Count the function calls for moving a solid by its DEF name."""
    count = 0

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    sim.supervisor.set(name, "translation", (1.0, -1.0, 2.0))  # now the index exists
    sys.setprofile(profile)
    try:
        sim.supervisor.set(name, "translation", (1.0, -1.0, 3.0))
    finally:
        sys.setprofile(None)
    return count


def test_a_name_costs_the_same_in_a_large_world() -> None:
    found = []
    for size in (10, 200):
        free = "boundingObject Box { } physics Physics { }"
        solids = "".join(
            f'DEF S{k} Solid {{ name "s{k}" translation {k} 0 1 {free} }}\n' for k in range(size)
        )
        sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\n{solids}"))
        sim.step()
        found.append(calls(sim, "S9"))
        sim.close()
    assert found[0] == found[1]
