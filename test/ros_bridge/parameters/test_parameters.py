from pathlib import Path

import pytest

from ros_bridge.parameters.bridge_params import GLOBAL, BridgeParams
from ros_bridge.parameters.options import RunOptions
from ros_bridge.parameters.parameter_file import Value, read_parameter_file
from ros_bridge.parameters.parameters import build_parameters, option_values, world_parameter_file
from sim_core.base.config import FaultConfig
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import shipped_worlds
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

DEVICES = {"robot1": ["ds_front", "left.eye", "motor"], "robot2": []}


def value(name: str, content: object) -> Value:
    return Value(tuple(name.split(".")), content, f"f.yaml:3:{name}")


def test_defaults() -> None:
    parameters = build_parameters([], DEVICES)
    assert parameters.bridge == BridgeParams()
    assert parameters.simulation.seed is None
    assert parameters.values["mode"] == "realtime"


def test_the_shipped_file_holds_every_parameter_with_its_default() -> None:
    file = Path(__file__).resolve().parents[3] / "config" / "odesim.yaml"
    values = read_parameter_file(file)
    parameters = build_parameters(values, DEVICES)
    assert parameters.bridge == BridgeParams()
    text = file.read_text(encoding="utf-8")
    assert [name for name in GLOBAL if f"{name}:" not in text] == []


def test_a_later_value_wins() -> None:
    both = [value("speed", 2.0), Value(("speed",), 3.0, "--speed")]
    assert build_parameters(both, DEVICES).bridge.speed == 3.0


def test_robots_and_devices() -> None:
    parameters = build_parameters(
        [
            value("sampling_period", 0.1),
            value("robots.robot1.synchronization", "never"),
            value("robots.robot1.controllers", 2),
            value("robots.robot1.ds_front.qos", "best_effort"),
            value("robots.robot1.ds_front.qos_depth", 1),
            value("robots.robot1.left.eye.always_on", True),
            value("robots.robot1.left.eye.sampling_period", 1),
            value("robots.robot1.diff_drive.left", ["motor"]),
            value("robots.robot1.diff_drive.right", ["motor"]),
        ],
        DEVICES,
    )
    assert parameters.simulation.robot("robot1").synchronization is False
    assert parameters.simulation.device("robot1", "ds_front").sampling_period == 0.1
    assert parameters.simulation.device("robot1", "left.eye").sampling_period == 1.0
    drive = parameters.simulation.robot("robot1").drive
    assert drive is not None
    assert drive.left == ("motor",)
    assert parameters.bridge.robot("robot1").controllers == 2
    assert parameters.bridge.robot("robot2").controllers == 1
    front = parameters.bridge.device("robot1", "ds_front")
    assert (front.quality.reliable, front.quality.depth, front.always_on) == (False, 1, False)
    assert parameters.bridge.device("robot1", "left.eye").always_on


def test_faults_of_a_device() -> None:
    parameters = build_parameters(
        [
            value("robots.robot1.ds_front.gaussian", 1),
            value("robots.robot1.ds_front.bias", -2.0),
            value("robots.robot1.ds_front.drift", 0.5),
            value("robots.robot1.ds_front.dropout", 0.25),
            value("robots.robot1.ds_front.latency", 0.1),
            value("robots.robot1.ds_front.stuck_at", 3.0),
            value("robots.robot1.ds_front.stuck_rate", 0.01),
            value("robots.robot1.ds_front.fault_fields", ["distance"]),
            value("robots.robot1.motor.noise_seed", 3),
        ],
        DEVICES,
    )
    faults = parameters.simulation.device("robot1", "ds_front").faults
    assert faults == FaultConfig(1.0, -2.0, 0.5, 0.25, 0.1, 3.0, 0.01, ("distance",))
    assert not parameters.simulation.device("robot1", "motor").faults.is_active


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("sped", 1.0, 'found no parameter "sped"'),
        ("sped", 1.0, 'did you mean "speed"?'),
        ("speed", 0.0, "found 0.0, expected a number above 0"),
        ("speed", "fast", 'found "fast", expected a number above 0'),
        ("speed", float("nan"), "expected a number above 0"),
        ("speed", True, "found true"),
        ("mode", "pause", 'did you mean "paused"?'),
        ("shot_file", "a.foo", 'found "a.foo", expected a file that ends in .png or .jpg or .jpeg'),
        ("picture_size", "64", 'found "64", expected WIDTHxHEIGHT'),
        ("picture_size", "0x64", 'found "0x64", expected WIDTHxHEIGHT'),
        ("clock_period", -1.0, "expected a number from 0 to 1e+09"),
        ("robots.robot3.controllers", 1, 'did you mean "robot'),
        ("robots.robot1.controlers", 1, 'did you mean "controllers"?'),
        ("robots.robot1.ds_frnt.topic", "x", 'did you mean "ds_front"?'),
        ("robots.robot1.ds_front.topics", "x", 'did you mean "topic"?'),
        ("robots.robot1.diff_drive.left", "motor", "expected names"),
        ("robots.robot1.diff_drive.wheel_radius", 0.1, "found no motors of a side"),
        ("robots.robot1", 1, "found no parameter"),
        ("robots.robot1.ds_front.gausian", 0.1, 'did you mean "gaussian"?'),
        ("robots.robot1.ds_front.gaussian", -0.1, "expected a number of 0 or more"),
        ("robots.robot1.ds_front.dropout", 1.5, "found 1.5, expected a number from 0 to 1"),
        ("robots.robot1.ds_front.bias", float("inf"), "expected a number"),
        ("robots.robot1.ds_front.fault_fields", "value", "expected names"),
    ],
)
def test_errors_name_the_place_and_what_would_do(name: str, content: object, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_parameters([value(name, content)], DEVICES)
    assert str(caught.value).startswith("f.yaml:3:")
    assert says in str(caught.value)


def test_options_of_the_command_line() -> None:
    options = RunOptions("w.wbt", mode="fast", seed=0)
    assert [(item.path, item.value, item.where) for item in option_values(options)] == [
        (("mode",), "fast", "--mode"),
        (("seed",), 0, "--seed"),
    ]


def test_the_file_of_a_world_is_found_beside_its_folder(tmp_path: Path) -> None:
    world = tmp_path / "worlds" / "w.wbt"
    assert world_parameter_file(world) is None
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "w.yaml").write_text("")
    assert world_parameter_file(world) == tmp_path / "config" / "w.yaml"


def test_a_folder_of_worlds_has_a_file_for_those_without_one(tmp_path: Path) -> None:
    config = tmp_path / "config"
    (config / "devices").mkdir(parents=True)
    (config / "devices" / "own.yaml").write_text("")
    assert world_parameter_file(tmp_path / "worlds" / "devices" / "other.wbt") is None
    (config / "devices.yaml").write_text("")
    assert world_parameter_file(tmp_path / "worlds" / "devices" / "other.wbt") == config / "devices.yaml"
    own = world_parameter_file(tmp_path / "worlds" / "devices" / "own.wbt")
    assert own == config / "devices" / "own.yaml"


@pytest.mark.parametrize("world", shipped_worlds().values(), ids=lambda world: world.stem)
def test_shipped_worlds_that_ode_moves_ask_for_stiff_contacts(world: Path) -> None:
    file = world_parameter_file(world)
    assert file is not None
    values = {value.path[0]: value.value for value in read_parameter_file(file)}
    assert values.get("contacts") == "stiff" or values.get("physics") == "fast2d"


def test_the_choice_of_contacts_reaches_the_simulation_and_is_checked() -> None:
    assert build_parameters([], DEVICES).simulation.contacts == "webots"
    assert build_parameters([value("contacts", "stiff")], DEVICES).simulation.contacts == "stiff"
    with pytest.raises(ConfigError, match=r"f.yaml:3:.*soft.*webots.*stiff"):
        build_parameters([value("contacts", "soft")], DEVICES)


def test_the_option_mode_fast2d_is_short_for_the_parameter_physics() -> None:
    values = option_values(RunOptions("w.wbt", mode="fast2d", speed=2.0))
    parameters = build_parameters([value("mode", "fast"), *values], DEVICES)
    assert parameters.simulation.physics == "fast2d"
    assert (parameters.bridge.mode, parameters.bridge.speed) == ("fast", 2.0)
    assert build_parameters([], DEVICES).simulation.physics is None
    with pytest.raises(ConfigError, match='found "2d", expected ode or fast2d'):
        build_parameters([value("physics", "2d")], DEVICES)


def test_threads_are_of_fast2d_alone() -> None:
    scene = parse_scene("#VRML_SIM R2025a utf8\nWorldInfo {}", "w.wbt")
    flat, space = (
        build_parameters([value("threads", 3), value("physics", physics)], {}).simulation
        for physics in ("fast2d", "ode")
    )
    assert flat.threads == Simulation(scene, flat).config.threads == 3
    with pytest.raises(ConfigError, match=r"^f.yaml:3:threads: found 3 threads and physics ode, expected"):
        Simulation(scene, space)
    assert build_parameters([], DEVICES).simulation.threads is None
    with pytest.raises(ConfigError, match="found 0, expected a whole number of 1 or more"):
        build_parameters([value("threads", 0)], DEVICES)


@pytest.mark.parametrize("name", ["sampling_period", "robots.r.sampling_period"])
def test_a_period_that_is_no_multiple_of_the_step_names_what_was_set(name: str) -> None:
    """It applies also to a robot without sensors, which lock-step waits for with that period."""
    for sensor in ('GPS { name "gps" }', 'LED { name "gps" }'):
        text = (
            f'#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 }} Robot {{ name "r" children {sensor} }}'
        )
        config = build_parameters([value(name, 0.033)], {"r": ["gps"]}).simulation
        with pytest.raises(ConfigError) as raised:
            Simulation(parse_scene(text), config)
        expected = "found 0.033 s, expected a multiple of the basic time step 0.008 s"
        assert str(raised.value) == f"f.yaml:3:{name}: {expected}"
