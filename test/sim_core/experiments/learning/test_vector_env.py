"""Many copies as one: each is to the bit what it is alone, in the plane and on ODE, whoever begins anew."""

from pathlib import Path

import pytest

gymnasium = pytest.importorskip("gymnasium")

import numpy as np  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from sim_core.base.config import SimulationConfig  # noqa: E402
from sim_core.base.errors import CommandError, OdesimError  # noqa: E402
from sim_core.base.geometry import Pose  # noqa: E402
from sim_core.experiments.learning import OdesimEnv, OdesimVectorEnv, PlanarPose  # noqa: E402

WHEEL = """HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 anchor 0 %(y)s 0.04 }
  device RotationalMotor { name "%(side)s" maxVelocity 15 maxTorque 2 %(motor)s }
  endPoint Solid { name "%(side)s wheel" translation 0 %(y)s 0.04 rotation 1 0 0 1.5707963267948966
    boundingObject Cylinder { radius 0.04 height 0.02 } physics Physics { density -1 mass 0.1 } } }
"""
EYES = """
DistanceSensor { name "front" translation 0.12 0 0.06 lookupTable [ 0 0 0, 1.5 1.5 0 ] }
DistanceSensor { name "side" translation 0 0.12 0.06 rotation 0 0 1 1.3 lookupTable [ 0 10 0, 0.7 3 0, 1 0 0 ]
  type "sonar" numberOfRays 3 aperture 0.5 }
"""
ROBOT = """DEF %(name)s Robot { name "%(name)s" translation %(place)s 0 children [ %(parts)s
  Solid { name "foot" translation -0.09 0 0.011 contactMaterial "caster"
    boundingObject Sphere { radius 0.011 } physics Physics { density -1 mass 0.01 } } ]
  boundingObject Pose { translation 0 0 0.06 children Cylinder { radius 0.12 height 0.08 } }
  physics Physics { density -1 mass 1.5 centerOfMass [ -0.02 0 0.04 ] } }
"""


def robot(name: str, place: str, motor: str = "", devices: str = EYES) -> str:
    wheels = [WHEEL % {"y": y, "side": side, "motor": motor} for y, side in ((0.1, "left"), (-0.1, "right"))]
    return ROBOT % {"name": name, "place": place, "parts": "".join(wheels) + devices}


HEAD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 contactProperties ContactProperties { material1 "caster" coulombFriction 0 } }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Solid { name "post" translation 0.5 0.9 0.1 boundingObject Cylinder { radius 0.2 height 0.2 } }
"""
WALLS = "".join(
    f'Solid {{ name "wall {x} {y}" translation {x} {y} 0.1 rotation 0 0 1 {turn} '
    "boundingObject Box { size 0.1 2.4 0.2 } }\n"
    for x, y, turn in ((1.2, 0, 0), (-1.2, 0, 0), (0, 1.2, 1.5708), (0, -1.2, 1.5708))
)
WORLD = HEAD + WALLS + robot("one", "0.4 0") + robot("two", "-0.4 0", "acceleration 30")
SENSORS = ("front", "side", "two.front")
MOTORS = ("drive", "two.left", "two.right")
PERIOD, LATE = 0.1, 1.2
COUNT = 3
FAST2D = SimulationConfig(physics="fast2d")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("vector") / "two.wbt"
    file.write_text(WORLD)
    return file


def places(random: np.random.Generator) -> dict[str, PlanarPose]:
    """In the plane, where nobody is let into the other."""
    x, y, heading = random.uniform((0.2, -0.8, -3), (0.8, 0.4, 3)).tolist()
    return {"one": PlanarPose(x, y, heading), "two": PlanarPose(x - 0.9, -y, -heading)}


def put(env: OdesimEnv) -> None:
    """The same in a single environment."""
    for name, (x, y, heading) in places(env.np_random).items():
        c, s = np.cos(heading).item(), np.sin(heading).item()
        pose = Pose((x, y, 0.0), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
        env.sim.physics.move(env.sim.robot(name).node.id, pose)


def singles(world: Path, config: SimulationConfig | None) -> list[OdesimEnv]:
    arguments = {"reward": lambda env: float(env.observation[0]), "period": PERIOD, "duration": LATE}
    arguments |= {"terminated": lambda env: bool(env.observation[1] > 6.0), "config": config}
    return [
        OdesimEnv(world, SENSORS, MOTORS, at_reset=put if config else None, **arguments) for _ in range(COUNT)
    ]


def together(world: Path, config: SimulationConfig | None, **others) -> OdesimVectorEnv:
    arguments = {"reward": lambda seen: seen.readings[:, 0].astype(float), "period": PERIOD}
    arguments |= {"terminated": lambda seen: seen.readings[:, 1] > 6.0, "duration": LATE, "config": config}
    arguments["at_reset"] = places if config else None
    return OdesimVectorEnv(world, COUNT, SENSORS, MOTORS, **(arguments | others))


def check_equal(many: OdesimVectorEnv, alone: list[OdesimEnv], steps: int, seeds: list[int]) -> int:
    """Step both with the same actions; how many episodes ended."""
    random = np.random.default_rng(5)
    ended = 0
    seen, infos = many.reset(seed=seeds)
    for row, env in enumerate(alone):
        first, info = env.reset(seed=seeds[row])
        assert np.array_equal(first, seen[row]) and info["seed"] == infos["seed"][row]
    over = [False] * COUNT
    same_step = many.autoreset is AutoresetMode.SAME_STEP
    for _ in range(steps):
        actions = random.uniform(1.3 * many.action_space.low, 1.3 * many.action_space.high).astype(np.float32)
        seen, rewards, terminated, truncated, infos = many.step(actions)
        for row, env in enumerate(alone):
            if over[row] and not same_step:
                observation, _ = env.reset()
                found = (observation, 0.0, False, False)
            else:
                *found, _ = env.step(actions[row])
            over[row] = found[2] or found[3]
            ended += over[row]
            if over[row] and same_step:
                assert infos["_final_obs"][row] and np.array_equal(infos["final_obs"][row], found[0])
                found[0], _ = env.reset()
            assert np.array_equal(found[0], seen[row])
            assert (rewards[row], terminated[row], truncated[row]) == tuple(found[1:])
            assert infos["time"][row] == pytest.approx(env.sim.time)
    return ended


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_in_the_plane_each_is_what_it_is_alone(world: Path, mode: str) -> None:
    many = together(world, FAST2D, autoreset=mode)
    assert many.why is None
    assert check_equal(many, singles(world, FAST2D), 40, [3, 11, 4]) > COUNT
    assert check_equal(many, singles(world, FAST2D), 5, [9, 8, 7]) >= 0  # begun anew by a seed


def test_on_ode_each_is_what_it_is_alone_in_one_process_or_two(world: Path) -> None:
    alone = singles(world, None)
    for workers in (0, 2):
        many = together(world, None, workers=workers)
        assert many.why == "it is stepped by ODE"
        assert check_equal(many, alone, 20, [3, 11, 4]) > 0
        many.close()
        many.close()


def test_many_copies_and_threads_change_nothing(world: Path) -> None:
    """Rows of a batch of 200 on two threads are those of a batch of 3; robots meet walls and each other."""
    few = together(world, FAST2D)
    many = OdesimVectorEnv(
        world, 200, SENSORS, MOTORS, at_reset=places, config=FAST2D, period=PERIOD, duration=LATE, workers=2,
        bodies=("two",), reward=lambda seen: seen.poses[:, 0, 0],
    )  # fmt: skip
    random = np.random.default_rng(2)
    assert np.array_equal(many.reset(seed=50)[0][:COUNT], few.reset(seed=50)[0])
    one = OdesimVectorEnv(
        world, 1, SENSORS, MOTORS, at_reset=places, config=FAST2D, period=PERIOD, duration=LATE,
        bodies=("two",), reward=lambda seen: seen.poses[:, 0, 0],
    )  # fmt: skip
    one.reset(seed=50 + 199)
    for _ in range(15):
        actions = random.uniform(many.action_space.low, many.action_space.high).astype(np.float32)
        seen, rewards, *_ = many.step(actions)
        last, reward, *_ = one.step(actions[-1:])
        assert np.array_equal(seen[-1], last[0]) and rewards[-1] == reward[0]


def test_episodes_begin_when_asked(world: Path) -> None:
    many = together(world, FAST2D, autoreset=AutoresetMode.DISABLED, terminated=None)
    many.reset(seed=1)
    still = np.zeros((COUNT, 4), np.float32)
    for _ in range(13):
        *_, late, infos = many.step(still)
    assert late.all() and infos["time"] == pytest.approx(np.full(COUNT, 1.3))  # nobody began anew
    mask = np.array([False, True, False])
    _, infos = many.reset(options={"reset_mask": mask})
    assert infos["time"] == pytest.approx([1.3, 0.0, 1.3])
    assert many.step(still)[3].tolist() == [True, False, True]


def test_spaces_are_those_of_the_single_environment(world: Path) -> None:
    many, alone = together(world, FAST2D), singles(world, FAST2D)[0]
    assert many.single_observation_space == alone.observation_space
    assert many.single_action_space == alone.action_space
    seen, _ = many.reset(seed=1)
    assert (
        many.observation_space.contains(seen) and many.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    )
    assert seen.shape == (COUNT, 3) and seen.dtype == np.float32


def test_what_no_batch_can_do_is_simulated_and_said(tmp_path: Path) -> None:
    file = tmp_path / "gps.wbt"
    file.write_text(HEAD + robot("one", "0 0", devices='GPS { name "gps" }'))
    many = OdesimVectorEnv(file, 2, ["gps"], ["drive"], config=FAST2D, workers=0)
    assert many.why == "one.gps is not a distance sensor with rays in the plane"
    many.reset(seed=1)
    seen, *_ = many.step(np.array([[0.3, 0.0], [0.0, 1.0]]))
    assert seen[:, 0] == pytest.approx([0.03, 0.0])  # m in 0.1 s


WRONG = {
    "count": ({"num_envs": 0}, "found 0, expected a whole number of 1 or more"),
    "mode": ({"autoreset": "never"}, "expected one of NextStep, SameStep, Disabled"),
    "workers": ({"workers": -1}, "found -1"),
    "sensor": ({"observations": ["fron"]}, 'did you mean "front"'),
    "motor": ({"actions": ["lef"]}, 'did you mean "left"'),
    "twice": ({"actions": ["left", "left"]}, "each once"),
    "body": ({"bodies": ["BALL"]}, 'found no robot and no DEF "BALL"'),
    "duration": ({"duration": -1.0}, "found -1.0"),
    "period": ({"period": 0.03}, "multiple"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_one_line(world: Path, case: str) -> None:
    wrong, says = WRONG[case]
    arguments = {"num_envs": 2, "observations": ["front"], "actions": ["left"], "config": FAST2D} | wrong
    with pytest.raises(OdesimError, match=says) as caught:
        OdesimVectorEnv(world, **arguments)
    assert len(str(caught.value).splitlines()) == 1


def test_wrong_calls_are_refused_and_change_nothing(world: Path) -> None:
    many = together(world, FAST2D)
    with pytest.raises(gymnasium.error.ResetNeeded):
        many.step(np.zeros((COUNT, 4)))
    with pytest.raises(OdesimError, match="found 2 seeds, expected 3"):
        many.reset(seed=[1, 2])
    many.reset(seed=1)
    bad = np.zeros((COUNT, 4))
    bad[1, 2] = np.nan
    for action, says in ((np.zeros((COUNT, 3)), r"expected \(3, 4\)"), (bad, "action 1"), ("fast", "found")):
        with pytest.raises(CommandError, match=says):
            many.step(action)
    with pytest.raises(OdesimError, match="reset_mask"):
        many.reset(options={"reset_mask": np.zeros(COUNT, np.bool_)})
    lost = together(world, FAST2D, at_reset=lambda random: {"three": PlanarPose(0.0, 0.0)})
    with pytest.raises(OdesimError, match='found "three", expected a robot that drives'):
        lost.reset(seed=1)
    shapeless = together(world, FAST2D, reward=lambda seen: 1.0)
    shapeless.reset(seed=1)
    with pytest.raises(OdesimError, match="a number for each copy"):
        shapeless.step(np.zeros((COUNT, 4)))
