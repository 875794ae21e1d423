"""Remote access to a scene tree: nodes by number, their outlines, values as text, poses."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from ros_bridge.control.fields.node_outline import MAX_TEXT
from ros_bridge.control.fields.parameters import FieldParameters
from ros_bridge.control.world_topics import with_lasting_name
from sim_core.scene import parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.pipeline import Command
from sim_core.session.session import Journal, Session
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import SetField

POINTS = " ".join(f"{number} 0 0," for number in range(MAX_TEXT))
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ title "yard" basicTimeStep 8 }}
DEF TABLE Solid {{ translation 1 0 0 rotation 0 0 1 1.5707963267948966
  children [
    DEF CUP Solid {{ translation 1 0 0 name "cup" }}
    Shape {{ geometry IndexedLineSet {{ coord Coordinate {{ point [ {POINTS} ] }} }} }}
  ] }}
DEF BALL Solid {{
  translation 0 0 5 boundingObject Sphere {{ radius 0.1 }} physics Physics {{ density -1 mass 2 }} }}
Solid {{ name "fixed" locked TRUE }}
"""


class Diary(Journal):
    """Stores the submitted actions."""

    is_on = True

    def __init__(self) -> None:
        self.actions: list[Any] = []

    def command(self, command: Command) -> None:
        self.actions += command.actions


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "yard.wbt"))


@pytest.fixture
def fields(sim: Simulation) -> FieldParameters:
    return FieldParameters(Session(sim))


def read(fields: FieldParameters, name: str) -> Any:
    found = fields.get(name)
    assert found is not None, name
    return json.loads(found.value)


def number(fields: FieldParameters, title: str, of: str = "root") -> str:
    (found,) = [each["name"] for each in read(fields, f"{of}.nodes")["nodes"] if title in each["title"]]
    return str(found)


def test_the_tree_is_read_node_by_node(fields: FieldParameters) -> None:
    world = read(fields, "root.outline")
    assert (world["title"], world["above"], world["fields"]) == ("yard", [], [])
    roots = read(fields, "root.nodes")["nodes"]
    assert [each["title"] for each in roots][1:3] == ['DEF TABLE Solid "solid"', 'DEF BALL Solid "solid"']
    assert roots[1]["count"] == 2
    table = read(fields, f"{roots[1]['name']}.nodes")
    assert [each["field"] for each in table["nodes"]] == ["children", "children"]
    assert {"name": "children", "list": True} in table["fields"]
    assert {"name": "physics", "list": False} in table["fields"]
    cup = read(fields, f"{table['nodes'][0]['name']}.outline")
    assert [each["title"] for each in cup["above"]] == ["yard", 'DEF TABLE Solid "solid"']
    values = {each["name"]: each for each in cup["fields"]}
    assert (values["translation"]["type"], values["translation"]["text"]) == ("SFVec3f", "1 0 0")
    assert values["name"]["text"] == "cup"
    assert values["locked"]["text"] == "FALSE" and "set" not in values["locked"]


def test_a_second_background_is_not_offered(sim: Simulation, fields: FieldParameters) -> None:
    def offered() -> list[str]:
        return list(read(fields, "root.addable")["fields"]["children"]["types"])

    assert {"Background", "Fog", "Viewpoint"} <= set(offered())
    sim.supervisor.import_text("Background { }")
    assert "Background" not in offered() and "Fog" in offered()


def test_values_that_are_too_long_are_cut_and_marked(fields: FieldParameters) -> None:
    points = read(fields, "TABLE.children[1].geometry.coord.outline")["fields"]
    (told,) = [each for each in points if each["name"] == "point"]
    assert told["short"] and len(told["text"]) == MAX_TEXT


def test_a_number_stays_with_its_node(sim: Simulation, fields: FieldParameters) -> None:
    ball = number(fields, "BALL")
    before = read(fields, "root.outline")["changes"]
    sim.supervisor.remove("TABLE")
    assert read(fields, "root.outline")["changes"] > before
    assert read(fields, f"{ball}.outline")["def"] == "BALL"
    sim.supervisor.remove(ball)
    assert fields.get(f"{ball}.outline") is None
    assert not fields.set_field(f"{ball}.translation", "1 2 3").successful
    sim.reset()
    assert read(fields, f"{ball}.outline")["def"] == "BALL"
    assert fields.get("#99999.outline") is None


def test_what_is_noted_for_a_replay_has_no_numbers(sim: Simulation) -> None:
    diary = Diary()
    fields = FieldParameters(Session(sim, diary))
    cup = number(fields, "CUP", of=number(fields, "TABLE"))
    assert fields.set_field(f"{cup}.name", "mug").successful
    assert fields.set_field("BALL.translation", "1 2 3").successful
    assert diary.actions == [
        SetField("root[1].children[0]", "name", "mug"),
        SetField("BALL", "translation", (1.0, 2.0, 3.0)),
    ]
    assert sim.supervisor.node("root[1].children[0]") is sim.supervisor.node("CUP")
    assert with_lasting_name(sim, cup) == "root[1].children[0]"
    assert with_lasting_name(sim, f"# into {cup}.children[0]\nShape {{ }}") == (
        "# into root[1].children[0].children[0]\nShape { }"
    )
    for text in ("CUP", "Solid { } #1", "# into CUP.children\nShape { }", "#99999"):
        assert with_lasting_name(sim, text) == text


def test_any_value_may_be_given_as_text(sim: Simulation, fields: FieldParameters) -> None:
    assert fields.set_field("BALL.translation", "1 2 3").successful
    assert sim.supervisor.get("BALL", "translation") == (1.0, 2.0, 3.0)
    assert fields.set_field("CUP.name", "mug").successful
    assert sim.supervisor.get("CUP", "name") == "mug"
    refused = fields.set_field("BALL.translation", "1 two 3")
    assert not refused.successful
    assert 'DEF BALL.translation: found "two", expected 3 numbers' in refused.reason
    assert sim.supervisor.get("BALL", "translation") == (1.0, 2.0, 3.0)


def test_a_pose_is_of_the_world_and_stops_what_it_moves(sim: Simulation, fields: FieldParameters) -> None:
    sim.run(0.4)
    assert sim.supervisor.velocity("BALL")[0][2] < -3.0
    half = math.sqrt(0.5)
    assert fields.set_field("BALL.pose", [2.0, 1.0, 7.0, 0.0, 0.0, half, half]).successful
    assert sim.supervisor.velocity("BALL") == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert sim.supervisor.get("BALL", "translation") == pytest.approx((2.0, 1.0, 7.0))
    assert sim.supervisor.get("BALL", "rotation") == pytest.approx((0.0, 0.0, 1.0, math.pi / 2.0))
    # The table is turned by a quarter: what lies 1 m along its x lies 1 m along y of the world.
    found = fields.get("CUP.pose")
    assert found is not None and list(found.value) == pytest.approx([1.0, 1.0, 0.0, 0.0, 0.0, half, half])
    assert fields.set_field("CUP.pose", [1.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0]).successful
    assert sim.supervisor.get("CUP", "translation") == pytest.approx((2.0, 0.0, 0.5))
    assert sim.supervisor.get("CUP", "rotation")[3] == pytest.approx(math.pi / 2.0)


@pytest.mark.parametrize("value", ["here", [1.0, 2.0, 3.0], [0.0] * 7, [math.nan, *[0.0] * 5, 1.0], None, 3])
def test_what_is_no_pose_is_refused(sim: Simulation, fields: FieldParameters, value: Any) -> None:
    refused = fields.set_field("BALL.pose", value)
    assert not refused.successful and "7 numbers" in refused.reason
    assert sim.supervisor.get("BALL", "translation") == (0.0, 0.0, 5.0)


def test_what_is_locked_or_no_solid_has_no_pose_to_drag(fields: FieldParameters) -> None:
    assert read(fields, f"{number(fields, 'fixed')}.outline")["pose"] is None
    assert read(fields, "BALL.outline")["pose"] == [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0]
    assert read(fields, f"{number(fields, 'WorldInfo')}.outline")["pose"] is None
    assert not fields.set_field("BALL.physics.pose", [0.0] * 6 + [1.0]).successful
    assert not fields.set_field("BALL.outline", "x").successful


def test_parameters_of_a_proto_are_fields_and_a_change_makes_the_instance_anew(tmp_path: Path) -> None:
    (tmp_path / "Block.proto").write_text(
        """#VRML_SIM R2025a utf8
PROTO Block [ field SFVec3f where 0 0 0 field SFVec3f size 1 1 1 field SFFloat{1, 2} mass 2 ] {
  Solid { translation IS where boundingObject Box { size IS size }
    physics Physics { density -1 mass IS mass } } }
""",
        encoding="utf-8",
    )
    world = tmp_path / "w.wbt"
    world.write_text('#VRML_SIM R2025a utf8\nEXTERNPROTO "Block.proto"\nDEF B Block { size 3 3 3 }\n')
    sim = load_world(world)
    fields = FieldParameters(Session(sim))
    name = number(fields, "B")
    told = {each["name"]: each for each in read(fields, f"{name}.outline")["fields"]}
    assert list(told)[:3] == ["where", "size", "mass"] and "translation" not in told
    assert (told["size"]["text"], told["size"]["set"], told["mass"]["allowed"]) == ("3 3 3", True, [1.0, 2.0])
    assert {"B.size", "B.mass", "B.where"} <= set(fields.names())
    assert fields.set_field(f"{name}.size", "2 2 2").successful
    assert fields.set_field("B.where", [0.0, 0.0, 4.0]).successful
    found = fields.get(f"{name}.size")
    assert found is not None and list(found.value) == [2.0, 2.0, 2.0]
    assert sim.supervisor.node("B")["boundingObject"]["size"] == (2.0, 2.0, 2.0)
    assert sim.supervisor.pose("B").position == (0.0, 0.0, 4.0)
    refused = fields.set_field("B.mass", 3.0)
    assert not refused.successful and "expected one of 1.0, 2.0" in refused.reason
