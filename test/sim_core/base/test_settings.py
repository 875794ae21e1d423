"""Settings by name, as sweeps and parameter files give them."""

import pytest

from sim_core.base.config import AckermannConfig, DeviceConfig, DriveConfig, FaultConfig
from sim_core.base.errors import ConfigError
from sim_core.base.settings import is_setting, make_config


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
    hand = DeviceConfig(faults=FaultConfig(gaussian=0.5, fields=("x",)))
    assert config.robots["car"].devices == {"arm.hand": hand}
    assert all(map(is_setting, paths))
    assert not is_setting(("robots", "a", "ds", "topic")) and not is_setting(("mode",))


def test_a_drive_without_its_motors_is_refused_where_it_stands() -> None:
    path = ("robots", "a", "diff_drive", "left")
    with pytest.raises(ConfigError, match=r"^f\.yaml:3: found no motors of a side, expected left and right"):
        make_config(0, {path: ["l"]}, {".".join(path): "f.yaml:3"})
    with pytest.raises(ConfigError, match=r"^robots\.a\.diff_drive: found no motors"):
        make_config(0, {path: ["l"]})
