"""The PID controller against the formulas of each part, and on a plant of first order."""

import math

import pytest

from ros_bridge.controllers.pid import Pid, PidSettings
from sim_core.base.errors import CommandError

DT = 0.01
WIDE = {"se_min": -1e9, "se_max": 1e9, "y_min": -1e9, "y_max": 1e9}


def test_each_part_by_its_formula() -> None:
    """e = 2 t: kp·e, ki·Σ e dt = ki·t·(t + dt), kd·2 from the second step on."""
    for gains, expected in (
        ({"kp": 3.0}, lambda t: 6.0 * t),
        ({"kp": 0.0, "ki": 5.0}, lambda t: 5.0 * t * (t + DT)),
        ({"kp": 0.0, "kd": 7.0}, lambda t: 14.0),
    ):
        pid = Pid(PidSettings(**gains, **WIDE))
        pid.update(0.0, DT)
        for number in range(1, 100):
            time = number * DT
            assert pid.update(-2.0 * time, DT) == pytest.approx(expected(time))


def test_output_and_integral_stay_in_their_limits() -> None:
    pid = Pid(PidSettings(kp=1.0, ki=1.0, se_min=-0.5, se_max=0.5, y_min=-2.0, y_max=3.0))
    pid.set_point = 100.0
    for _ in range(1000):
        assert pid.update(0.0, DT) == 3.0
    pid.set_point = 0.0
    assert pid.update(0.0, DT) == pytest.approx(0.5)  # what the integral kept, and no more


@pytest.mark.parametrize("ki", [0.0, 2.0])
def test_on_a_plant_of_first_order(ki: float) -> None:
    """ẋ = u − x settles at kp/(1 + kp) of the set point, with an integral at the set point itself."""
    pid, x = Pid(PidSettings(kp=4.0, ki=ki, **WIDE)), 0.0
    pid.set_point = 1.0
    for _ in range(3000):
        x += (pid.update(x, DT) - x) * DT
    assert x == pytest.approx(1.0 if ki else 0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("se_mn", 1.0, r'found "se_mn", expected one of kp, ki, kd.*did you mean "se_min"'),
        ("kp", math.nan, "kp: found nan, expected a number of 0 or more"),
        ("kd", -1.0, "kd: found -1.0, expected a number of 0 or more"),
        ("y_max", math.inf, "y_max: found inf, expected a finite number"),
        ("y_max", -2.0, "y_max: found -2, expected y_min ≤ y_max, which are -1 and 1"),
        ("se_min", 5.0, "se_min: found 5, expected se_min ≤ se_max"),
    ],
)
def test_wrong_settings_are_refused(name: str, value: float, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        PidSettings(kp=1.0).changed(name, value)


def test_a_setting_is_changed_alone() -> None:
    assert PidSettings(kp=1.0, ki=2.0).changed("kp", 3.0) == PidSettings(kp=3.0, ki=2.0)
