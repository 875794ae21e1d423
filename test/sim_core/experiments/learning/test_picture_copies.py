"""Cameras in many copies: a picture of a copy is that of a single simulation in the same state."""

from pathlib import Path

import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("moderngl")

import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from PIL import Image  # noqa: E402

from sim_core.base.config import SimulationConfig  # noqa: E402
from sim_core.experiments.learning import OdesimVectorEnv, PlanarPose, Seen, TaskEnv  # noqa: E402

WORLDS = Path(__file__).parents[4] / "worlds"
FAST2D = SimulationConfig(physics="fast2d")
EYES = """Camera { name "eye" translation 0.05 0 0.15 width 48 height 32 fieldOfView 1.1 %s }
RangeFinder { name "depth" translation 0.05 0 0.15 rotation 0 1 0 0.2 width 40 height 24 maxRange 2 }"""
OTHER = """DEF OTHER Cart { name "other" translation %s 0 color 0.1 0.3 0.9 controller "<none>" }"""


def with_eyes(world: str, other: str, file: Path, settings: str = "") -> Path:
    """A shipped world whose cart has a camera and a range finder, beside another cart."""
    text = (WORLDS / f"{world}.wbt").read_text().replace('"../', f'"{WORLDS.parent}/')
    assert "bodySlot [" in text
    text = (
        text.replace('name "r1"', 'name "robot"').replace("bodySlot [", "bodySlot [" + EYES % settings, 1)
        + OTHER % other
    )
    file.write_text(text)
    return file


def starts(random: np.random.Generator) -> dict[str, PlanarPose]:
    """One cart before the other, anywhere in the middle."""
    x, y, heading, side = random.uniform((-0.2, -0.2, -3, -0.4), (0.2, 0.2, 3, 0.4)).tolist()
    towards, away = heading + side, random.uniform(0.35, 0.6)
    there = PlanarPose(x + away * np.cos(towards).item(), y + away * np.sin(towards).item(), 2.0 * heading)
    return {"robot": PlanarPose(x, y, heading), "other": there}


def make(
    world: Path, count: int, observations: tuple[str, ...] = ("eye", "depth"), **others
) -> OdesimVectorEnv:
    arguments = {"config": FAST2D, "period": 0.2, "at_reset": starts} | others
    return OdesimVectorEnv(world, count, observations, ("drive", "other.drive"), **arguments)


def actions_of(env: OdesimVectorEnv, steps: int = 3) -> np.ndarray:
    """(steps, 6, a) actions, slow."""
    space = env.single_action_space
    shape = (steps, 6, len(space.low))
    return np.random.default_rng(7).uniform(0.3 * space.low, 0.3 * space.high, shape).astype(np.float32)


def play(env: OdesimVectorEnv, actions: np.ndarray) -> list[dict[str, np.ndarray]]:
    """Pictures at the start and after each step; copy k has the seed k."""
    seen = [env.reset(seed=0)[0]]
    return seen + [env.step(each[: env.num_envs])[0] for each in actions]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_eyes("arena", "1.2 0", tmp_path_factory.mktemp("tiles") / "arena.wbt")


def check_agreement(ours: dict[str, np.ndarray], theirs: list[dict[str, np.ndarray]], turned: float) -> None:
    """In 99.9 % of the pixels; `turned`: part of the pixels that may see turned wheels."""
    colours, depths = (np.stack([each[name] for each in theirs]) for name in ("eye", "depth"))
    apart = np.abs(ours["eye"].astype(int) - colours).max(axis=-1)
    assert np.mean(apart > 1) <= 1e-3 + turned and colours.std() > 10.0
    error = np.abs(ours["depth"] - depths) / depths
    assert np.mean(error > 1e-5) <= 1e-3 + turned and depths.min() < 1.0


@pytest.mark.parametrize(
    ("name", "settings"), [("arena", ""), ("arena", "antiAliasing TRUE far 1.5 near 0.05"), ("chairs", "")]
)
def test_pictures_are_those_of_a_simulation(tmp_path: Path, name: str, settings: str) -> None:
    many = make(with_eyes(name, "1.2 0", tmp_path / f"{name}.wbt", settings), 6)
    assert many.why is None
    actions = actions_of(many)
    together = play(many, actions)
    assert all(many.observation_space.contains(seen) for seen in together)
    alone = TaskEnv(many.task)  # a simulation with its own renderer
    assert alone.observation_space == many.single_observation_space
    played = []
    for row in range(6):
        steps = (alone.step(each[row])[0] for each in actions if row in (0, 5))
        played.append([alone.reset(seed=row)[0], *steps])
    check_agreement(together[0], [steps[0] for steps in played], 0.0)
    for step in range(1, len(together)):  # the other cart's wheels have turned, and have edges
        ours = {name: pictures[[0, 5]] for name, pictures in together[step].items()}
        check_agreement(ours, [played[0][step], played[5][step]], 0.005)
    alone.close()
    many.close()


@pytest.mark.parametrize("settings", ["", "antiAliasing TRUE"])
def test_sky_fog_lamps_glass_and_textures_are_those_of_a_simulation(tmp_path: Path, settings: str) -> None:
    fields = []
    for number, side in enumerate(("front", "back", "left", "right", "top", "bottom")):
        pixels = np.random.default_rng(number).integers(0, 256, (8, 8, 3), np.uint8)
        Image.fromarray(pixels.repeat(16, 0).repeat(16, 1)).save(tmp_path / f"{side}.png")
        fields.append(f'{side}Url "{side}.png"')
    more = """PointLight { location 0.5 0.5 0.6 attenuation 1 0 1 color 1 0.6 0.2 }
    SpotLight { location -0.6 0 1 direction 0.4 0.1 -1 cutOffAngle 0.7 intensity 2 color 0.2 0.5 1 }
    Fog { color 0.5 0.6 0.7 visibilityRange 4 }
    Solid { translation 0 1 0.15 children Shape { geometry Box { size 0.3 0.3 0.3 }
      appearance PBRAppearance { baseColorMap ImageTexture { url "top.png" } metalness 0 } } }"""
    for k, (x, y) in enumerate(((0.5, 0), (-0.5, 0.3), (0, -0.6), (0.2, 0.5))):
        more += f"""Solid {{ name "glass {k}" translation {x} {y} 0.2 rotation 0 0 1 {k} children Shape {{
          appearance PBRAppearance {{ baseColor {k / 3} 0.5 1 transparency 0.{4 + k} metalness 0 }}
          geometry Box {{ size 0.02 0.4 0.4 }} }} }}"""
    world = with_eyes("arena", "1.2 0", tmp_path / "all.wbt", settings)
    text = world.read_text().replace("skyColor 0.75 0.85 0.95", " ".join(fields))
    world.write_text(text + more)
    many = make(world, 6)
    assert many.why is None
    alone = TaskEnv(many.task)
    together, _ = many.reset(seed=0)
    check_agreement(together, [alone.reset(seed=row)[0] for row in range(6)], 0.0)
    alone.close()
    many.close()


def test_a_copy_does_not_depend_on_the_others_and_repeats_to_the_bit(arena: Path) -> None:
    many, few = make(arena, 6), make(arena, 2)
    actions = actions_of(many)
    first, again, less = play(many, actions), play(many, actions), play(few, actions)
    for a, b, c in zip(first, again, less, strict=True):
        for name in ("eye", "depth"):
            assert np.array_equal(a[name], b[name]) and np.array_equal(a[name][:2], c[name])


def test_observations_are_a_dictionary_or_one_picture(arena: Path) -> None:
    alone = make(arena, 3, ("eye",))
    assert alone.single_observation_space == spaces.Box(0, 255, (32, 48, 3), np.uint8)
    assert alone.reset(seed=1)[0].shape == (3, 32, 48, 3)
    seen: list[tuple[np.ndarray, ...]] = []

    def reward(state: Seen) -> np.ndarray:
        seen.append(state.pictures)
        return state.pictures[0].mean(axis=(1, 2))

    mixed = make(
        arena, 3, ("ds_front", "depth", "eye"), reward=reward, duration=0.4, autoreset=AutoresetMode.SAME_STEP
    )
    first, _ = mixed.reset(seed=1)
    assert set(first) == {"readings", "depth", "eye"} and first["readings"].shape == (3, 1)
    still = np.zeros((3, 4), np.float32)
    mixed.step(still)
    last, rewards, _, late, infos = mixed.step(still)
    assert late.all() and np.allclose(rewards, infos["final_obs"]["depth"].mean(axis=(1, 2)))
    assert not np.array_equal(last["eye"], infos["final_obs"]["eye"])  # elsewhere, at once
    assert len(seen[-1]) == 2


def test_what_is_not_drawn_together_is_said_and_drawn_by_simulations(tmp_path: Path, arena: Path) -> None:
    carried = tmp_path / "carried.wbt"
    carried.write_text(arena.read_text().replace("bodySlot [", "bodySlot [ PointLight { } ", 1))
    for count, workers in ((1, 0), (2, 2)):
        env = make(carried, count, ("eye",), workers=workers)
        assert env.why == "a robot carries a light"
        assert env.reset(seed=1)[0].std() > 10.0
        env.close()
    assert make(carried, 1, ("depth",)).why is None
    noisy = with_eyes("arena", "1.2 0", tmp_path / "noisy.wbt", "noise 0.1")
    why = make(noisy, 1).why
    assert why is not None and why.startswith("robot.eye does more with a picture")
