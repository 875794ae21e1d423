"""PROTO files named as one of Webots': a world written for that one finds its fields, defaults and sizes.

`webots_interfaces.json` says of Webots R2023b to R2025b, by the name of the PROTO: the folder below
`projects` where it is; its fields as their lines stand in a PROTO file, without a default where that is a
file or a controller that comes with Webots; and the box that an instance with all defaults fills, in metres,
as its documentation and its boundingObject tell, within some metres.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from extents import filled_boxes

from sim_core.base.config import SimulationConfig
from sim_core.scene import Node, Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

FACTS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("webots_interfaces.json").read_text("utf-8")
)
URL = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects"
SKIES = {"TexturedBackground", "TexturedBackgroundLight"}
UNFELT = {
    *("CeilingLight", "E-puckGroundSensors", "Forest", "Pedestrian", "RoadLine", "Tree"),
    *("Crossroad", "CurvedRoadSegment", "Road", "RoadIntersection", "StraightRoadSegment"),
}
"""Which have no boundingObject by default."""
PARTS = {"CabinetHandle", "DoorLever", "RoadLine"}
"""Which stand in others alone."""
WATER = 'Fluid { translation 0 0 -99 name "water" boundingObject Box { } }'
LOOKS = [
    name for name, said in FACTS.items()
    if name not in PARTS and not any(" translation" in line for line in said["fields"])
]  # fmt: skip


class Field(NamedTuple):
    type: str
    allowed: list[str]
    name: str
    default: str


def fields_of(name: str) -> list[Field]:
    found = (re.fullmatch(r"(\w+)(?:\{(.*?)\})? (\w+) ?(.*)", line) for line in FACTS[name]["fields"])
    return [Field(m[1], re.findall(r'"(.*?)"', m[2] or ""), m[3], m[4]) for m in found if m]


def written(name: str) -> str:
    """An instance as a stranger's world has it, every field with its default."""
    text = (
        f"{name} {{ {' '.join(f'{each.name} {each.default}' for each in fields_of(name) if each.default)} }}"
    )
    return re.sub(rf"({'|'.join(PARTS)}) {{ }}", lambda part: written(part[1]), text)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """All of them in one world, whose URLs cannot be reached."""
    declared = [f'EXTERNPROTO "{URL}/{said["path"]}/protos/{name}.proto"' for name, said in FACTS.items()]
    shown = [
        f"Shape {{ appearance {written(name)} geometry Box {{ }} }}" for name in LOOKS if name not in SKIES
    ]
    roots = [written(name) for name in FACTS if name in SKIES or name not in {*LOOKS, *PARTS}]
    folder = tmp_path_factory.mktemp("stranger")
    text = "\n".join(["#VRML_SIM R2023b utf8", *declared, "WorldInfo { }", WATER, *roots, *shown])
    return parse_scene(text, str(folder / "stranger.wbt"), Assets(cache=folder))


def instance(world: Scene, name: str) -> Node:
    """The one that was given all fields."""
    given = {each.name for each in fields_of(name) if each.default}
    return next(
        node for node in world.walk()
        if node.proto is not None and node.proto.node_type.name == name
        and node.proto.fields.keys() - node.proto.unset_defaults == given
    )  # fmt: skip


def test_one_line_tells_of_all_that_stand_in(world: Scene) -> None:
    (warning,) = map(str, world.warnings)
    names = warning.partition("PROTO ")[2].partition(" are not at their URLs; taken in their place: ")[0]
    named, _, more = names.partition(" and ")
    assert set(named.split(", ")) < FACTS.keys()
    assert len(named.split(", ")) + int(more.removesuffix(" more")) == len(FACTS)


def test_fields_have_the_types_and_defaults_of_webots(world: Scene) -> None:
    for name in FACTS:
        proto = instance(world, name).proto
        assert proto is not None
        for field in fields_of(name):
            ours = proto.node_type.fields[field.name]
            assert (name, field.name, ours.type) == (name, field.name, field.type)
            assert not ours.allowed or set(field.allowed) <= set(ours.allowed), (name, field.name)
            if field.default and not field.type.endswith("Node"):
                assert proto.fields[field.name] == ours.default, (name, field.name)


@pytest.fixture(scope="module")
def sim(world: Scene) -> Simulation:
    return Simulation(world, SimulationConfig())


def test_instances_are_as_large_as_those_of_webots(world: Scene, sim: Simulation) -> None:
    assert sim.physics.warnings == []
    sized = [name for name, said in FACTS.items() if "box" in said]
    for name, found in zip(sized, filled_boxes(sim, [instance(world, each) for each in sized]), strict=True):
        said = FACTS[name]
        assert np.abs(found - said["box"]).max() <= said["within"], (name, found, said["box"])


def test_what_is_felt_is_not_larger_than_what_is_seen(world: Scene, sim: Simulation) -> None:
    names = sorted(FACTS.keys() - {*LOOKS, *UNFELT})
    nodes = [instance(world, name) for name in names]
    seen, felt = filled_boxes(sim, nodes), filled_boxes(sim, nodes, felt=True)
    over = np.maximum(seen[:, 0] - felt[:, 0], felt[:, 1] - seen[:, 1]).max(axis=1)
    assert [name for name, each in zip(names, over, strict=True) if not each < 0.02] == []


def test_what_is_loose_falls_and_rests_on_the_floor(world: Scene, sim: Simulation) -> None:
    """Each from 1 cm above the floor, 8 m from the next one."""
    nodes = {name: instance(world, name) for name in FACTS if name not in LOOKS}
    loose = {name: node for name, node in nodes.items() if node.fields.get("physics")}
    assert len(loose) > 30
    lows = filled_boxes(sim, [*loose.values()], felt=True)[:, 0, 2]
    rows = [
        f'{name} {{ name "{k}" translation {8 * k} 0 {node["translation"][2] - low + 0.01} }}'
        for k, ((name, node), low) in enumerate(zip(loose.items(), lows, strict=True))
    ]
    info = "WorldInfo { basicTimeStep 8 contactProperties ContactProperties { bounce 0 } }"
    text = "\n".join(["#VRML_SIM R2022a utf8", info, "Floor { size 2000 2000 }", *rows])
    falling = Simulation(parse_scene(text, "loose.wbt", Assets()), SimulationConfig(contacts="stiff"))
    falling.run(1.5)
    found = filled_boxes(falling, falling.scene.nodes[2:], felt=True)[:, 0, 2]
    assert {name: each for name, each in zip(loose, found, strict=True) if not abs(each) < 0.004} == {}
