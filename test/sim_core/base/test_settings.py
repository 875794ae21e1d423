"""Settings by name, as sweeps and parameter files give them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sim_core.base.config import (
    AckermannConfig,
    DeviceConfig,
    DriveConfig,
    FaultConfig,
    is_setting,
    make_config,
)
from sim_core.base.errors import ConfigError
from sim_core.base.settings import check_settings, rules_of, setting


def test_each_name_finds_its_place() -> None:
    values = {
        "physics": "fast2d",
        "synchronization": "never",
        "robots.a.sampling_period": 0.1,
        "robots.a.diff_drive.left": ["l"],
        "robots.a.diff_drive.right": ["r"],
        "robots.car.ackermann.left": ["l"],
        "robots.car.ackermann.right": ["r"],
        "robots.car.ackermann.steering": ["sl", "sr"],
        "robots.car.arm.hand.gaussian": 0.5,
        "robots.car.arm.hand.fault_fields": ["x"],
    }
    paths = {tuple(name.split(".")): value for name, value in values.items()}
    config = make_config(7, paths)
    assert (config.seed, config.physics, config.synchronization) == (7, "fast2d", False)
    assert config.robots["a"].sampling_period == 0.1
    assert config.robots["a"].drive == DriveConfig(("l",), ("r",))
    assert config.robots["car"].drive == AckermannConfig(("l",), ("r",), steering=("sl", "sr"))
    hand = DeviceConfig(faults=FaultConfig(gaussian=0.5, fault_fields=("x",)))
    assert config.robots["car"].devices == {"arm.hand": hand}
    assert all(map(is_setting, paths))
    assert not is_setting(("robots", "a", "ds", "topic")) and not is_setting(("mode",))


def test_a_drive_without_motors_is_refused_with_its_place() -> None:
    path = ("robots", "a", "diff_drive", "left")
    with pytest.raises(ConfigError, match=r"^f\.yaml:3: found no motors of a side, expected left and right"):
        make_config(0, {path: ["l"]}, {".".join(path): "f.yaml:3"})
    with pytest.raises(ConfigError, match=r"^robots\.a\.diff_drive: found no motors"):
        make_config(0, {path: ["l"]})


@dataclass(frozen=True)
class Lamp:
    """Two settings, and a field that is not a setting."""

    colour: str | None = setting(None, "of its light", choices=("red", "green"))
    power: float = setting(2.0, "of its light", "W", 0.0, above=True)
    names: tuple[str, ...] = ()


def test_a_rule_follows_from_the_field() -> None:
    """Type and default are those of the field, the rest is in its metadata."""
    colour, power = rules_of(Lamp).values()
    assert (power.type, power.default, power.description) == (float, 2.0, "W of its light")
    assert (colour.type, colour.default, colour.choices) == (str, None, ("red", "green"))
    check_settings(Lamp())  # None values are not checked
    with pytest.raises(ConfigError, match=r"^lamp\.power: found 0\.0, expected a number above 0$"):
        check_settings(Lamp(power=0.0), "lamp.")


def test_numpy_numbers_are_accepted_and_booleans_are_not() -> None:
    power = rules_of(Lamp)["power"]
    assert type(power.check(np.int64(3), "p")) is float and power.check(np.float32(0.5), "p") == 0.5
    for wrong in (True, np.bool_(True), "3", [3.0]):
        with pytest.raises(ConfigError, match="expected a number above 0"):
            power.check(wrong, "p")


def test_values_of_a_sweep_are_checked_by_the_same_rule() -> None:
    for path, value, says in [
        (("physics",), "odd", r'^physics: found "odd", expected ode or fast2d'),
        (
            ("robots", "a", "eye", "dropout"),
            2,
            r"^robots\.a\.eye\.dropout: found 2\.0, expected .* from 0 to 1$",
        ),
        (
            ("synchronization",),
            ["never"],
            r"^synchronization: found \['never'\], expected world, always or never",
        ),
    ]:
        with pytest.raises(ConfigError, match=says):
            make_config(0, {path: value})
