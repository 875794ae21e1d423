"""Poses read at once are those of the frames, to the last bit, whatever has happened to the world."""

from collections.abc import Callable

import numpy as np

from sim_core.engines.pose_reader import pose_row
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Solid { translation 0 0 -0.1 boundingObject Box { size 9 9 0.2 } }
DEF BOX Solid { name "box" translation 0 0 1 rotation 1 1 0 0.7
  boundingObject Pose { translation 0.1 0.2 0.3 children Box { size 0.3 0.2 0.1 } } physics Physics { } }
DEF ARM Robot { name "arm" translation 2 0 1 rotation 0 1 0 0.4 physics Physics { }
  boundingObject Box { size 0.2 0.2 0.2 }
  children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0.1 0 0 }
      device RotationalMotor { name "m" }
      endPoint DEF HAND Solid { name "hand" translation 0.3 0 0 rotation 0 0 1 0.3
        boundingObject Sphere { radius 0.05 }
        physics Physics { density -1 mass 0.2 centerOfMass [ 0.01 0.02 0.03 ] } } }
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      device RotationalMotor { name "k" }
      endPoint DEF LID Solid { name "lid" translation 0 0 0.2 } } ] }
DEF CART Solid { name "cart" translation -2 0 0.1 linearVelocity 0.3 0 0
  boundingObject Box { size 0.3 0.3 0.2 } }
"""
BALL = """DEF BALL Solid { translation -1 1 1 rotation 0 0 1 1 name "ball"
  boundingObject Sphere { radius 0.1 } physics Physics { } }"""
NAMES = ("BOX", "ARM", "HAND", "LID", "CART", "BALL")


def test_poses_read_at_once_are_those_of_the_frames() -> None:
    sim = Simulation(parse_scene(WORLD))
    change = sim.supervisor
    arm = sim.robot("arm")
    arm["m"].set_velocity(1.0)
    arm["k"].set_velocity(2.0)
    start = sim.snapshot()
    frames = {row: sim.physics.frame(sim.scene.find_def(name).id) for row, name in enumerate(NAMES[:-1])}
    read = sim.physics.pose_reader(frames)
    seen: list[np.ndarray] = []

    def look() -> None:
        poses = np.full((len(frames), 12), np.nan)
        read(poses)
        assert poses.tolist() == [list(pose_row(frame.pose())) for frame in frames.values()]
        seen.append(poses)

    turned = (0.0, 1.0, 0.0, 1.2)
    edits: list[Callable[[], object]] = [
        lambda: change.set("BOX", "translation", (1.0, 1.0, 2.0)),
        lambda: change.set("ARM", "rotation", turned),
        lambda: change.import_text(BALL),
        lambda: change.remove("BALL"),
        lambda: change.import_text(BALL.replace("BALL", "SECOND").replace('"ball"', '"second"')),
        lambda: change.set("CART", "translation", (-2.0, 1.0, 0.1)),
        lambda: change.remove("BOX"),
        sim.reset,
        lambda: sim.restore(start),
    ]
    look()
    for edit in edits:
        sim.run(0.04)
        look()
        edit()
        look()
    sim.close()
    moved = np.ptp(np.array(seen), axis=0).max(axis=1)
    assert (moved > 0.01).all()
