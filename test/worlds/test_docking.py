"""The cart works, docks and charges for some cycles, driven in this process by the controller's own law."""

import math

import pytest

from ros_bridge.controllers.docking import (
    DOCK_X,
    ENTRY,
    FULL,
    LOW,
    MARKS,
    NEAR_MARK,
    DockingLaw,
    DockingPhase,
)
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds

PERIOD, DURATION = 0.032, 200.0
CHARGING, COMPUTER = 8.0, 1.0
"""W, as the world says."""


def test_its_battery_never_runs_dry_and_energy_is_conserved() -> None:
    """DockingPhase changes only as the levels say; what the robot takes the charger gives."""
    sim = load_world(shipped_worlds()["docking"], SimulationConfig(sampling_period=PERIOD))
    robot, charger, law = sim.robot("robot"), sim.chargers[0], DockingLaw()
    battery = robot.battery
    assert battery is not None
    visited: list[int] = []
    changes: list[tuple[DockingPhase, float, float]] = []
    spent = given = taken = 0.0
    step = sim.step_ns / 1e9
    for _ in range(round(DURATION / PERIOD)):
        for _ in range(round(PERIOD / step)):
            had, level = charger.energy, battery.energy
            sim.step()
            taken += battery.received
            given += max(0.0, had - charger.energy)
            spent += level + battery.received - battery.energy
        x, y, _ = robot["gps"].value
        before, mark = law.state, law.mark
        left, right = law((x, y, robot["inertial_unit"].value[2]), battery.level)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        if law.mark != mark:
            assert math.dist((x, y), MARKS[mark]) < NEAR_MARK
            visited.append(mark)
        if law.state is not before:
            changes.append((law.state, x, battery.level))
        assert battery.level > 0.1
        assert robot.is_on
    order = [
        DockingPhase.APPROACH,
        DockingPhase.ENTER,
        DockingPhase.CHARGE,
        DockingPhase.LEAVE,
        DockingPhase.WORK,
    ]
    assert [doing for doing, _, _ in changes] == [order[k % 5] for k in range(len(changes))]
    assert len(changes) >= 3 * len(order), "three whole cycles"
    assert visited == [k % len(MARKS) for k in range(len(visited))]
    for doing, x, level in changes:
        if doing is DockingPhase.APPROACH:
            assert level == pytest.approx(LOW, abs=0.01)
        elif doing is DockingPhase.CHARGE:
            assert x == pytest.approx(DOCK_X, abs=0.02)
        elif doing is DockingPhase.LEAVE:
            assert level == pytest.approx(FULL, abs=CHARGING * PERIOD / battery.capacity + 0.01)
        elif doing is DockingPhase.WORK:
            assert x == pytest.approx(ENTRY[0], abs=0.02)
    assert taken == pytest.approx(given, rel=1e-9)
    assert battery.energy == pytest.approx(40.0 + taken - spent, abs=1e-6)
    assert spent > COMPUTER * sim.time  # and the motors
