"""Copies of a world on a graphics card, simulated by numba: the same numbers as on the processor."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from sim_core.base.errors import ConfigError, MissingPackageError
from sim_core.experiments.learning import OdesimVectorEnv
from sim_core.experiments.learning.draws import WIDTH, from_row, seed_below_2_31, to_row, uniform
from sim_core.experiments.learning.tasks.go_to_goal import GoToGoal

ROOT = Path(__file__).parents[4]
WHEEL = """HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 %s 0.04 }
  device RotationalMotor { name "%s" maxVelocity 15 maxTorque 2 acceleration 40 }
  endPoint Solid { name "%s wheel" translation 0 %s 0.04 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder { radius 0.04 height 0.02 } physics Physics { density -1 mass 0.1 } } }
"""
ROBOT = """DEF %s Robot { name "%s" translation %s 0 children [ %s
    DistanceSensor { name "sonar" translation 0 0.12 0.06 rotation 0 0 1 1.3
      lookupTable [ 0 10 0, 0.7 3 0, 1 0 0 ] type "sonar" numberOfRays 3 aperture 0.5 }
    Lidar { name "lidar" translation 0 0 0.1 fieldOfView 6 horizontalResolution 11 numberOfLayers 1
      minRange 0.2 maxRange 1.5 near 0.05 } ]
  boundingObject Pose { translation 0 0 0.06 children Cylinder { radius 0.12 height 0.08 } }
  physics Physics { density -1 mass 1.5 } }
"""
WALL = """Solid { name "wall %d" translation %g %g 0.1 rotation 0 0 1 %g
  children Shape { geometry DEF BOX Box { size 0.1 2 0.2 } } boundingObject Box { size 0.1 2 0.2 } }
"""
HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Solid { name "post" translation 0.5 0.6 0.1 boundingObject Cylinder { radius 0.1 height 0.2 } }
"""
ROBOTS = ("one", "two", "three")


def crowded() -> str:
    """Three robots in a small square, which often touch each other and the walls."""
    wheels = "".join(WHEEL % (y, side, side, y) for y, side in ((0.1, "left"), (-0.1, "right")))
    robots = [
        ROBOT % (name, name, place, wheels)
        for name, place in zip(ROBOTS, ("0 0", "-0.5 0", "0 -0.5"), strict=True)
    ]
    walls = [
        WALL % (k, *place) for k, place in enumerate(((1, 0, 0), (-1, 0, 0), (0, 1, 1.5708), (0, -1, 1.5708)))
    ]
    return HEAD + "".join(walls + robots)


def environment(folder: Path, count: int, device: str, autoreset: str = "NextStep") -> OdesimVectorEnv:
    """Of the crowded world, with actions of two kinds."""
    (folder / "crowded.wbt").write_text(crowded())
    return OdesimVectorEnv(
        folder / "crowded.wbt",
        count,
        ["two.lidar", "sonar", "three.sonar"],
        ["drive", "two.left", "two.right", "three.drive"],
        bodies=["one", "three", "floor"],
        period=0.1,
        duration=6.0,
        physics="fast2d",
        autoreset=autoreset,
        device=device,
    )


def greatest_difference(processor: OdesimVectorEnv, card: OdesimVectorEnv, steps: int) -> float:
    """Of observations, rewards, ends and times, with equal actions; `card` is reset with the same seed."""
    random = np.random.default_rng(1)
    expected, found = processor.reset(seed=3), card.reset(seed=3)
    assert np.array_equal(expected[1]["seed"], found[1]["seed"])
    worst = float(np.abs(expected[0] - found[0]).max())
    low, high = processor.action_space.low, processor.action_space.high
    for _ in range(steps):
        actions = random.uniform(0.3 * low, 1.2 * high).astype(np.float32)
        expected, found = processor.step(actions), card.step(actions)
        for one, other in zip(
            (*expected[:4], expected[4]["time"]), (*found[:4], found[4]["time"]), strict=True
        ):
            worst = max(worst, float(np.abs(one.astype(float) - other.astype(float)).max()))
    return worst


def main(folder: Path) -> None:
    """In a process in which numba simulates a card."""
    for autoreset in ("NextStep", "SameStep"):
        processor, card = (environment(folder, 3, device, autoreset) for device in ("cpu", "cuda"))
        assert processor.why is None
        assert greatest_difference(processor, card, 70) <= 1e-12
        poses = processor._episodes._seen()
        assert np.abs(poses.poses - card._card.state.seen.poses).max() <= 1e-12
        assert np.abs(poses.before - card._card.state.seen.before).max() <= 1e-12
    card = environment(folder, 3, "cuda")
    mask = np.array([False, True, False])
    card.reset(seed=3)
    first = [each.copy() for each in card.step(card.action_space.high)[:4]]
    card.reset(options={"reset_mask": mask})
    assert card._card.state.steps.tolist() == [1, 0, 1]
    card.reset(seed=3)
    assert all(
        np.array_equal(a, b) for a, b in zip(first, card.step(card.action_space.high)[:4], strict=True)
    )
    for name in ("GoToGoal", "Avoid", "FollowWall"):
        import gymnasium

        processor, card = (
            gymnasium.make_vec(f"odesim/{name}-v0", 4, duration=4.0, device=device)
            for device in ("cpu", "cuda")
        )
        assert greatest_difference(processor, card, 40) <= 1e-12
    print("equal")


def test_a_card_gives_the_numbers_of_the_processor(tmp_path: Path) -> None:
    environ = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, __file__, str(tmp_path)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=600)
    assert done.stdout == "equal\n", done.stderr


def test_what_cannot_be_on_a_card_is_said_in_one_line() -> None:
    with pytest.raises(ConfigError, match="found 'gpu', expected one of cpu, cuda"):
        OdesimVectorEnv(GoToGoal(), 2, device="gpu")
    with pytest.raises(ConfigError, match='found "cuda", expected "cpu": it is stepped by ODE'):
        OdesimVectorEnv(GoToGoal(), 2, physics="ode", device="cuda")
    with pytest.raises(ConfigError, match="the task consists of Python functions"):
        OdesimVectorEnv(
            "arena", 2, ["ds_front"], ["drive"], physics="fast2d", device="cuda",
            reward=lambda seen: seen.poses[:, 0, 0],
        )  # fmt: skip


def test_without_a_card_this_is_said_in_one_line() -> None:
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a card")
    with pytest.raises((ConfigError, MissingPackageError), match=r"graphics card"):
        OdesimVectorEnv(GoToGoal(), 2, device="cuda")


@pytest.mark.parametrize("seed", range(5))
def test_compiled_draws_are_those_of_numpy(seed: int) -> None:
    random, same = np.random.default_rng(seed), np.random.default_rng(seed)
    row = np.empty(WIDTH, np.uint64)
    to_row(same, row)
    for kind in np.random.default_rng(100 + seed).integers(0, 2, 60).tolist():
        if kind:
            assert random.integers(2**31) == seed_below_2_31(row)
        else:
            assert random.uniform(-1.7, 3.1) == uniform(row, -1.7, 3.1)
    from_row(row, same)
    assert same.bit_generator.state == random.bit_generator.state


if __name__ == "__main__":
    main(Path(sys.argv[1]))
