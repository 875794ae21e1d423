"""Frames are shared by rigidly joined solids, and read only if they can move."""

from __future__ import annotations

import pytest
from still_world import StillWorld

from sim_core.base.geometry import Pose
from sim_core.scene import Node, parse_scene
from sim_core.sensing.raycast.frames import FramePool

WORLD = """#VRML_SIM R2025a utf8
DEF WALL Solid { translation 0 0 3 children [ DEF SHELF Solid { name "s" translation 1 0 0 } ] }
DEF BALL Solid { name "ball" physics Physics { } }
DEF R Robot { children [
  Pose { translation 0 2 0 rotation 0 0 1 1.5707963267948966 children [ DEF NOSE Solid { translation 1 0 0
    children [ DEF TIP GPS { translation 0 0 5 } ] } ] }
  HingeJoint { endPoint DEF WHEEL Solid { name "wheel" } }
  DEF ARM Servo { name "arm" } ] }
"""


class CountingFrame:
    def __init__(self, node: Node, reads: dict[str, int]) -> None:
        self.node = node
        self.reads = reads

    def pose(self) -> Pose:
        name = self.node.def_name or ""
        self.reads[name] = self.reads.get(name, 0) + 1
        return Pose(self.node["translation"])


def test_frames_are_shared_and_only_moving_ones_read_again() -> None:
    scene = parse_scene(WORLD)
    reads: dict[str, int] = {}
    pool = FramePool(StillWorld(scene, lambda node: CountingFrame(node, reads)))

    def solid(name: str) -> tuple[int, Pose, bool]:
        return pool.solid(scene.find_def(name).id)

    rows = {name: solid(name) for name in ("WALL", "SHELF", "BALL", "R", "NOSE", "TIP", "WHEEL", "ARM")}
    assert {name: moves for name, (_, _, moves) in rows.items()} == {
        name: name not in ("WALL", "SHELF") for name in rows
    }
    row = {name: number for name, (number, _, _) in rows.items()}
    assert row["WALL"] == row["SHELF"] and row["R"] == row["NOSE"] == row["TIP"]
    assert len(set(row.values())) == 5 and 0 not in row.values()
    assert rows["SHELF"][1].position == (1.0, 0.0, 0.0)
    assert rows["TIP"][1].apply((1.0, 0.0, 0.0)) == pytest.approx((0.0, 4.0, 5.0))
    assert pool.solid(None) == (0, Pose(), False)
    assert set(reads) == {"WALL", "BALL", "R", "WHEEL", "ARM"}
    reads.clear()
    pool.update_poses()
    assert reads == {"BALL": 1, "R": 1, "WHEEL": 1, "ARM": 1}
    assert pool.poses[row["WALL"], :3].tolist() == [0.0, 0.0, 3.0]


@pytest.mark.parametrize("physics", ["", "physics Physics { }"])
def test_the_wheels_of_a_differential_wheels_robot_turn_against_it(physics: str) -> None:
    scene = parse_scene(f"""#VRML_SIM R2025a utf8
    DEF R DifferentialWheels {{ {physics} children [
      DEF HULL Solid {{ name "hull" {physics} }}
      Group {{ children DEF LEFT Solid {{ name "left wheel" {physics} }} }}
      DEF RIGHT Solid {{ name "right wheel" {physics} }} ] }}""")
    pool = FramePool(StillWorld(scene))
    rows = [pool.solid(scene.find_def(name).id)[0] for name in ("R", "HULL", "LEFT", "RIGHT")]
    assert rows[0] == rows[1] and len(set(rows)) == 3
