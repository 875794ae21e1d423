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
from extents import filled_box

from sim_core.base.config import SimulationConfig
from sim_core.scene import Node, Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

FACTS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("webots_interfaces.json").read_text("utf-8")
)
URL = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects"
SKIES = {"TexturedBackground", "TexturedBackgroundLight"}
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
        and node.proto.fields.keys() - node.proto.unsaid == given
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


def test_instances_are_as_large_as_those_of_webots(world: Scene) -> None:
    sim = Simulation(world, SimulationConfig())
    assert sim.physics.warnings == []
    for name, said in FACTS.items():
        if "box" in said:
            found = filled_box(sim, instance(world, name))
            assert np.abs(found - said["box"]).max() <= said["within"], (name, found, said["box"])
