"""Random edits of what is far away: whether the rest of a world goes on, bit by bit, as if nobody had edited.

On the shipped worlds in turn; the number of sequences, and of the first one:

    PYTHONPATH=.:test/support python test/support/bystanders.py 300 0 [ode | fast2d]
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from goldens import feed
from random_edits import PLANAR, WORLDS, Editor, drive, edit, load

from sim_core.base.ids import NodeId
from sim_core.base.shipped import shipped_worlds
from sim_core.engines.ode.ode_binding import UNUSED, read_whole_state
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

FAR = (
    """DEF FAR_BOX Solid { name "far box" translation 300 300 -300
      children DEF FAR_SHAPE Shape {
        appearance PBRAppearance { baseColor 0.9 0.1 0.1 } geometry Box { size 0.2 0.2 0.2 } }
      boundingObject USE FAR_SHAPE physics Physics { density -1 mass 1 } }""",
    """DEF FAR_SHELF Solid { name "far shelf" translation 310 300 -301
      boundingObject Box { size 3 3 0.1 } children SliderJoint {
        jointParameters JointParameters { axis 1 0 0 } device LinearMotor { name "far slide" }
        endPoint Solid { name "far end" boundingObject Sphere { radius 0.1 } } } }""",
    """DEF FAR_ROBOT Robot { name "far robot" translation 310 300 -300.8 controller "<none>"
      children [
        DistanceSensor { name "far eye" } GPS { name "far gps" } LED { name "far lamp" }
        DEF FAR_JOINT HingeJoint {
          jointParameters HingeJointParameters { axis 0 1 0 dampingConstant 0.1 }
          device [ RotationalMotor { name "far motor" } PositionSensor { name "far sensor" } ]
          endPoint Solid { name "far arm" translation 0 0 0.2
            boundingObject DEF FAR_TIP Sphere { radius 0.05 } physics Physics { } } } ]
      boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }""",
    'Wall { name "far wall" translation 320 300 -300 }',
    'TwoColourChair { name "far chair" translation 330 300 -300 }',
)
"""A place 300 m away, where no camera sees it for the floor, with what can be edited: solids that rest and
fall, a joint, a robot, PROTO and USE."""
COMING = (
    'Solid { name "guest" translation 305 305 -305 boundingObject Box { size 1 1 1 } physics Physics { } }',
    'Solid { name "still guest" translation 306 305 -305 boundingObject Box { size 0.1 2 1 } }',
    """Robot { name "robot guest" translation 307 305 -305 controller "<none>" boundingObject Sphere { }
      physics Physics { } children [ DistanceSensor { name "guest eye" } GPS { name "guest gps" } ] }""",
    'WoodenBox { name "box guest" translation 308 305 -305 }',
)
KINDS = ("Solid", "Robot", "Pose")
STEPS = 15
"""Steps between edits."""


def change_type(at: Editor, random: Random) -> str:
    """A solid or a robot becomes something else, or a Pose a solid."""
    node = at.pick(random, lambda node: node.type_name in KINDS and node.proto is None)
    kind = random.choice([each for each in KINDS if each != node.type_name])
    at.sim.supervisor.change_type(node, kind)
    return f"{node.path()} is a {kind}"


def change_axis(at: Editor, random: Random) -> str:
    """A joint turns about another axis, or another point."""
    node = at.pick(random, lambda node: node.is_a("JointParameters"))
    field = random.choice(["axis", *(["anchor"] if node.has_field("anchor") else [])])
    at.sim.supervisor.set(node, field, random.choice(((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.6, 0.8))))
    return f"{node.path()}.{field} {node[field]}"


def bystanders_of(sim: Simulation, roots: set[Node]) -> Callable[[], str]:
    """What tells, as a hash, of the present state of all below these roots: bodies, robots, devices."""
    ids = [node.id for root in sim.scene.nodes if root in roots for node in root.walk() if node.is_a("Solid")]
    robots = [
        robot for robot in sim.robots.values() if not {robot.node, *robot.node.ancestors()}.isdisjoint(roots)
    ]

    def look() -> str:
        digest = hashlib.sha256()
        feed(digest, [sim.physics.frame(each).pose() for each in ids])
        feed(digest, list(_bodies(sim, ids)))
        for robot in robots:
            feed(digest, {**vars(robot.state), "seen_number": 0})
            feed(digest, [(motor.position, motor.velocity) for motor in robot.motors().values()])
            if robot.odometry is not None:
                feed(digest, [robot.odometry.pose, robot.odometry.twist])
            for sensor in robot.sensors():
                if sensor.reading is not None and sensor.reading.time_ns == sim.time_ns:
                    feed(digest, sensor.reading)
        return digest.hexdigest()[:12]

    return look


def _bodies(sim: Simulation, ids: list[NodeId]) -> Iterator[Any]:
    """All that ODE holds of the bodies of solids, also how long they have been slow; in the plane, how they
    move."""
    if sim.rolled is not None:
        frames = [sim.physics.frame(each) for each in ids]
        yield from ((frame.linear_velocity(), frame.angular_velocity()) for frame in frames)
        return
    owners = sim.physics.built.reading.owners  # type: ignore[attr-defined]
    for each in ids:
        link = owners.get(each)
        if link is not None and link.address:
            doubles = np.frombuffer(bytearray(read_whole_state(link.address)))
            doubles.view(np.uint32)[UNUSED] = 0
            yield doubles, bool(link.body.isEnabled())


def run(world: Path, seed: int, edits: int, physics: str = "ode") -> tuple[list[str], list[str]]:
    """A world with the place far away, which is edited so often: what was done, and a hash for each step."""
    sim = load(world, physics)
    roots = set(sim.scene.nodes)
    for text in FAR:
        sim.supervisor.import_text(text)
    look, random = bystanders_of(sim, roots), Random(seed)
    info = sim.scene.world_info
    same = [(field, info[field]) for field in ("gravity", "CFM", "ERP")]

    def may_edit(node: Node) -> bool:
        return not node.is_a("Light") and roots.isdisjoint((node, *node.ancestors()))

    drive(sim)
    done: list[str] = []
    seen: list[str] = []
    for number in range(4):
        if number and edits:
            done += edit(Editor(sim, COMING, same, may_edit), random, edits, (change_type, change_axis))
        for _ in range(STEPS):
            sim.step()
            seen.append(look())
    return done, seen


def main(arguments: list[str]) -> int:
    """The exit code: how many sequences changed a bystander."""
    count, first = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    physics = arguments[2] if len(arguments) > 2 else "ode"
    names = PLANAR if physics == "fast2d" else WORLDS
    began, alike, worlds = time.perf_counter(), 0, shipped_worlds()
    alone: dict[str, list[str]] = {}
    for seed in range(first, first + count):
        name = names[seed % len(names)]
        if name not in alone:
            alone[name] = run(worlds[name], 0, 0, physics)[1]
        done, seen = run(worlds[name], seed, 1 + seed % 4, physics)
        step = next(
            (step for step, (one, other) in enumerate(zip(seen, alone[name], strict=True)) if one != other),
            None,
        )
        alike += step is None
        if step is not None:
            print(f"{seed} {name}: another from step {step} on", *done, sep="\n    ", flush=True)
    print(f"{alike} of {count} left the others alone, {time.perf_counter() - began:.0f} s")
    return int(alike < count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
