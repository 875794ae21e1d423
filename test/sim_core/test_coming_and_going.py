"""Nodes that a supervisor brings and takes: nothing else may notice, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import sim_core
from sim_core.base.errors import OdesimError
from sim_core.devices.motors.motor import Motor
from sim_core.session.simulation import Simulation

HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 physicsDisableTime 0.5 }
Solid { name "floor" boundingObject Plane { size 50 50 } }
Solid { name "step" translation 0 0 0.05 boundingObject Box { size 0.5 0.5 0.1 } }
"""
BALL = (
    'DEF {name} Solid {{ name "{name}" translation {x} {y} {z} boundingObject Sphere {{ radius 0.1 }} '
    "physics Physics {{ mass {mass} density -1 }} }}"
)
DUMB_BELL = """
DEF {name} Solid {{
  name "{name}" translation {x} {y} {z} linearVelocity 0.3 0 0
  boundingObject Group {{ children [
    Pose {{ translation 0.1 0 0 children Sphere {{ radius 0.06 }} }}
    Pose {{ translation -0.1 0 0 children Sphere {{ radius 0.05 }} }}
  ] }}
  physics Physics {{ }}
}}"""
ROBOT = """
DEF {name} Robot {{
  name "{name}" translation {x} {y} {z} controller "<none>"
  children [
    HingeJoint {{
      jointParameters HingeJointParameters {{
        axis 0 1 0 anchor 0 0 0.1 springConstant 0.1 dampingConstant 0.1
      }}
      device [ RotationalMotor {{ name "motor" }} PositionSensor {{ name "sensor" }} ]
      endPoint Solid {{
        translation 0 0 0.2 boundingObject Box {{ size 0.05 0.05 0.2 }} physics Physics {{ }} name "arm"
      }}
    }}
    Accelerometer {{ name "accelerometer" }}
  ]
  boundingObject Box {{ size 0.2 0.2 0.1 }} physics Physics {{ }}
}}"""
HEAP = [
    BALL.format(name=f"b{k}", x=0.03 * k, y=0.02 * (k % 3), z=0.25 + 0.21 * k, mass=1 + 0.1 * k)
    for k in range(5)
]
COME = [
    BALL.format(name="n1", x=0.02, y=0.01, z=1.4, mass=2.0),
    DUMB_BELL.format(name="n2", x=-0.05, y=0, z=1.7),
    ROBOT.format(name="n3", x=0.05, y=0.02, z=2.0),
    BALL.format(name="n4", x=0, y=0.05, z=2.5, mass=1.5),
]


@pytest.fixture
def world(tmp_path: Path) -> Callable[..., Simulation]:
    def load(*nodes: str) -> Simulation:
        file = tmp_path / "world.wbt"
        file.write_text(HEAD + "\n".join(nodes), encoding="utf-8")
        return sim_core.load_world(file, seed=1)

    return load


def _drive(sim: Simulation) -> None:
    for robot in sim.robots.values():
        motor = robot.devices["motor"]
        assert isinstance(motor, Motor)
        motor.set_position(float("inf"))
        motor.set_velocity(3.0)


def _bodies(sim: Simulation) -> bytes:
    return sim.physics.get_state().bodies.tobytes()


def _poses(sim: Simulation, *names: str) -> list[object]:
    return [(sim.supervisor.pose(name), sim.supervisor.velocity(name)) for name in names]


def test_what_is_brought_at_the_start_runs_as_if_the_file_had_it(world: Callable[..., Simulation]) -> None:
    whole = world(*HEAP, *COME)
    _drive(whole)
    grown = world(*HEAP)
    for text in COME:
        grown.supervisor.import_text(text)
    _drive(grown)
    for _ in range(20):
        whole.run(0.1)
        grown.run(0.1)
        assert _bodies(grown) == _bodies(whole)


def test_a_world_from_which_something_went_runs_as_if_it_had_never_been_there(
    world: Callable[..., Simulation],
) -> None:
    without = world(HEAP[0], HEAP[2], *HEAP[4:], COME[2])
    more = world(*HEAP, *COME[:3])
    for name in ("b3", "n1", "b1", "n2"):
        more.supervisor.remove(name)
    _drive(without)
    _drive(more)
    for _ in range(20):
        without.run(0.1)
        more.run(0.1)
        assert _bodies(more) == _bodies(without)


def test_others_do_not_notice_what_comes_and_goes_far_away(world: Callable[..., Simulation]) -> None:
    names = [f"b{k}" for k in range(5)]
    alone, visited = world(*HEAP), world(*HEAP)
    contacts = visited.physics.built.contacts
    for sim in (alone, visited):
        sim.run(0.4)
    far = [
        BALL.format(name="f1", x=9, y=0, z=0.1, mass=1),
        ROBOT.format(name="f2", x=9, y=1, z=0.05),
        'DEF f3 Solid { name "f3" translation 9 3 0.2 boundingObject Box { size 0.4 0.4 0.4 } }',
    ]
    for text in far:
        visited.supervisor.import_text(text)
    _drive(visited)
    for gone in ("f2", "f1", "f3"):
        for sim in (alone, visited):
            sim.run(0.05)
        assert _poses(visited, *names) == _poses(alone, *names)
        visited.supervisor.remove(gone)
    for sim in (alone, visited):
        sim.run(0.05)
    assert _bodies(visited) == _bodies(alone)
    assert visited.physics.built.contacts is contacts  # nothing was built anew


def _visit(sim: Simulation) -> None:
    """A run in which things come and go."""
    for text in COME:
        sim.supervisor.import_text(text)
        _drive(sim)
        sim.run(0.2)
    sim.supervisor.remove("b2")
    sim.run(0.2)
    sim.supervisor.remove("n2")
    sim.run(0.2)


def test_resets_and_snapshots_are_exact_around_visits(world: Callable[..., Simulation]) -> None:
    sim = world(*HEAP)
    sim.run(0.2)
    before = sim.snapshot()
    _visit(sim)
    among = sim.snapshot()
    sim.run(0.5)
    end = _bodies(sim)

    sim.restore(among)  # nothing has come or gone since
    sim.run(0.5)
    assert _bodies(sim) == end
    sim.reset()
    sim.restore(among)  # all is built anew
    sim.run(0.5)
    assert _bodies(sim) == end
    sim.restore(before)
    _visit(sim)
    sim.run(0.5)
    assert _bodies(sim) == end
    sim.reset()
    sim.run(0.2)
    _visit(sim)
    sim.run(0.5)
    assert _bodies(sim) == end
    fresh = world(*HEAP)
    fresh.run(0.2)
    _visit(fresh)
    fresh.run(0.5)
    assert _bodies(fresh) == end


@pytest.mark.parametrize(
    "bad",
    [
        HEAP[0].replace("b0", "x") + " " + BALL.format(name="y", x=0, y=0, z=0, mass=-3),
        ROBOT.format(name="x", x=3, y=0, z=1).replace("axis 0", "minStop 1 maxStop 2 position 0 axis 0"),
        ROBOT.format(name="x", x=3, y=0, z=1).replace('name "motor"', 'name "motor" maxVelocity -1'),
        BALL.format(name="x", x=0, y=0, z=0, mass=1).replace("radius 0.1", "radius -0.1"),
    ],
)
def test_what_is_refused_leaves_no_trace(world: Callable[..., Simulation], bad: str) -> None:
    one, other = world(*HEAP), world(*HEAP)
    for sim in (one, other):
        sim.run(0.3)
    names = list(one.robots)
    with pytest.raises(OdesimError):
        one.supervisor.import_text(bad)
    for sim in (one, other):
        sim.run(0.5)
    assert _bodies(one) == _bodies(other) and list(one.robots) == names
    assert one.supervisor.find("x") is None


def test_a_refused_removal_is_taken_back_to_the_last_bit(world: Callable[..., Simulation]) -> None:
    sim = world(*HEAP, COME[2])
    _drive(sim)
    sim.run(0.3)
    state, velocity = _bodies(sim), sim.robots["n3"].devices["motor"].target_velocity

    def refuse() -> None:
        if sim.supervisor.find("n3") is None:
            raise OdesimError("no")

    sim.supervisor.changed.append(refuse)
    with pytest.raises(OdesimError):
        sim.supervisor.remove("n3")
    assert _bodies(sim) == state
    assert sim.robots["n3"].devices["motor"].target_velocity == velocity
    sim.run(0.1)


def test_what_slept_on_a_removed_solid_falls(world: Callable[..., Simulation]) -> None:
    table = 'DEF TABLE Solid { name "t" translation 5 0 0.5 boundingObject Box { size 0.5 0.5 1 } }'
    box = (
        'DEF BOX Solid { name "box" translation 5 0 1.1 boundingObject Box { size 0.2 0.2 0.2 } '
        "physics Physics { } }"
    )
    sim = world(table, box)
    sim.run(3.0)
    assert sim.supervisor.velocity("BOX")[0] == (0.0, 0.0, 0.0)
    sim.supervisor.remove("TABLE")
    top = sim.supervisor.pose("BOX").position[2]
    sim.run(0.4)  # a fall of 0.4 s
    assert top - sim.supervisor.pose("BOX").position[2] == pytest.approx(0.5 * 9.81 * 0.4**2, rel=0.03)


def test_a_solid_that_was_moved_stays_exact_when_others_come(world: Callable[..., Simulation]) -> None:
    sim = world(*HEAP)
    sim.run(0.2)
    step = sim.supervisor.find('Solid "step"')
    assert step is not None
    sim.supervisor.set(step, "translation", (0.1, 0.0, 0.05))
    sim.supervisor.import_text(COME[0])
    sim.run(0.2)
    snapshot = sim.snapshot()
    sim.run(1.0)
    end = _bodies(sim)
    sim.reset()
    sim.restore(snapshot)
    sim.run(1.0)
    assert _bodies(sim) == end
    assert sim.supervisor.pose(step).position == (0.1, 0.0, 0.05)


def test_a_removed_robot_leaves_nothing_that_moves(world: Callable[..., Simulation]) -> None:
    sim = world(*HEAP, COME[2])
    _drive(sim)
    sim.run(0.2)
    robot = sim.robot("n3")
    pose = sim.supervisor.pose(robot.node)
    sim.supervisor.remove("n3")
    sim.run(0.5)
    assert not sim.robots
    assert sim.physics.frame(robot.node.id).pose() == pose
    again = sim.supervisor.import_text(COME[2])[0]
    _drive(sim)
    sim.run(0.5)
    assert sim.robot("n3").node is again and sim.supervisor.pose("n3") != pose


def test_an_axis_that_is_held_follows_what_its_joint_becomes(world: Callable[..., Simulation]) -> None:
    sim = world("""DEF ARM Robot { name "arm" translation 0 0 3 controller "<none>" children HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      endPoint DEF END Solid { translation 0.2 0 0 } } }""")
    joint = next(node for node in sim.scene.walk() if node.type_name == "HingeJoint")
    axis = sim.physics.axis(joint.id)
    axis.drive(0.5, 1.0)
    sim.run(0.2)
    assert not axis.spec.is_dynamic and axis.velocity == pytest.approx(0.5)
    mass = "density -1 mass 1 centerOfMass 0 0 0 inertiaMatrix [ 0.01 0.01 0.01, 0 0 0 ]"
    sim.supervisor.import_text(f"Physics {{ {mass} }}", into="END", field="physics")
    assert axis.spec.is_dynamic and sim.physics.axis(joint.id) is axis
    start = axis.velocity
    sim.run(0.08)
    # at first the arm is nearly level: m·g·r / (m·r² + I) = 39 rad/s²
    assert axis.velocity - start == pytest.approx(0.08 * 9.81 * 0.2 / 0.05, rel=0.1)
    sim.supervisor.remove("ARM")
    sim.run(0.08)
    assert axis.velocity == 0.0 and not axis.spec.is_dynamic
