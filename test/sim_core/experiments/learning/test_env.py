"""The environment: Gymnasium's own checker, spaces from the devices, determinism, many at once."""

import contextlib
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium")

import numpy as np  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.wrappers import PassiveEnvChecker  # noqa: E402

from sim_core.base.errors import CommandError, OdesimError  # noqa: E402
from sim_core.experiments.learning import OdesimEnv, OdesimVectorEnv  # noqa: E402

ROOT = Path(__file__).resolve().parents[4]
WALL_AVOIDER = "odesim/WallAvoider-v0"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { position -3 0 1 }
Solid { name "wall" translation 3 0 0
  children DEF W Shape { geometry Box { size 0.2 4 4 } } boundingObject USE W }
DEF CART Robot {
  name "cart"
  children [
    DistanceSensor { name "ds" lookupTable [ 0 0 0, 2 1000 0.1, 4 0 0 ] }
    Lidar { name "lidar" numberOfLayers 1 horizontalResolution 5 fieldOfView 1 maxRange 2 }
    Compass { name "compass" } InertialUnit { name "imu" } GPS { name "gps" } Accelerometer { name "acc" }
    Camera { name "camera" width 16 height 8 }
    RangeFinder { name "depth" width 6 height 4 maxRange 4 }
    TouchSensor { name "bumper" boundingObject Sphere { radius 0.1 } }
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "slide" maxPosition 0.5 minPosition -0.25 maxVelocity 2 maxForce 7 }
               PositionSensor { name "where" } ]
      endPoint Solid { name "end" boundingObject Sphere { radius 0.05 } physics Physics { } }
    }
  ]
}
Robot { name "other" children [ GPS { name "gps" } ] }
"""
NUMBERS = ("ds", "lidar", "compass", "imu", "gps", "acc", "bumper", "where", "other.gps")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "cart.wbt"
    file.write_text(WORLD)
    return file


@contextlib.contextmanager
def checked(env: Any) -> Iterator[Any]:
    """Warnings of Gymnasium are errors, but for its advice about normalized spaces: ours have units."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for advice in (".*symmetric and normalized.*", ".*infinity.*", ".*no limit.*", ".*spec.*"):
            warnings.filterwarnings("ignore", message=advice)
        try:
            yield env
        finally:
            env.close()


def check(env: Any) -> None:
    with checked(env):
        check_env(env, skip_close_check=False)


def test_the_checker_finds_nothing_wrong_with_the_wall_avoider() -> None:
    check(gymnasium.make(WALL_AVOIDER, duration=4.0).unwrapped)


@pytest.mark.parametrize("dicts", [True, False])
def test_the_checker_finds_nothing_wrong_with_any_world(world: Path, dicts: bool) -> None:
    check(OdesimEnv(world, NUMBERS, ["slide"], dict_observations=dicts, dict_actions=dicts, period=0.04))


def test_spaces_are_the_limits_of_the_nodes(world: Path) -> None:
    env = OdesimEnv(world, NUMBERS, ["slide.position"], dict_observations=True, period=0.04)
    space = env.observation_space
    limits = {name: (float(box.low.min()), float(box.high.max()), box.shape) for name, box in space.items()}
    assert limits["ds"] == (0.0, 1000.0, (1,))  # of the lookup table, not its range
    assert limits["lidar"] == (0.0, 2.0, (1, 5))
    assert limits["compass"] == (-1.0, 1.0, (3,))
    assert limits["imu"][:2] == pytest.approx((-np.pi, np.pi)) and limits["imu"][2] == (3,)
    assert limits["bumper"] == (0.0, 1.0, (1,))
    assert limits["gps"] == limits["acc"] == limits["other.gps"] == (-np.inf, np.inf, (3,))
    assert env.action_space == gymnasium.spaces.Box(np.float32(-0.25), np.float32(0.5), (1,), np.float32)
    for name, top in (("slide", 2.0), ("slide.velocity", 2.0), ("slide.effort", 7.0)):
        found = OdesimEnv(world, ["ds"], [name], period=0.04).action_space
        assert found == gymnasium.spaces.Box(np.float32(-top), np.float32(top), (1,), np.float32)
    observation, _ = env.reset(seed=1)
    assert observation["lidar"][0, 2] == 2.0  # the wall is farther than it sees
    assert 0.0 < observation["ds"][0] <= 1000.0


def test_drive_has_the_speeds_that_the_wheels_allow() -> None:
    env = gymnasium.make(WALL_AVOIDER).unwrapped
    driven = OdesimEnv(env.sim.scene.file, ["gps", "ds_front"], ["drive"], period=0.2)
    linear, angular = driven.action_space.high  # 10 rad/s, radius 0.2 m, wheels 0.5 m apart
    assert (linear, angular) == (pytest.approx(2.0), pytest.approx(2.0 * 2.0 / 0.5))
    start, _ = driven.reset(seed=1)
    for _ in range(10):
        end, *_ = driven.step([0.5, 0.0])
    assert np.hypot(*(end - start)[:2]) == pytest.approx(0.5 * 2.0, rel=0.1)  # it speeds up first


def test_pictures_are_red_green_blue(world: Path) -> None:
    """Gymnasium's checker for what is used, which asks for one episode: each begins with a render process."""
    env = OdesimEnv(world, ["camera"], ["slide"], period=0.04)
    assert env.observation_space == gymnasium.spaces.Box(0, 255, (8, 16, 3), np.uint8)
    with checked(PassiveEnvChecker(env)) as checker:
        first, _ = checker.reset(seed=1)
        second, *_ = checker.step(env.action_space.high)
        assert first.any() and second.any()
    both = OdesimEnv(world, ["camera", "depth"], ["slide"], period=0.04, dict_observations=True)
    picture, _ = both.reset(seed=1)
    assert picture["depth"].shape == (4, 6) and picture["depth"][2, 3] == pytest.approx(2.9, rel=1e-3)
    both.close()


def episode(env, seed: int, steps: int = 15) -> list:
    random = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    found = [observation, info["seed"]]
    for _ in range(2):
        for _ in range(steps):
            action = random.uniform(env.action_space.low, env.action_space.high)
            observation, reward, ended, late, _ = env.step(action)
            found += [observation, reward, ended, late]
            if ended or late:
                break
        observation, info = env.reset()
        found += [observation, info["seed"]]
    return found


def same(one: list, other: list) -> bool:
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_seed_makes_all_the_same(world: Path) -> None:
    """Within an environment, in another one after other episodes, and noise included."""
    names, actions = ["ds", "gps"], ["slide"]
    first = OdesimEnv(world, names, actions, period=0.04)
    second = OdesimEnv(world, names, actions, period=0.04)
    episode(second, 3)
    second.sim.supervisor.set("CART", "translation", (0.0, 5.0, 0.0))
    expected = episode(first, 7)
    assert same(expected, episode(second, 7))
    assert same(expected, episode(first, 7))
    assert not same(expected, episode(first, 8))


def test_a_seed_makes_all_the_same_in_another_process() -> None:
    code = (
        "import gymnasium, numpy as np, sim_core.experiments.learning\n"
        f"env = gymnasium.make('{WALL_AVOIDER}')\n"
        "rows = [env.reset(seed=5)[0]] + [env.step(np.array([4.0, 3.0]))[0] for _ in range(20)]\n"
        "print(b''.join(row.tobytes() for row in rows).hex())\n"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert texts[0] == texts[1] and len(texts[0]) > 100


def test_rewards_and_ends_are_functions(world: Path) -> None:
    env = OdesimEnv(
        world,
        ["where"],
        ["slide"],
        reward=lambda env: float(env.observation[0]),
        terminated=lambda env: env.sim.time >= 0.2,
        at_reset=lambda env: env.sim.supervisor.set("CART", "translation", (1.0, 0.0, 0.0)),
        period=0.04,
        duration=0.4,
    )
    env.reset(seed=1)
    assert env.sim.supervisor.get("CART", "translation")[0] == 1.0
    results = [env.step([0.5]) for _ in range(5)]
    assert [ended for _, _, ended, _, _ in results] == [False] * 4 + [True]
    assert results[-1][1] == pytest.approx(0.5 * 0.2, abs=0.01) == float(results[-1][0][0])
    endless = OdesimEnv(world, ["where"], ["slide"], period=0.04, duration=0.4)
    endless.reset(seed=1)
    assert [endless.step([0.0])[3] for _ in range(10)] == [False] * 9 + [True]


def test_pictures_of_the_world_follow_it() -> None:
    env = gymnasium.make(WALL_AVOIDER, render_mode="rgb_array", width=160, height=90)
    env.reset(seed=1)
    before = env.render()
    assert before.shape == (90, 160, 3) and before.dtype == np.uint8 and before.std() > 5.0
    assert np.array_equal(before, env.render())
    for _ in range(5):
        env.step(np.array([5.0, 5.0]))
    assert not np.array_equal(before, env.render())
    env.close()
    env.close()


def test_many_in_processes_of_their_own_are_as_one() -> None:
    many = gymnasium.make_vec(
        "sim_core.experiments.learning:" + WALL_AVOIDER,
        2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
    )
    try:
        first, _ = many.reset(seed=[3, 4])
        rows = [first] + [many.step(np.array([[4.0, 3.0], [3.0, 4.0]], np.float32))[0] for _ in range(5)]
    finally:
        many.close()
    for index, (seed, action) in enumerate(((3, [4.0, 3.0]), (4, [3.0, 4.0]))):
        one = gymnasium.make(WALL_AVOIDER)
        alone = [one.reset(seed=seed)[0]] + [one.step(np.array(action, np.float32))[0] for _ in range(5)]
        assert np.array_equal(np.array([row[index] for row in rows]), np.array(alone))


WRONG = {
    "sensor": ({"observations": ["dss"]}, 'did you mean "ds"'),
    "motor": ({"actions": ["slid"]}, 'did you mean "slide"'),
    "drive": ({"actions": ["drive"]}, "not driven by two wheels"),
    "robot": ({"robot": "carts"}, 'did you mean "cart"'),
    "nothing": ({"observations": []}, "one or more"),
    "twice": ({"observations": ["ds", "ds"]}, "each once"),
    "flat picture": ({"observations": ["ds", "camera"]}, "dict_observations"),
    "period": (
        {"period": 0.005},
        "^period: found 0.005 s, expected a multiple of the basic time",
    ),
    "negative period": ({"period": -1.0}, "period"),
    "duration": ({"duration": -1.0}, "found -1.0"),
    "render mode": ({"render_mode": "human"}, "rgb_array"),
}


@pytest.mark.parametrize("step", [1.0, 5.0, 8.0, 32.0, 64.0, 500.0])
def test_the_period_is_the_multiple_of_the_basic_time_step_nearest_to_a_tenth_of_a_second(
    world: Path, step: float
) -> None:
    world.write_text(WORLD.replace("basicTimeStep 8", f"basicTimeStep {step}"))
    env = OdesimEnv(world, ["ds"], ["slide"])
    env.reset(seed=1)
    *_, info = env.step(env.action_space.sample())
    env.close()
    steps = info["time"] / (step / 1000)
    assert steps == pytest.approx(round(steps)) and steps > 0.99
    assert abs(info["time"] - 0.1) <= step / 2000 + 1e-9 or steps == pytest.approx(1.0)
    many = OdesimVectorEnv(world, 2, ["ds"], ["slide"], workers=0)
    many.reset(seed=1)
    *_, infos = many.step(many.action_space.sample())
    many.close()
    assert list(infos["time"]) == [info["time"]] * 2


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_one_line(world: Path, case: str) -> None:
    arguments, says = WRONG[case]
    with pytest.raises(OdesimError, match=says) as caught:
        OdesimEnv(world, **({"observations": ["ds"], "actions": ["slide"], "period": 0.04} | arguments))
    assert len(str(caught.value).splitlines()) == 1


def test_wrong_actions_are_refused(world: Path) -> None:
    env = OdesimEnv(world, ["ds"], ["slide"], period=0.04)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0.0])
    env.reset(seed=1)
    for action in ([np.nan], [1.0, 2.0], "fast", None):
        with pytest.raises(CommandError):
            env.step(action)
    assert env.sim.time == 0.0


def test_worlds_without_learning_import_no_gymnasium() -> None:
    code = "import sys, sim_core; sim_core.load_world; sys.exit('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_names_are_known_where_odesim_is_installed() -> None:
    """As Gymnasium does it when it is imported: the entry point is called in its namespace."""
    text = (ROOT / "setup.py").read_text()
    assert '"gymnasium.envs": ["odesim = sim_core.experiments.learning:register_environments"]' in text
    code = (
        "import sys\n"
        "from gymnasium.envs.registration import namespace, registry\n"
        "with namespace('odesim'):\n"
        "    import sim_core.experiments.learning\n"
        "    sim_core.experiments.learning.register_environments()\n"
        f"assert '{WALL_AVOIDER}' in registry and 'odesim/World-v0' in registry\n"
        "assert 'sim_core.session.simulation' not in sys.modules  # nothing heavy\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_any_world_by_name(world: Path) -> None:
    env = gymnasium.make("odesim/World-v0", world=world, observations=["ds"], actions=["slide"], period=0.04)
    observation, _ = env.reset(seed=2)
    assert env.observation_space.contains(observation)
