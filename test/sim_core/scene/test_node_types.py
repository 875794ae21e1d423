"""The schema as data: every reference resolves, every default is legal, nothing stands twice."""

from pathlib import Path

import pytest
import yaml

from sim_core.scene import ranges
from sim_core.scene.node_types import SCHEMA_FOLDER, all_node_types, did_you_mean, read_schema_file
from sim_core.scene.values import FIELD_TYPES, checked

FILES = sorted(SCHEMA_FOLDER.glob("*.yaml"))
NODE_KEYS = {"base", "abstract", "deprecated", "without", "order", "fields"}
FIELD_KEYS = {
    "type", "default", "allowed", "nodes", "except", "also", "deprecated", "hidden", "listed", *ranges.KEYS,
}  # fmt: skip
LISTED = {
    "Solid": 17, "Robot": 28, "Camera": 36, "Lidar": 34, "RangeFinder": 29, "Display": 21, "WorldInfo": 25,
    "Viewpoint": 14, "RotationalMotor": 11, "LinearMotor": 11, "InertialUnit": 23, "Muscle": 7, "Track": 21,
    "Background": 14, "IndexedFaceSet": 10, "ElevationGrid": 6, "Physics": 5, "HingeJoint": 4, "Pose": 5,
}  # fmt: skip
"""How many fields these nodes have in Webots R2023b: those of old files and odesim's own are not counted."""


class StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice, which YAML loaders pass over."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"a key stands twice at {node.start_mark}"
        return super().construct_mapping(node, deep)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_have_known_keys_only_and_none_twice(path: Path) -> None:
    entries = yaml.load(path.read_text(), Loader=StrictLoader)
    for name, entry in entries.items():
        assert entry.keys() <= NODE_KEYS, name
        for field, data in entry["fields"].items():
            assert isinstance(field, str), f"{name}: YAML reads {field} as a {type(field).__name__}; quote it"
            assert data.keys() <= FIELD_KEYS, f"{name}.{field}"


def test_no_node_stands_in_two_files() -> None:
    names = [name for path in FILES for name in read_schema_file(path)]
    assert len(names) == len(set(names))


def test_every_reference_resolves() -> None:
    types = all_node_types()
    for node_type in types.values():
        assert set(node_type.bases) <= types.keys(), node_type.name
        for field in node_type.fields.values():
            assert set(field.nodes) | set(field.never) <= types.keys(), f"{node_type.name}.{field.name}"
            assert not field.nodes or field.type.endswith("Node"), f"{node_type.name}.{field.name}"


def test_every_default_is_legal() -> None:
    for node_type in all_node_types().values():
        for field in node_type.fields.values():
            assert field.type in FIELD_TYPES and set(field.also) <= FIELD_TYPES
            value = checked(field, field.default)
            assert value == field.default and type(value) is type(field.default), (
                f"{node_type.name}.{field.name}"
            )
            for allowed in field.allowed:
                assert checked(field, allowed) == allowed


def test_no_field_repeats_what_it_inherits() -> None:
    types = all_node_types()
    for path in FILES:
        for name, entry in read_schema_file(path).items():
            inherited = {
                field: each for base in types[name].bases for field, each in types[base].fields.items()
            }
            for field in entry["fields"]:
                assert types[name].fields[field] != inherited.get(field), f"{name}.{field}"


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("DistanceSensor", ["DistanceSensor", "Device", "Solid", "Pose", "Group"]),
        ("RotationalMotor", ["Motor", "JointDevice", "Device"]),
        ("Hinge2Joint", ["Joint"]),
        ("Mesh", ["Geometry"]),
        ("DifferentialWheels", ["Robot", "Solid"]),
        ("Transform", ["Pose", "Group"]),
        ("SpotLight", ["Light"]),
    ],
)
def test_classes(name: str, classes: list[str]) -> None:
    assert all(all_node_types()[name].is_a(each) for each in classes)
    assert not all_node_types()[name].is_a("WorldInfo")


def test_derived_nodes_have_their_own_defaults() -> None:
    types = all_node_types()
    assert types["Solid"].fields["name"].default == "solid"
    assert types["Robot"].fields["name"].default == "robot"
    assert types["Gyro"].fields["name"].default == "gyro"
    assert "axis" not in types["BallJointParameters"].fields


@pytest.mark.parametrize(("word", "hint"), [("robot", "Robot"), ("Robto", "Robot"), ("qqq", None)])
def test_hints(word: str, hint: str | None) -> None:
    assert did_you_mean(word, ["Robot", "Box"]) == (f'did you mean "{hint}"?' if hint else "")


ORDER = {
    "Solid": "translation rotation children name model description contactMaterial immersionProperties "
    "boundingObject physics locked translationStep rotationStep radarCrossSection recognitionColors",
    "HingeJoint": "jointParameters device endPoint",
    "HingeJointParameters": "position axis anchor minStop maxStop springConstant dampingConstant",
    "SpotLight": "ambientIntensity attenuation beamWidth color cutOffAngle direction intensity location on",
    "RotationalMotor": "name acceleration consumptionFactor controlPID maxVelocity minPosition maxPosition "
    "maxTorque multiplier sound muscles",
}


@pytest.mark.parametrize("name", ORDER)
def test_fields_stand_in_the_order_of_webots_and_hidden_ones_last(name: str) -> None:
    kind = all_node_types()[name]
    expected = ORDER[name].split()
    assert list(kind.fields)[: len(expected)] == expected
    late = [each.hidden or each.deprecated for each in all_node_types()["Robot"].fields.values()]
    assert late == sorted(late)


@pytest.mark.parametrize(("name", "count"), LISTED.items())
def test_the_fields_of_a_node_that_are_counted_are_those_of_webots(name: str, count: int) -> None:
    listed = [field.name for field in all_node_types()[name].fields.values() if field.listed]
    assert len(listed) == count
    assert not {"author", "constructor", "showWindow", "coupling", "azimuthRange"} & set(listed)
    if name == "Solid":
        assert "scale" not in listed and listed[-2:] == ["linearVelocity", "angularVelocity"]
