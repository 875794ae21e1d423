"""Drives a car round a closed circuit, for Webots' Python interface: the world `race_track`.

Arguments: the place "x y" in m where the circuit begins, and its pieces, each "length turn" in m and rad, as
the PROTO RaceTrack has them. The car steers to a point of the middle line some way ahead (pure pursuit) and
goes as fast as the sideways acceleration in the bends allows, those that it could still brake for included.
"""

import math
import sys

from controller import Robot

PERIOD = 20
"""ms; between two decisions."""
BASE, TRACK, RADIUS, REAR = 2.9, 1.5, 0.36, 1.45
"""m; wheelbase, track and wheels of the car, and how far its rear axle is behind its origin."""
FASTEST, SIDEWAYS, BRAKING = 16.0, 3.0, 2.5
"""m/s, m/s², m/s²."""
SPACING = 0.5
"""m between two points of the line."""

Place = tuple[float, float]


class Line:
    """The middle of a circuit as points, and the speed that each of them allows, in m/s."""

    def __init__(self, start: Place, pieces: list[tuple[float, float]]) -> None:
        (x, y), heading = start, 0.0
        self.points: list[Place] = []
        speeds: list[float] = []
        for length, turn in pieces:
            count = max(1, round(length / SPACING))
            limit = min(FASTEST, math.sqrt(SIDEWAYS * length / abs(turn))) if turn else FASTEST
            for _ in range(count):
                self.points.append((x, y))
                speeds.append(limit)
                heading += 0.5 * turn / count
                x, y = x + length / count * math.cos(heading), y + length / count * math.sin(heading)
                heading += 0.5 * turn / count
        for k in range(2 * len(speeds) - 2, -1, -1):  # twice round, against the way: brake in time
            here, after = k % len(speeds), (k + 1) % len(speeds)
            speeds[here] = min(speeds[here], math.sqrt(speeds[after] ** 2 + 2.0 * BRAKING * SPACING))
        self.speeds = speeds
        self._at = 0

    def nearest(self, me: Place) -> int:
        """The number of the point that is nearest, of those a little further on than the last time."""
        count = len(self.points)
        self._at = min(
            ((self._at + k) % count for k in range(60)), key=lambda number: math.dist(me, self.points[number])
        )
        return self._at

    def ahead(self, number: int, way: float) -> Place:
        """The point so many m further on."""
        return self.points[(number + round(way / SPACING)) % len(self.points)]


def curvature(rear: Place, heading: float, aim: Place) -> float:
    """1/m, to the left: of the circle that touches the heading at the rear axle and leads through a point."""
    dx, dy = aim[0] - rear[0], aim[1] - rear[1]
    return 2.0 * (dy * math.cos(heading) - dx * math.sin(heading)) / (dx * dx + dy * dy)


def steering(bend: float) -> tuple[float, float]:
    """Angles in rad of the left and the right front wheel on a circle of this curvature (Ackermann)."""
    left, right = (math.atan(BASE * bend / (1.0 - side * 0.5 * TRACK * bend)) for side in (1.0, -1.0))
    return left, right


def main() -> None:
    """Drive until the end."""
    first, *rest = ((float(x), float(y)) for x, y in (each.split() for each in sys.argv[1:]))
    line = Line(first, rest)
    robot = Robot()
    driven = [
        (side, robot.getDevice(f"rear {name} wheel")) for name, side in (("left", 1.0), ("right", -1.0))
    ]
    steered = [robot.getDevice(f"{name} steering") for name in ("left", "right")]
    gps, unit = robot.getDevice("gps"), robot.getDevice("inertial unit")
    for _, wheel in driven:
        wheel.setPosition(math.inf)
        wheel.setVelocity(0.0)
    for sensor in (gps, unit):
        sensor.enable(PERIOD)
    speed, before, lap_start = 0.0, 0, 0.0
    while robot.step(PERIOD) != -1:
        me, heading = tuple(gps.getValues()[:2]), unit.getRollPitchYaw()[2]
        rear = (me[0] - REAR * math.cos(heading), me[1] - REAR * math.sin(heading))
        number = line.nearest(rear)
        if number < before - len(line.points) // 2:
            print(f"lap of {robot.getTime() - lap_start:.2f} s")
            lap_start = robot.getTime()
        before = number
        wanted = line.speeds[number]
        speed += max(-BRAKING * PERIOD / 1000.0, min(2.0 * PERIOD / 1000.0, wanted - speed))
        bend = curvature(rear, heading, line.ahead(number, 3.0 + 0.4 * speed))
        for wheel, angle in zip(steered, steering(bend), strict=True):
            wheel.setPosition(max(-0.6, min(0.6, angle)))
        for side, wheel in driven:
            wheel.setVelocity(speed * (1.0 - side * 0.5 * TRACK * bend) / RADIUS)


if __name__ == "__main__":
    main()
