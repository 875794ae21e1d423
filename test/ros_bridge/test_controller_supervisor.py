"""Supervisors in Webots' Python, started by a real simulation."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controller_runs import run_project, said

WORLD = """
WorldInfo { basicTimeStep 10 gravity 10 }
Solid { name "floor" boundingObject Plane { size 40 40 } }
DEF BALL Solid { name "ball" translation 0 0 2 children DEF S Shape { geometry Sphere { radius 0.1 } }
  boundingObject USE S physics Physics { density -1 mass 2 } }
DEF ARM Robot { name "arm" translation 5 0 1 controller "void" children DEF JOINT HingeJoint {
  jointParameters HingeJointParameters { axis 0 0 1 minStop -3.141592653589793 maxStop 3 }
  device RotationalMotor { name "motor" }
  endPoint DEF TIP Solid { translation 0.5 0 0 boundingObject USE S physics Physics { } } } }
Robot { name "boss" supervisor TRUE controller "boss" customData "first" }
"""
START = """
from controller import Field, Node, Supervisor
s = Supervisor()
step = 10
"""
Ask = Callable[..., list[Any]]


@pytest.fixture
def supervise(tmp_path: Path, simulate: Callable[..., Any]) -> Ask:
    """Runs the world with a supervisor; what it printed, as values where it can be."""

    def run(source: str, duration: float = 5.0, code: int = 0, world: str = WORLD) -> list[Any]:
        sim = run_project(tmp_path, simulate, world, {"boss": START + source}, duration)
        assert sim.code == code, sim.lines
        lines = []
        for line in said(sim, "boss"):
            try:
                lines.append(ast.literal_eval(line))
            except (ValueError, SyntaxError):
                lines.append(line)
        return lines

    return run


def test_motion_forces_and_states(supervise: Ask) -> None:
    """Free fall by ODE's rule: v = -g·n·h, z = z0 - g·h²·n·(n + 1)/2; weight and a force m·g cancel."""
    fall, state, lifted, moved, before, after, stopped, loaded = supervise(
        """
ball = s.getFromDef("BALL")
for _ in range(20):
    s.step(step)
print([*ball.getPosition(), *ball.getVelocity()])
ball.saveState("falling")
print([*ball.getPose()])
ball.addForce([0, 0, 20], False)
s.step(step)
print(ball.getVelocity()[2])
ball.getField("translation").setSFVec3f([1, 2, 3])
ball.getField("rotation").setSFRotation([0, 0, 1, 1.5707963267948966])
print(ball.getPosition() + [round(x, 9) for x in ball.getOrientation()])
ball.setVelocity([1, 0, 0, 0, 0, 0])
print(ball.getVelocity())
s.step(step)
print(ball.getPosition())
ball.resetPhysics()
print(ball.getVelocity())
ball.loadState("falling")
print([*ball.getPosition(), *ball.getVelocity()])
"""
    )
    z = 2.0 - 10.0 * 0.01**2 * 20 * 21 / 2
    assert fall == pytest.approx([0, 0, z, 0, 0, -2.0, 0, 0, 0], abs=1e-12)
    assert state == pytest.approx([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z, 0, 0, 0, 1], abs=1e-12)
    assert lifted == pytest.approx(-2.0, abs=1e-12)
    assert moved == pytest.approx([1, 2, 3, 0, -1, 0, 1, 0, 0, 0, 0, 1], abs=1e-9)
    assert before == [1, 0, 0, 0, 0, 0]
    assert after == pytest.approx([1.01, 2, 3 - 10 * 0.01**2], abs=1e-12)
    assert stopped == [0] * 6
    assert loaded == fall


def test_nodes_and_fields(supervise: Ask) -> None:
    lines = supervise(
        """
root = s.getRoot()
children = root.getField("children")
print((children.getCount(), children.getType() == Field.MF_NODE, children.getTypeName()))
ball = children.getMFNode(2)
print((ball.getDef(), ball.getTypeName(), ball.getType() == Node.SOLID, ball == s.getFromDef("BALL")))
print((s.getFromId(ball.getId()) == ball, s.getFromDef("NOT"), ball.getField("no"), s.getFromId(99999)))
print((s.getSelf().getField("name").getSFString(), s.getFromDef("ARM.TIP").getParentNode().getDef()))
print(s.getFromDef("TIP").getPosition())
mass = ball.getField("physics").getSFNode().getField("mass")
print((mass.getSFFloat(), mass.value))
mass.setSFFloat(4)
print((mass.value, ball.getCenterOfMass()))
info = children.getMFNode(0).getField("info")
info.insertMFString(0, "b")
info.insertMFString(-1, "c")
info.insertMFString(0, "a")
info.setMFString(-1, "d")
print([info.getMFString(i) for i in range(info.getCount())])
info.removeMF(0)
print((info.value, info.getCount()))
s.getFromDef("JOINT").setJointPosition(1.5707963267948966)
print([round(x, 9) for x in s.getFromDef("TIP").getPosition()])
s.getFromDef("JOINT").setJointPosition(-7)
print([round(x, 9) for x in s.getFromDef("TIP").getPosition()])
"""
    )
    assert lines[0] == (5, True, "MFNode")
    assert lines[1] == ("BALL", "Solid", True, True)
    assert lines[2] == (True, None, None, None)
    assert lines[3] == ("boss", "JOINT")
    assert lines[4] == [5.5, 0.0, 1.0]
    assert lines[5] == (2.0, 2.0)
    assert lines[6] == (4.0, [0.0, 0.0, 2.0])
    assert lines[7] == ["a", "b", "d"]
    assert lines[8] == (["b", "d"], 2)
    assert lines[9] == pytest.approx([5.0, 0.5, 1.0])
    assert any("position -7 is past the stop -3.14159, clamped" in str(line) for line in lines[10:])
    places = [line for line in lines[10:] if isinstance(line, list)]
    assert pytest.approx([4.5, 0.0, 1.0], abs=1e-8) in places  # a hair past the stop, which holds it


def test_nodes_come_and_go(supervise: Ask) -> None:
    """A cube of 1 m comes to rest on the floor with its centre 0.5 m high and touches at four points; one
    that is fixed in it at four more, which are its descendant's."""
    first, place, contacts, whose, text, gone, said_so, later = supervise(
        """
children = s.getRoot().getField("children")
children.importMFNodeFromString(-1, '''DEF CUBE Solid { name "cube" translation 3 3 0.6
  children DEF CORE Solid { name "core" boundingObject Box { size 0.5 0.5 1 }
    physics Physics { density -1 mass 3 } }
  boundingObject Box { size 1 1 1 } physics Physics { density -1 mass 3 } }''')
cube = s.getFromDef("CUBE")
print((children.getCount(), children.getMFNode(-1) == cube))
for _ in range(100):
    s.step(step)
print(cube.getPosition())
points = cube.getContactPoints(True)
print((len(cube.getContactPoints()), len(points)))
print((s.getFromId(points[0].node_id) == cube, s.getFromId(points[-1].node_id) == s.getFromDef("CORE")))
print(cube.exportString().split()[:3])
cube.remove()
print((children.getCount(), s.getFromDef("CUBE")))
cube.getPosition()
children.importMFNodeFromString(0, 'Solid { name "new" }')
print(children.getMFNode(0).getField("name").value)
"""
    )
    assert first == (6, True)
    assert place == pytest.approx([3, 3, 0.5], abs=1e-3)
    assert contacts == (4, 8)
    assert whose == (True, True)
    assert text == ["DEF", "CUBE", "Solid"]
    assert gone == (5, None)
    assert "no longer" in said_so
    assert later == "new"


def test_the_run(supervise: Ask, tmp_path: Path) -> None:
    lines = supervise(
        """
print(s.simulationGetMode() == s.SIMULATION_MODE_FAST)
ball = s.getFromDef("BALL")
for _ in range(10):
    s.step(step)
s.setCustomData("second")
s.step(step)
print((s.getCustomData(), s.getSelf().getField("customData").value))
s.setLabel(0, "hello", 0.1, 0.1, 0.1, 0xFF0000, 0, "Arial")
print(s.worldSave("saved.wbt"))
s.simulationReset()
print((s.getTime(), ball.getPosition(), s.getSelf().getField("customData").value))
s.step(step)
print((s.getTime(), round(ball.getPosition()[2], 9)))
s.simulationQuit(7)
print(s.step(step))
""",
        code=7,
    )
    assert lines == [
        True,
        ("second", "second"),
        True,
        (0.0, [0.0, 0.0, 2.0], "second"),
        (0.01, 1.999),
        -1,
    ]
    assert "translation 0 0 1.934" in (tmp_path / "controllers" / "boss" / "saved.wbt").read_text()


def test_movies(supervise: Ask, tmp_path: Path) -> None:
    lines = supervise(
        """
s.movieStartRecording("run.mp4", 64, 48, 0, 80, 2, False)
print(s.movieIsReady())
for _ in range(20):
    s.step(step)
s.movieStopRecording()
print((s.movieIsReady(), s.movieFailed()))
s.movieStartRecording("run.nonsense", 64, 48, 0, 80, 1, False)
print(s.movieFailed())
"""
    )
    assert lines[:2] == [False, (True, False)]
    assert "nonsense" in lines[2]
    assert lines[3] is True
    assert (tmp_path / "controllers" / "boss" / "run.mp4").stat().st_size > 0


def test_wrong_calls_are_said_in_one_line_each_and_change_nothing(supervise: Ask) -> None:
    lines = supervise(
        """
field = s.getFromDef("BALL").getField("translation")
field.setSFFloat(1.0)
field.setSFVec3f([float("nan"), 0, 0])
field.setSFVec3f([1, 2])
s.getRoot().getField("children").getMFNode(17)
s.getRoot().getField("children").importMFNodeFromString(-1, "Solid { nonsense 1 }")
s.getFromDef("BALL").addForce([1, float("nan"), 0], False)
print(s.getFromDef("S").getPosition())
print(field.value)
"""
    )
    words = ("SFVec3f", "NaN", "expected 3", "17", "nonsense", "NaN", "no pose", "[nan, nan, nan]")
    assert len(lines) == len(words) + 1
    for line, word in zip(lines, words, strict=False):
        assert word in line
    assert lines[-1] == [0.0, 0.0, 2.0]


def test_a_robot_that_is_no_supervisor_is_refused(supervise: Ask) -> None:
    (line, nothing) = supervise("print(s.getFromDef('BALL'))", world=WORLD.replace("supervisor TRUE", ""))
    assert "supervisor TRUE" in line
    assert nothing is None


ADDS = """
from controller import Supervisor
s = Supervisor()
shared = s.getFromDef("BALL").getField("description")
seen = []
for _ in range(50):
    old = shared.getSFString()
    seen.append(len(old))
    shared.setSFString(old + s.getName()[0])
    s.step(10)
print(seen == list(range({first}, 100, 2)), shared.getSFString()[:4])
"""


def test_supervisors_act_one_after_another_in_file_order(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    """Each reads what the others wrote in this step, if they stand before it in the file."""
    world = WORLD + 'Robot { name "second" supervisor TRUE controller "late" }'
    sources = {"boss": ADDS.replace("{first}", "0"), "late": ADDS.replace("{first}", "1")}
    for _ in range(2):
        sim = run_project(tmp_path, simulate, world, sources, 2.0)
        assert said(sim, "boss") == ["True bsbs"]
        assert said(sim, "second") == ["True bsbs"]


def test_an_imported_robot_gets_its_controller_and_one_that_is_restarted_begins_anew(
    tmp_path: Path, simulate: Callable[..., Any]
) -> None:
    boss = (
        START
        + """
s.step(step)
s.getRoot().getField("children").importMFNodeFromString(
    -1, 'DEF NEW Robot { name "new" controller "worker" }')
for _ in range(5):
    s.step(step)
s.getFromDef("NEW").restartController()
for _ in range(5):
    s.step(step)
s.getFromDef("NEW").remove()
while s.step(step) != -1:
    pass
"""
    )
    worker = """
from controller import Robot
robot = Robot()
print("from", round(robot.getTime(), 3))
while robot.step(10) != -1:
    pass
print("to", round(robot.getTime(), 3))
"""
    sources = {"boss": boss, "worker": worker}
    sim = run_project(tmp_path, simulate, WORLD, sources, 0.5, allow_imported_controllers=True)
    assert sim.code == 0
    lines = said(sim, "new")
    assert [line for line in lines if line.startswith("from")] == ["from 0.01", "from 0.06"]


def test_parameters_of_protos_are_set_and_the_node_goes_on(supervise: Ask, tmp_path: Path) -> None:
    """A force F in one step h of a free body of mass m changes its speed by F/m·h."""
    (tmp_path / "worlds").mkdir(exist_ok=True)
    (tmp_path / "worlds" / "Block.proto").write_text(
        """#VRML_SIM R2025a utf8
PROTO Block [ field SFVec3f translation 0 0 0 field SFFloat mass 2 unconnectedField MFString words [ "a" ] ] {
  Solid { translation IS translation boundingObject Box { }
    physics Physics { density -1 mass IS mass } } }
""",
        encoding="utf-8",
    )
    world = WORLD.replace("\n", '\nEXTERNPROTO "Block.proto"\n', 1) + "DEF B Block { translation 9 0 9 }\n"
    same, mass, inner, words, speed, refusal, kept = supervise(
        """
b = s.getFromDef("B")
mass = b.getField("mass")
mass.setSFFloat(4.0)
s.step(step)
print(s.getFromDef("B").getId() == b.getId())
print(mass.getSFFloat())
print(b.getProtoField("physics").getSFNode().getField("mass").getSFFloat())
b.getField("words").insertMFString(-1, "b")
print(b.getField("words").value)
b.setVelocity([0, 0, 0, 0, 0, 0])
b.addForce([8, 0, 0], False)
s.step(step)
print(b.getVelocity()[0])
b.getProtoField("translation").setSFVec3f([1, 2, 3])
print(b.getProtoField("name").value)
""",
        world=world,
    )
    assert same == "True" or same is True
    assert "read only" in refusal and kept == "solid"
    assert (mass, inner, words) == (4.0, 4.0, ["a", "b"])
    assert speed == pytest.approx(8.0 / 4.0 * 0.01)


def test_questions_are_answered_up_to_the_end_of_the_run(supervise: Ask) -> None:
    """The last step ends at the duration: what is asked then, before the next step, has its answers too."""
    lines = supervise(
        """
ball = s.getFromDef("BALL")
while s.step(step) != -1:
    print([s.getTime(), ball.getField("translation").getSFVec3f()[2], ball.getPosition()[2]])
print("over")
print(s.getFromDef("BALL"))
""",
        duration=0.2,
    )
    *values, over, nothing = lines
    assert [each[0] for each in values] == pytest.approx([0.01 * k for k in range(1, 21)])
    assert [each[1] for each in values] == [each[2] for each in values]
    assert (over, nothing) == ("over", None)


def test_what_leans_too_far_is_out_of_balance(supervise: Ask) -> None:
    """A box of 1 m on three feet: with its mass above them it stands, also before the first step; with it
    outside it does not."""
    feet = " ".join(
        f"DEF F{k} Pose {{ translation {x} {y} -0.5 children Sphere {{ radius 0.05 }} }}"
        for k, (x, y) in enumerate([(0.4, 0.0), (-0.4, 0.4), (-0.4, -0.4)])
    )
    table = (
        'DEF %s Solid { name "%s" translation 0 %d 0.549 boundingObject Group { children [ ' + feet + " ] } "
        "physics Physics { density -1 mass 1 centerOfMass [ %s ] } }\n"
    )
    world = WORLD + table % ("GOOD", "good", 5, "0 0 0") + table % ("BAD", "bad", 9, "0.6 0 0")
    lines = supervise(
        """
good, bad = s.getFromDef("GOOD"), s.getFromDef("BAD")
print(good.getStaticBalance())
for _ in range(20):
    s.step(step)
print(good.getStaticBalance())
print(bad.getStaticBalance())
print(s.getFromDef("BALL").getStaticBalance())
""",
        world=world,
    )
    assert lines == [True, True, False, False]


def test_the_viewpoint_can_be_moved_to_a_solid(supervise: Ask) -> None:
    world = WORLD + "DEF VIEW Viewpoint { orientation 0 0 1 0 position 0 0 9 }\n"
    place, refused = supervise(
        """
view = s.getFromDef("VIEW").getField("position")
s.getFromDef("BALL").moveViewpoint()
print(view.getSFVec3f())
s.getRoot().getField("children").getMFNode(0).moveViewpoint()
""",
        world=world,
    )
    assert place[0] < -0.2  # some way to the west of the ball, looking east
    assert place[1:] == pytest.approx([0.0, 2.0], abs=1e-6)
    assert "WorldInfo" in refused and "expected a Solid" in refused
