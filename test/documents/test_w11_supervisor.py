"""W11: the 52 functions of a supervisor that the book lists, by the names that they had then."""

import av
import pytest
from document_runs import run_document

WORLD = """
WorldInfo { basicTimeStep 8 title "soccer" info [ "first" "second" ] }
Viewpoint { orientation 1 0 0 -0.5 position 0 3 6 }
DirectionalLight { direction 0 -1 0 }
Supervisor { name "referee" controller "referee" }
DEF DRIVER DifferentialWheels {
  translation 0 0.1 0 name "driver" controller "idle" battery [ 20 100 5 ] cpuConsumption 2
  children [ DEF LAMP LED { name "lamp" color [ 1 0 0, 0 1 0 ] } DEF HAIL Emitter { channel 1 }
    DEF ARM Servo { name "arm" translation 0 0.2 0 } ]
}
DEF BALL Solid { translation 1 0.5 0
  children [ DEF LOOKS Shape {
    appearance Appearance {
      material DEF PAINT Material { diffuseColor 1 0.5 0 transparency 0.25 }
      texture ImageTexture { url [ "a.png" ] repeatS FALSE }
      textureTransform DEF SHIFT TextureTransform { scale 2 3 } }
    geometry DEF FACES IndexedFaceSet {
      coord DEF POINTS Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 -1 ]
      texCoord DEF MAP TextureCoordinate { point [ 0 0, 1 0, 0 1 ] } } } ]
  boundingObject Sphere { radius 0.5 } physics Physics { density -1 mass 1 } }
DEF HOSE Shape { geometry DEF TUBE Extrusion {
  spine [ 0 0 0, 0 1 0, 0 2 0 ] orientation [ 0 1 0 0, 0 1 0 0.5, 0 1 0 1 ] } }
DEF DOOR Gate { open [ TRUE FALSE ] turns [ 0 1 0 0.1, 1 0 0 0.2 ] }
"""
GATE = """#VRML_SIM V6.0 utf8
PROTO Gate [
  field MFBool open [ FALSE ]
  field MFRotation turns [ 0 1 0 0 ]
  field SFString sign "shut"
]
{
  Solid { name IS sign }
}
"""
REFEREE = """
import os
from controller import *
robot = Supervisor()
robot.step(8)
if os.path.exists("reverted"):
    print("again", robot.getTime(), robot.getFromDef("BALL").getField("description").getSFString() == "")
    robot.simulationQuit()
    raise SystemExit

def field(name, of):
    return robot.getFromDef(name).getField(of)

driver, ball = robot.getFromDef("DRIVER"), robot.getFromDef("BALL")
root = robot.getRoot()
count = root.getField("children").getCount()
print("none", robot.getFromDef("NOBODY"), ball.getField("nothing"))
print("type", driver.getType() == Node.DIFFERENTIAL_WHEELS, robot.getFromDef("ARM").getType() == Node.SERVO,
      ball.getType() == Node.SOLID, robot.getFromDef("LAMP").getType() == Node.LED)
print("name", driver.getName(), ball.getName())
kinds = Field.SF_FLOAT, Field.SF_VEC3F, Field.MF_INT32, Field.SF_NODE
for kind, owner, name in zip(kinds, ("PAINT", "BALL", "FACES", "HOSE"),
                             ("transparency", "translation", "coordIndex", "geometry")):
    one = field(owner, name)
    print("field", one.getTypeName(), one.getType() == kind, one.getCount())

def told(kind, owner, name, *value, index=None):
    one = field(owner, name)
    at = () if index is None else (index,)
    if value:
        getattr(one, "set" + kind)(*at, *value)
    print("value", kind, getattr(one, "get" + kind)(*at))

told("SFBool", "BALL", "locked")
told("SFBool", "BALL", "locked", True)
told("SFInt32", "HAIL", "channel")
told("SFInt32", "HAIL", "channel", 3)
told("SFFloat", "PAINT", "transparency")
told("SFFloat", "PAINT", "transparency", 0.5)
told("SFVec2f", "SHIFT", "scale")
told("SFVec2f", "SHIFT", "scale", [4, 5])
told("SFVec3f", "BALL", "translation")
told("SFVec3f", "BALL", "translation", [2, 0.5, 1])
told("SFRotation", "BALL", "rotation", [0, 1, 0, 0.5])
told("SFColor", "PAINT", "diffuseColor", [0, 0, 1])
told("SFString", "BALL", "description", "the ball")
told("SFString", "DOOR", "sign", "open")
print("node", field("HOSE", "geometry").getSFNode().getDef(), field("BALL", "children").getMFNode(0).getDef())
told("MFBool", "DOOR", "open", False, index=0)
told("MFBool", "DOOR", "open", index=1)
told("MFInt32", "FACES", "coordIndex", 0, index=2)
told("MFInt32", "FACES", "coordIndex", 2, index=2)
told("MFFloat", "DRIVER", "battery", 50.0, index=0)
told("MFVec2f", "MAP", "point", [0.5, 0.5], index=2)
told("MFVec3f", "POINTS", "point", [0, 2, 0], index=2)
told("MFRotation", "TUBE", "orientation", [0, 1, 0, 0.7], index=1)
told("MFRotation", "DOOR", "turns", [0, 0, 1, 0.9], index=1)
told("MFColor", "LAMP", "color", index=1)
info = root.getField("children").getMFNode(0)
info.getField("info").setMFString(1, "third")
info.getField("title").setSFString("match")
print("text", info.getField("info").getMFString(1), info.getField("title").getSFString())

for place, name in ((0, "FIRST"), (1, "SECOND"), (-1, "LAST"), (-3, "THIRD FROM THE END")):
    with open("node.wbt", "w") as file:
        file.write("#VRML_SIM V6.0 utf8\\nDEF " + name.split()[0] + " Solid { name \\"" + name + "\\" }")
    root.getField("children").importMFNode(place, "node.wbt")
children = root.getField("children")
names = [children.getMFNode(k).getDef() for k in range(children.getCount())]
print("imported", names.index("FIRST"), names.index("SECOND"), names.index("LAST") - len(names),
      names.index("THIRD") - len(names))

robot.setLabel(0, "hello world", 0, 0, 0.1, 0xff0000, 0)
os.makedirs("images", exist_ok=True)
robot.exportImage("images/snapshot.jpg", 50)
robot.startMovie("goal.avi", 160, 120, 0, 60)
robot.startAnimation("goal.wva")
robot.step(400)
robot.stopMovie()
robot.stopAnimation()
print("files", *sorted(name for name in os.listdir(".") if name.startswith("goal")))
print("picture", open("images/snapshot.jpg", "rb").read(3).hex())
before = ball.getVelocity()[1]
robot.simulationPhysicsReset()
print("stopped", before < -1, ball.getVelocity() == [0.0] * 6)
print("battery", field("DRIVER", "battery").getMFFloat(0), robot.getTime())
field("DRIVER", "battery").setMFFloat(0, -1)
open("reverted", "w").close()
robot.simulationRevert()
robot.step(8)
"""
IDLE = """
from controller import *
robot = Robot()
while robot.step(8) != -1:
    pass
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the controller has printed, from its start to its end after the revert."""
    folder = tmp_path_factory.mktemp("referee")
    (folder / "protos").mkdir()
    (folder / "protos" / "Gate.proto").write_text(GATE, encoding="utf-8")
    told = run_document(folder, WORLD, {"referee": REFEREE, "idle": IDLE})
    movie = folder / "controllers" / "referee" / "goal.avi"
    with av.open(str(movie)) as container:
        pictures = [frame.width for frame in container.decode(video=0)]
    assert pictures == pytest.approx([160] * 10)  # 0.4 s at 25 pictures per second
    return told.robots["referee"]


def behind(lines: list[str], word: str) -> list[str]:
    """What lines that begin with a word say."""
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


def test_nodes_and_fields_are_found_by_the_old_names(lines: list[str]) -> None:
    assert behind(lines, "none") == ["None None"]
    assert behind(lines, "type") == ["True True True True"]
    assert behind(lines, "name") == ["DifferentialWheels Solid"]
    assert behind(lines, "field") == [
        "SFFloat True -1",
        "SFVec3f True -1",
        "MFInt32 True 4",
        "SFNode True -1",
    ]
    assert behind(lines, "node") == ["TUBE LOOKS"]


def test_every_type_of_field_is_read_and_set(lines: list[str]) -> None:
    found = [line.split(" ", 1) for line in behind(lines, "value")]
    assert [(kind, value) for kind, value in found if kind not in ("SFVec3f", "SFRotation")] == [
        ("SFBool", "False"),
        ("SFBool", "True"),
        ("SFInt32", "1"),
        ("SFInt32", "3"),
        ("SFFloat", "0.25"),
        ("SFFloat", "0.5"),
        ("SFVec2f", "[2.0, 3.0]"),
        ("SFVec2f", "[4.0, 5.0]"),
        ("SFColor", "[0.0, 0.0, 1.0]"),
        ("SFString", "the ball"),
        ("SFString", "open"),
        ("MFBool", "False"),
        ("MFBool", "False"),
        ("MFInt32", "0"),
        ("MFInt32", "2"),
        ("MFFloat", "50.0"),
        ("MFVec2f", "[0.5, 0.5]"),
        ("MFVec3f", "[0.0, 2.0, 0.0]"),
        ("MFRotation", "[0.0, 1.0, 0.0, 0.7]"),
        ("MFRotation", "[0.0, 0.0, 1.0, 0.9]"),
        ("MFColor", "[0.0, 1.0, 0.0]"),
    ]
    assert ["SFVec3f", "[2.0, 0.5, 1.0]"] in found
    assert behind(lines, "text") == ["third match"]
    assert behind(lines, "imported") == ["0 1 -1 -3"]


def test_the_run_is_filmed_stopped_and_begun_again(lines: list[str]) -> None:
    assert behind(lines, "files") == ["goal.avi goal.html"]
    assert behind(lines, "picture") == ["ffd8ff"]  # a JPEG
    assert behind(lines, "stopped") == ["True True"]
    assert behind(lines, "again") == ["0.008 True"]


def test_a_supervisor_puts_energy_into_a_battery(lines: list[str]) -> None:
    """50 J at 8 ms, less 2 W for 0.4 s."""
    ((energy, time),) = (map(float, line.split()) for line in behind(lines, "battery"))
    assert energy == pytest.approx(50.0 - 2.0 * (time - 0.008), abs=1e-9)
    expected = "an energy of 0 J or more, and behind it 100 5, as when the world was loaded"
    assert f"driver: battery: found -1 100 5, expected {expected}" in lines
