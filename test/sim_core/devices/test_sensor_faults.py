import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import axis_angle_from_rotation, rotation_from_quaternion
from sim_core.devices import DeviceContext, Reading, Sensor
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.faults import DelayedDelivery, install_faults
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot {
  name "r" controller "void"
  children [
    GPS { name "gps" translation 1 2 3 } Gyro { name "gyro" } InertialUnit { name "unit" rotation 0 0 1 0.7 }
    DistanceSensor { name "ds" lookupTable [ 0 0 0, 2 2 0 ] }
  ]
}
Solid { translation 1.5 0 0 boundingObject Box { size 1 1 1 } }
"""
DT = 10_000_000


def simulation(sensor: str = "gps", seed: int = 0, period: float = 0.0, **faults: Any) -> Simulation:
    device = DeviceConfig(sampling_period=period, faults=FaultConfig(**faults))
    config = SimulationConfig(seed=seed, robots={"r": RobotConfig(devices={sensor: device})})
    return Simulation(parse_scene(WORLD, "w.wbt"), config)


def heard(sim: Simulation, sensor: str = "gps") -> list[tuple[int, Any]]:
    """Return a list to which (time of arrival, reading) are appended."""
    got: list[tuple[int, Any]] = []
    sim.robot("r")[sensor].add_listener(lambda reading: got.append((sim.time_ns, reading)))
    return got


def errors(sim: Simulation, count: int) -> np.ndarray:
    got = heard(sim)
    sim.step(count)
    return np.array([reading.value for _, reading in got]) - (1.0, 2.0, 3.0)


def test_gaussian_errors_have_their_mean_and_their_deviation() -> None:
    """5 standard errors: σ/√n for the mean, σ/√(2n) for the deviation; axes and times are independent."""
    found = errors(simulation(gaussian=0.5), 2000)
    n = found.size
    assert abs(found.mean()) < 5.0 * 0.5 / math.sqrt(n)
    assert found.std() == pytest.approx(0.5, abs=5.0 * 0.5 / math.sqrt(2 * n))
    assert abs(np.mean(found[:, 0] * found[:, 1])) < 5.0 * 0.25 / math.sqrt(2000)
    assert abs(np.mean(found[1:] * found[:-1])) < 5.0 * 0.25 / math.sqrt(n)


def test_bias_is_added_as_it_is() -> None:
    assert errors(simulation(bias=-0.25), 3) == pytest.approx(np.full((3, 3), -0.25))


def test_drift_is_a_random_walk_of_the_root_of_time() -> None:
    """Its increments over one step of 10 ms are N(0, drift²·0.01), the value at t is N(0, drift²·t)."""
    found = errors(simulation(drift=2.0), 2000)
    steps = np.diff(found, axis=0)
    assert steps.std() == pytest.approx(0.2, rel=5.0 / math.sqrt(2 * steps.size))
    ends = np.array([errors(simulation(drift=2.0, seed=seed), 4)[-1] for seed in range(60)])
    assert ends.std() == pytest.approx(2.0 * math.sqrt(0.04), rel=5.0 / math.sqrt(2 * ends.size))


def test_dropout_loses_that_part_of_the_readings() -> None:
    """Binomial: n·p within 5·√(n·p·(1 - p)); the reading before stays."""
    sim = simulation(dropout=0.3)
    got = heard(sim)
    sim.step(2000)
    assert len(got) == pytest.approx(1400, abs=5.0 * math.sqrt(2000 * 0.3 * 0.7))
    assert sim.robot("r")["gps"].reading is got[-1][1]
    silent = simulation(dropout=1.0)
    nothing = heard(silent)
    silent.step(50)
    assert nothing == []


@pytest.mark.parametrize(("latency", "steps"), [(0.03, 3), (0.021, 3), (0.001, 1)])
def test_a_late_reading_comes_whole_steps_later_with_its_own_stamp(latency: float, steps: int) -> None:
    sim = simulation(latency=latency)
    got = heard(sim)
    sim.step(6)
    assert [(at, reading.time_ns) for at, reading in got] == [
        ((k + steps) * DT, k * DT) for k in range(1, 7 - steps)
    ]
    sim.reset()
    got.clear()
    assert sim.robot("r")["gps"].reading is None
    sim.step(steps)
    assert got == []


def test_a_stuck_value_is_the_first_one_due_and_stays() -> None:
    sim = simulation(gaussian=1.0, stuck_at=0.05)
    got = heard(sim)
    sim.step(10)
    values = [reading.value for _, reading in got]
    assert len(set(values)) == 5
    assert values[4:] == [values[4]] * 6
    assert [reading.time_ns for _, reading in got] == [k * DT for k in range(1, 11)]


def test_nobody_need_listen_for_the_value_to_get_stuck_at() -> None:
    always, late = simulation(gaussian=1.0, stuck_at=0.05), simulation(gaussian=1.0, stuck_at=0.05)
    late.robot("r")["gps"].demand = lambda: late.time_ns > 0.08 * 1e9
    always.step(10)
    late.step(10)
    assert late.robot("r")["gps"].value == always.robot("r")["gps"].value


def test_the_time_of_getting_stuck_is_exponentially_distributed() -> None:
    """Mean 1/rate within 5 standard errors of 400 devices, each with its own seed."""
    from sim_core.devices.fault_draws import FaultDraws

    times = [FaultDraws(FaultConfig(stuck_rate=0.5), seed, DT).stuck_ns / 1e9 for seed in range(400)]
    assert np.mean(times) == pytest.approx(2.0, rel=5.0 / math.sqrt(400))
    assert np.std(times) == pytest.approx(2.0, rel=0.3)
    assert FaultDraws(FaultConfig(stuck_rate=1e-9, stuck_at=1.5), 1, DT).stuck_ns == 1_500_000_000


ALL = {"gaussian": 0.3, "bias": 0.1, "drift": 0.2, "dropout": 0.2, "latency": 0.02, "stuck_rate": 0.5}


def test_a_reset_repeats_everything_exactly() -> None:
    sim = simulation(**ALL)
    got = heard(sim)
    sim.step(300)
    first = list(got)
    got.clear()
    sim.reset()
    sim.step(300)
    fresh = simulation(**ALL)
    again = heard(fresh)
    fresh.step(300)
    assert got == first == again
    assert simulation(seed=1, **ALL).seed == 1
    other = simulation(seed=1, **ALL)
    different = heard(other)
    other.step(300)
    assert different != first


def test_who_reads_and_how_often_changes_no_value() -> None:
    """Of one sensor read every step and one read every 30 ms with a pause, readings of equal times are
    equal."""
    often, seldom = simulation(**ALL), simulation(period=0.03, **ALL)
    often_got, seldom_got = heard(often), heard(seldom)
    seldom.robot("r")["gps"].demand = lambda: not 1.0 < seldom.time < 1.5
    often.step(200)
    seldom.step(200)
    values = {reading.time_ns: reading.value for _, reading in often_got}
    common = [reading for _, reading in seldom_got if reading.value != seldom_got[-1][1].value]
    assert len(common) > 10
    assert all(values[reading.time_ns] == reading.value for reading in common)


def test_setting_one_fault_does_not_change_the_numbers_of_another() -> None:
    alone, with_losses = simulation(gaussian=1.0), simulation(gaussian=1.0, dropout=0.5, drift=0.0)
    first, second = heard(alone), heard(with_losses)
    alone.step(50)
    with_losses.step(50)
    values = {reading.time_ns: reading.value for _, reading in first}
    assert 0 < len(second) < 50
    assert all(values[reading.time_ns] == reading.value for _, reading in second)


def test_a_rotation_is_turned_by_a_small_rotation() -> None:
    """The angle of the error is that of a vector of three N(0, σ): its mean square is 3σ²."""
    sim = simulation("unit", gaussian=0.02)
    got = heard(sim, "unit")
    sim.step(1000)
    angles = []
    for _, reading in got:
        x, y, z, w = reading.quaternion
        assert x * x + y * y + z * z + w * w == pytest.approx(1.0, abs=1e-12)
        yaw = math.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
        assert reading.value[2] == pytest.approx(yaw, abs=1e-12)
        half = 0.35
        back = (-0.0, -0.0, -math.sin(half), math.cos(half))
        error = multiply_quaternions(back, reading.quaternion)
        angles.append(axis_angle_from_rotation(rotation_from_quaternion(error))[3])
    mean_square = np.mean(np.square(angles))
    assert mean_square == pytest.approx(3 * 0.02**2, rel=5.0 * math.sqrt(2.0 / 3000))


def multiply_quaternions(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, float, float, float]:
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def test_the_measured_fields_get_the_same_error_and_others_none() -> None:
    sim = simulation("ds", gaussian=0.1)
    sim.step()
    reading = sim.robot("r")["ds"].reading
    assert reading.value == reading.distance != 1.0
    assert reading.rays == (pytest.approx(1.0),)
    sim = simulation("ds", bias=0.1, fault_fields=("value",))
    sim.step()
    reading = sim.robot("r")["ds"].reading
    assert (reading.value, reading.distance) == (pytest.approx(1.1), pytest.approx(1.0))


@dataclasses.dataclass(frozen=True, slots=True)
class ScanReading(Reading):
    value: np.ndarray
    label: str


class Scanner(Sensor):
    channels = declare(value=Channel("m", (2, 2), "float32"))

    def sample(self, time_ns: int) -> ScanReading:
        return ScanReading(time_ns, np.array([[1.0, math.inf], [math.nan, 2.0]], np.float32), "a")


class Odd(Sensor):
    channels = declare(value=Channel(dtype="int64", errors=Errors.REFUSED))

    def sample(self, time_ns: int) -> "OddReading":
        return OddReading(time_ns, 1)


@dataclasses.dataclass(frozen=True, slots=True)
class OddReading(Reading):
    value: int


def made(kind: type[Sensor], **faults: Any) -> Any:
    sim = simulation()
    robot = sim.robot("r")
    config = DeviceConfig(faults=FaultConfig(**faults))
    context = DeviceContext(sim.physics, "r", config, 5, sim.media)
    device = kind(robot["gyro"].spec, context)
    install_faults(device, context)
    return device


def test_arrays_keep_shape_type_and_what_is_not_finite() -> None:
    scanner = made(Scanner, gaussian=0.1, drift=0.1)
    scanner.update(DT)
    value = scanner.value
    assert value.dtype == np.float32 and value.shape == (2, 2)
    assert math.isinf(value[0, 1]) and math.isnan(value[1, 0])
    assert 0.0 < abs(value[0, 0] - 1.0) < 1.0
    assert value[0, 0] - 1.0 != pytest.approx(value[1, 1] - 2.0)


def test_what_has_no_numbers_is_refused_at_set_up() -> None:
    with pytest.raises(
        ConfigError, match=r"robots\.r\.gyro: found gaussian, bias or drift for Odd, whose value"
    ):
        made(Odd, bias=1.0)
    assert made(Odd, latency=0.1).is_late
    with pytest.raises(ConfigError, match=r"whose quaternion is float64"):
        simulation("unit", bias=0.1, fault_fields=("quaternion",))
    with pytest.raises(ConfigError, match=r'fault_fields: found "speeed", expected some of value, speed'):
        simulation(bias=0.1, fault_fields=("speeed",))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("gaussian", -0.1, "a number of 0 or more"),
        ("dropout", 1.1, "a number from 0 to 1"),
        ("bias", math.nan, "a number"),
        ("latency", math.inf, "a number of 0 or more"),
        ("stuck_at", -1.0, "a number of 0 or more"),
    ],
)
def test_values_out_of_range_are_refused_by_name(name: str, value: float, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: found .*, expected {expected}"):
        FaultConfig(**{name: value})


def test_sensors_without_faults_are_left_alone() -> None:
    sim = simulation(gaussian=1.0)
    assert sim.robot("r")["gps"].reading_faults is not None
    assert sim.robot("r")["gyro"].reading_faults is None
    assert sim.media.of(DelayedDelivery).faults == [sim.robot("r")["gps"].reading_faults]
    assert not sim.media.acting
