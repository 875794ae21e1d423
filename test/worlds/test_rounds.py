"""Robots that go their rounds reach their places, in the order given, and touch nothing but the floor."""

import math
from pathlib import Path
from typing import Any

import pytest
from shipped_controllers import controller, touches_a_wall

from ros_bridge.controllers.swarm import decide
from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import shipped_worlds

PERIOD = 0.032
PATROL: Any = controller("patrol")
RACER: Any = controller("racer")


def go_round(world: Path, robot_name: str, places_wanted: int, limit: float) -> tuple[Any, float]:
    """Drive a world's robot by the controller's law until so many places are reached.

    Returns:
        The round; by how much odometry was wrong at most, in m.
    """
    sim = load_world(world, SimulationConfig(contacts="stiff", sampling_period=PERIOD))
    sim.physics.record_contacts = True
    robot = sim.robot(robot_name)
    places = [(float(x), float(y)) for x, y in (each.split() for each in robot.node["controllerArgs"])]
    motors = robot.motors()
    left_name = next(name for name in PATROL.WHEELS if name in motors)
    radius, half_axle = PATROL.WHEELS[left_name]
    left, right = motors[left_name], motors[left_name.replace("left", "right")]
    way, odometry, drift = PATROL.Round(places), PATROL.Odometry(places[0], radius), 0.0
    fastest = min(0.6, 0.6 * radius * left.max_velocity)
    assert math.dist(robot.frame.pose().position[:2], places[0]) < 0.01
    try:
        while way.visited < places_wanted and sim.time < limit:
            (x, y, _), rotation = robot.frame.pose()
            heading = math.atan2(rotation[3], rotation[0])
            forward, turn = way.go((x, y), heading, fastest)
            left.set_velocity((forward - half_axle * turn) / radius)
            right.set_velocity((forward + half_axle * turn) / radius)
            place = odometry.moved(left.position, right.position, heading)
            drift = max(drift, math.dist(place, (x, y)))
            sim.run(PERIOD)
            assert not touches_a_wall(sim), (sim.time, (x, y))
    finally:
        sim.close()
    return way, drift


@pytest.mark.parametrize(
    ("world", "robot", "places", "drift"),
    [
        ("office", "turtlebot3", 1, 0.01),
        ("warehouse", "pioneer", 2, 0.05),
        ("rough_ground", "pioneer", 1, math.inf),
    ],
)
def test_a_robot_goes_its_round_and_touches_nothing(
    world: str, robot: str, places: int, drift: float
) -> None:
    way, wrong = go_round(shipped_worlds()[world], robot, places, 90.0)
    assert way.visited == places
    assert wrong < drift


def test_a_lidar_tells_what_is_ahead_and_not_what_is_beside() -> None:
    ranges = [1.0] * 360
    ranges[100], ranges[180 + 19] = 0.05, 0.3
    assert PATROL.nearest_ahead(ranges, math.tau) == 0.3


def test_the_car_goes_a_lap_on_the_road() -> None:
    """The line closes; in bends the car is no faster than v² = a·R."""
    sim = load_world(shipped_worlds()["race_track"], SimulationConfig(contacts="stiff", sampling_period=0.02))
    robot: Any = sim.robot("car")
    start, *pieces = (
        (float(x), float(y)) for x, y in (each.split() for each in robot.node["controllerArgs"])
    )
    line = RACER.Line(start, pieces)
    assert math.dist(line.points[0], line.points[-1]) < 2.0 * RACER.SPACING
    assert sum(turn for _, turn in pieces) == pytest.approx(math.tau)
    tightest = min(length / abs(turn) for length, turn in pieces if turn)
    assert min(line.speeds) == pytest.approx(math.sqrt(RACER.SIDEWAYS * tightest), rel=0.01)
    motors, speed, number, gone = robot.motors(), 0.0, 0, 0
    try:
        while gone < len(line.points) and sim.time < 60.0:
            (x, y, _), rotation = robot.frame.pose()
            heading = math.atan2(rotation[3], rotation[0])
            rear = (x - RACER.REAR * math.cos(heading), y - RACER.REAR * math.sin(heading))
            before, number = number, line.nearest(rear)
            gone += (number - before) % len(line.points)
            assert math.dist(rear, line.points[number]) < 1.0
            speed += max(-RACER.BRAKING * 0.02, min(0.04, line.speeds[number] - speed))
            bend = RACER.curvature(rear, heading, line.ahead(number, 3.0 + 0.4 * speed))
            for name, angle in zip(("left", "right"), RACER.steering(bend), strict=True):
                motors[f"{name} steering"].set_position(max(-0.6, min(0.6, angle)))
            for name, side in (("left", 1.0), ("right", -1.0)):
                wheel_speed = speed * (1.0 - side * 0.5 * RACER.TRACK * bend) / RACER.RADIUS
                motors[f"rear {name} wheel"].set_velocity(wheel_speed)
            sim.run(0.02)
    finally:
        sim.close()
    assert gone >= len(line.points)


def test_the_cleaner_gets_about_the_flat() -> None:
    sim = load_world(shipped_worlds()["apartment"], SimulationConfig(contacts="stiff", sampling_period=0.096))
    robot: Any = sim.robot("cleaner")
    cells = set()
    try:
        while sim.time < 60.0:
            left, right = decide(robot["ds_left"].value, robot["ds_right"].value) if sim.time else (0.0, 0.0)
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
            sim.run(0.096)
            x, y, z = robot.frame.pose().position
            assert abs(x) < 4.5 and abs(y) < 3.5 and abs(z) < 0.01
            cells.add((math.floor(x / 0.5), math.floor(y / 0.5)))
    finally:
        sim.close()
    assert len(cells) >= 15
