import pytest

from sim_core.base.config import DeviceConfig, RobotConfig, SimulationConfig, check_names
from sim_core.base.errors import ConfigError

CONFIG = SimulationConfig(
    sampling_period=0.1,
    robots={
        "r1": RobotConfig(sampling_period=0.2, devices={"gps": DeviceConfig(sampling_period=1.0)}),
        "r2": RobotConfig(synchronization=True),
    },
)


@pytest.mark.parametrize(
    ("robot", "device", "period"),
    [("r1", "gps", 1.0), ("r1", "ds", 0.2), ("r2", "ds", 0.1), ("r3", "x", 0.1)],
)
def test_the_innermost_setting_holds(robot: str, device: str, period: float) -> None:
    assert CONFIG.device(robot, device).sampling_period == period


def test_a_period_of_zero_is_a_setting_of_its_own() -> None:
    config = SimulationConfig(sampling_period=0.1, robots={"r": RobotConfig(sampling_period=0.0)})
    assert config.robot("r").sampling_period == 0.0


@pytest.mark.parametrize("period", [-1.0, float("nan"), float("inf")])
def test_bad_periods_are_named(period: float) -> None:
    with pytest.raises(ConfigError, match=r"r1\.gps\.sampling_period"):
        SimulationConfig(robots={"r1": RobotConfig(devices={"gps": DeviceConfig(sampling_period=period)})})


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(ConfigError, match=r'robots: found "robto1".*did you mean "robot1"'):
        check_names("robots", ["robto1"], ["robot1", "robot2"])
