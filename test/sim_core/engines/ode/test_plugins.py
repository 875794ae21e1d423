"""Physics plug-ins: forces by formula, the order of calls, and the messages of failing plug-ins."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_core import PhysicsError, SceneError, load_world
from sim_core.engines.ode import PhysicsWorld
from sim_core.model.world_model import WorldModel
from sim_core.scene import load_scene

STEP = 0.008
BODY = """DEF BODY Solid {{ name "body" translation 0 0 5 boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass {mass} }} }}"""

Make = Callable[..., PhysicsWorld]


@pytest.fixture
def world_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a project with a plug-in, or without one for None, and return the world file."""

    def make(code: str | None, mass: float = 2.0, gravity: float = 0.0, more: str = "") -> Path:
        if code is not None:
            plugin = tmp_path / "plugins" / "physics" / "push" / "push.py"
            plugin.parent.mkdir(parents=True, exist_ok=True)
            plugin.write_text(code)
        file = tmp_path / "worlds" / "w.wbt"
        file.parent.mkdir(exist_ok=True)
        info = f'WorldInfo {{ basicTimeStep {STEP * 1000} gravity {gravity} physics "push" }}'
        file.write_text(f"#VRML_SIM R2025a utf8\n{info}\n{BODY.format(mass=mass)}\n{more}")
        return file

    return make


@pytest.fixture
def make(world_file: Callable[..., Path]) -> Make:
    def made(code: str | None, **named: float) -> PhysicsWorld:
        scene = load_scene(world_file(code, **named))
        return PhysicsWorld(WorldModel(scene), permission=scene.permission())

    return made


def velocity(world: PhysicsWorld) -> tuple[float, float, float]:
    return world.frame(world.model.named_solid("BODY").id).linear_velocity()


def steps(world: PhysicsWorld, count: int) -> None:
    for _ in range(count):
        world.step()


def test_a_constant_force_gives_f_by_m_times_t(make: Make) -> None:
    world = make('def step(api):\n    api.solid("BODY").add_force((3.0, 0.0, -1.0))\n', mass=2.0)
    steps(world, 250)
    assert velocity(world) == pytest.approx((3.0 / 2.0 * 2.0, 0.0, -0.5 * 2.0), abs=1e-12)


@pytest.mark.parametrize("wind", [0.0, 4.0])
def test_drag_leads_to_the_terminal_velocity(make: Make, wind: float) -> None:
    mass, g, c = 2.0, 9.81, 0.7
    code = f"""def init(api):
    global body
    body = api.solid("BODY")

def step(api):
    u = [w - v for w, v in zip(({wind}, 0.0, 0.0), body.linear_velocity)]
    size = sum(x * x for x in u) ** 0.5
    body.add_force([{c} * size * x for x in u])
"""
    world = make(code, mass=mass, gravity=g)
    steps(world, 2500)
    # at the end the body moves with the wind, and falls so fast that c·v² = m·g
    assert velocity(world) == pytest.approx((wind, 0.0, -math.sqrt(mass * g / c)), abs=1e-3)


def test_a_force_beside_the_centre_of_mass_rotates_the_body(make: Make) -> None:
    code = """def step(api):
    body = api.solid("body")
    body.add_force((0.0, 2.0, 0.0), at=(0.5, 0.0, 0.0), relative=True)
    body.add_force((0.0, -2.0, 0.0), at=body.position)
"""
    mass = 2.0
    world = make(code, mass=mass)
    world.step()
    node = world.model.named_solid("BODY")
    inertia = 0.4 * mass * 0.1**2
    assert world.frame(node.id).angular_velocity() == pytest.approx((0, 0, 2.0 * 0.5 / inertia * STEP))
    assert velocity(world) == pytest.approx((0, 0, 0), abs=1e-12)


def test_torques_rotate_the_body(make: Make) -> None:
    world = make('def step(api):\n    api.solid("BODY").add_torque((0.0, 0.004, 0.0), relative=True)\n')
    steps(world, 10)
    inertia = 0.4 * 2.0 * 0.1**2
    expected = (0.0, 0.004 / inertia * 10 * STEP, 0.0)
    assert world.frame(world.model.named_solid("BODY").id).angular_velocity() == pytest.approx(expected)


def test_what_a_plugin_can_read(make: Make) -> None:
    code = """def step(api):
    body = api.solid("BODY")
    inner = api.solid("top/inner")
    assert inner.path and not inner.is_dynamic and inner.mass == 0.0
    assert inner.position == (1.0, 2.0, 3.5) == inner.centre_of_mass
    assert api.solid("inner").name == "inner"
    assert (body.mass, body.position, body.centre_of_mass) == (2.0, (0.0, 0.0, 5.0), (0.0, 0.0, 5.0))
    assert body.quaternion == (0.0, 0.0, 0.0, 1.0)
    assert body.velocity_at((1.0, 0.0, 5.0)) == body.angular_velocity == (0.0, 0.0, 0.0)
    assert api.name == "push" and api.step == 0.008 and api.gravity == (0.0, 0.0, 0.0)
    assert api.time_ns == round(api.time * 1e9)
"""
    more = """Solid { name "top" translation 1 2 3 children Pose { children Solid { name "inner"
      translation 0 0 0.5 } } }"""
    steps(make(code, more=more), 3)


CALLS = """calls = []
def init(api):
    calls.append("init")
    open(__file__ + ".log", "a").write("init ")
def step(api):
    calls.append("step")
    open(__file__ + ".log", "a").write(f"{len(calls)} ")
def end(api):
    open(__file__ + ".log", "a").write("end ")
"""


def test_init_step_and_end_are_called_in_this_order_and_again_after_a_reset(world_file) -> None:
    sim = load_world(world_file(CALLS))
    log = Path(world_file(None).parent.parent / "plugins/physics/push/push.py.log")
    assert not log.exists()
    sim.step(2)
    sim.reset()
    assert log.read_text() == "init 2 3 end "
    sim.step()
    sim.close()
    sim.close()
    assert log.read_text() == "init 2 3 end init 2 end "


def test_a_run_after_a_reset_is_the_same_to_the_last_bit(make: Make) -> None:
    code = """count = 0
def step(api):
    global count
    count += 1
    api.solid("BODY").add_force((0.1 * count, 0.3, 1.0 / count), at=(0.01, 0.02, 5.0))
"""
    world = make(code)
    steps(world, 20)
    first = world.get_state().bodies.tobytes()
    world.reset()
    steps(world, 20)
    assert world.get_state().bodies.tobytes() == first


@pytest.mark.parametrize(
    "more",
    ["", "def get_state():\n    return history[-1]\n\ndef set_state(state):\n    history[:] = [0, state]\n"],
    ids=["plain variables", "its own state"],
)
def test_a_snapshot_contains_the_state_of_a_plugin(world_file, more: str) -> None:
    """A force that grows with each step, and a random one: from the snapshot on they are the same again."""
    code = f"""import random
history, chance = [0], random.Random(1)

def step(api):
    history.append(history[-1] + 1)
    api.solid("BODY").add_force((float(history[-1]), {"0.0" if more else "chance.random()"}, 0.0))

{more}"""
    sim = load_world(world_file(code))
    sim.step(5)
    snapshot = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.step(5)
        ends.append(sim.physics.frame(sim.scene.find_def("BODY").id).linear_velocity())
        sim.restore(snapshot)
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("code", "line", "text"),
    [
        ("def step(api):\n    1 / 0\n", 2, "step: ZeroDivisionError: division by zero"),
        ("def step(api):\n    raise SystemExit(0)\n", 2, "step: SystemExit: 0"),
        ("def init(api):\n    def f():\n        api.nothing\n    f()\n", 3, "init: AttributeError: "),
        (
            'def step(api):\n    api.solid("BODY").add_force((float("nan"), 0, 0))\n',
            2,
            "step: force: found nan",
        ),
        (
            'def step(api):\n    api.solid("BODY").add_torque((1, 2))\n',
            2,
            "torque: found (1, 2), expected three",
        ),
        ('def step(api):\n    api.solid("BODI")\n', 2, 'step: no solid "BODI" (did you mean "BODY"?)'),
        ('def step(api):\n    api.solid("twin")\n', 2, '2 solids are named "twin"'),
        (
            'def step(api):\n    api.solid("wall").add_force((1, 0, 0))\n',
            2,
            "has no Physics: no force moves it",
        ),
    ],
)
def test_an_error_in_a_plugin_is_one_line_with_its_place(make: Make, code: str, line: int, text: str) -> None:
    more = 'Solid { name "wall" children [ Solid { name "twin" } Solid { name "twin" } ] }'
    world = make(code, more=more)
    with pytest.raises(PhysicsError) as caught:
        world.step()
    message = str(caught.value)
    assert f'push.py:{line}: physics plug-in "push": ' in message
    assert text in message and "\n" not in message


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("def step(api:\n", 'push.py:1: physics plug-in "push": SyntaxError: '),
        ("x = 1\ny = z\n", "push.py:2: physics plug-in \"push\": NameError: name 'z' is not defined"),
        ("x = 1\n", "has none of the functions init(api), step(api), end(api), expected at least one"),
        ("step = 3\n", "step is no function, expected step(api)"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_refused(make: Make, code: str, text: str) -> None:
    with pytest.raises(PhysicsError) as caught:
        make(code)
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_plugin_is_refused_with_the_searched_places(world_file, tmp_path: Path) -> None:
    file = world_file(None)
    with pytest.raises(PhysicsError) as caught:
        load_world(file)
    expected = tmp_path / "plugins" / "physics" / "push" / "push.py"
    assert str(caught.value).startswith(f'{file}:2:1: no physics plug-in "push", looked for {expected}')
    expected.parent.mkdir(parents=True)
    expected.with_suffix(".c").write_text("void webots_physics_init() {}")
    with pytest.raises(PhysicsError, match=r"push\.c: plug-ins in C are not run, write it in Python"):
        load_world(file)


def test_loading_a_world_starts_its_plugin_once_and_then_ends_the_previous_one(
    world_file, tmp_path: Path
) -> None:
    """A world that cannot be simulated has no effect, and its plug-in is not run."""
    log = tmp_path / "log"
    says = f"open({str(log)!r}, 'a').write"
    code = f"{says}('loaded ')\ndef init(api): {says}('init ')\ndef end(api): {says}('end ')\n"
    file = world_file(code)
    sim = load_world(file)
    sim.step()
    sim.load(load_scene(file))
    assert (log.read_text(), sim.time_ns) == ("loaded init loaded end ", 0)
    sim.step(2)
    broken = load_scene(world_file(code, more="Robot { translation 0 0 1e20 }"))
    with pytest.raises(SceneError):
        sim.load(broken)
    assert sim.scene.file == str(file) and sim.time_ns == 2 * sim.step_ns
    sim.step()
    assert log.read_text().split()[4:] == ["init"]


def test_a_plugin_is_found_beside_the_folder_worlds_from_a_folder_in_it(world_file, tmp_path: Path) -> None:
    file = world_file("def step(api):\n    pass\n")
    inner = tmp_path / "worlds" / "devices" / "w.wbt"
    inner.parent.mkdir()
    inner.write_text(file.read_text())
    load_world(inner).step()


@pytest.mark.parametrize("name", ["../push", "a b", "push.py"])
def test_a_plugin_name_must_not_contain_a_path(world_file, name: str) -> None:
    file = world_file("def step(api):\n    pass\n")
    file.write_text(file.read_text().replace('"push"', f'"{name}"'))
    with pytest.raises(PhysicsError, match="expected the name of a plug-in: letters, digits, - and _"):
        load_world(file)
