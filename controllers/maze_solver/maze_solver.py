"""Finds the way through a maze by the rule of the left hand, for Webots' Python interface: the world `maze`.

Arguments: how many cells the maze has along x and y, and their size in m; its middle is at the origin. In
the middle of each cell the robot looks to the left, ahead and to the right, and goes on through the first of
these sides that is open, or else back. In a perfect maze that leads through every cell.
"""

import math
import sys

from controller import Robot

PERIOD = 32
"""ms; between two decisions."""
RADIUS, HALF_AXLE = 0.04, 0.1
"""Of the wheels, in m."""
FASTEST, FASTEST_TURN = 0.4, 2.5
"""m/s, rad/s."""
NEAR = 0.01
"""m; so near to the middle of a cell the robot is in it."""
LEFT, AHEAD, RIGHT, BACK = 1, 0, -1, 2
"""Quarters of a turn to the left."""

Cell = tuple[int, int]


class LeftHand:
    """Where the robot goes: a cell and a side of the compass, in quarters of a turn from x.

    Attributes:
        cell: that it goes to, or is in.
        side: to which it faces there.
        visited: every cell in the order of its visits.
    """

    def __init__(self, columns: int, rows: int, size: float) -> None:
        self.columns, self.rows, self.size = columns, rows, size
        self.cell: Cell = (0, 0)
        self.side = 0
        self.visited: list[Cell] = [self.cell]

    @property
    def target(self) -> tuple[float, float]:
        """The middle of the cell, in m."""
        column, row = self.cell
        return (column + 0.5 - self.columns / 2) * self.size, (row + 0.5 - self.rows / 2) * self.size

    @property
    def is_at_goal(self) -> bool:
        """Whether the cell is the last one."""
        return self.cell == (self.columns - 1, self.rows - 1)

    def choose(self, distances: dict[int, float]) -> None:
        """Go to the next cell, by how far it is to the left, ahead and to the right of this one, in m."""
        turn = next((way for way in (LEFT, AHEAD, RIGHT) if distances[way] > self.size), BACK)
        self.side = (self.side + turn) % 4
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[self.side]
        self.cell = (self.cell[0] + dx, self.cell[1] + dy)
        self.visited.append(self.cell)


def wheels(
    me: tuple[float, float], heading: float, target: tuple[float, float], side: int
) -> tuple[float, float]:
    """Speeds of the left and the right wheel, rad/s: turn to the side, then drive along its line."""
    wanted = side * math.pi / 2.0
    dx, dy = target[0] - me[0], target[1] - me[1]
    ahead = dx * math.cos(wanted) + dy * math.sin(wanted)
    beside = -dx * math.sin(wanted) + dy * math.cos(wanted)
    error = math.remainder(wanted - heading, math.tau)
    turn = max(-FASTEST_TURN, min(FASTEST_TURN, 5.0 * error))
    forward = 0.0
    if abs(error) < 0.1:
        forward = max(-FASTEST, min(FASTEST, 3.0 * ahead))
        turn += 8.0 * beside * forward / FASTEST
    return (forward - HALF_AXLE * turn) / RADIUS, (forward + HALF_AXLE * turn) / RADIUS


def main() -> None:
    """Go on until the end."""
    columns, rows, size = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    robot = Robot()
    motors = [robot.getDevice(name) for name in ("motor_left", "motor_right")]
    eyes = {way: robot.getDevice(name) for way, name in ((LEFT, "left"), (AHEAD, "front"), (RIGHT, "right"))}
    gps, unit = robot.getDevice("gps"), robot.getDevice("inertial unit")
    for motor in motors:
        motor.setPosition(math.inf)
        motor.setVelocity(0.0)
    for sensor in (*eyes.values(), gps, unit):
        sensor.enable(PERIOD)
    way = LeftHand(columns, rows, size)
    while robot.step(PERIOD) != -1:
        me = tuple(gps.getValues()[:2])
        if math.dist(me, way.target) < NEAR:
            if way.is_at_goal:
                print(f"{robot.getTime():.1f} s: at the goal, after {len(way.visited) - 1} moves")
            way.choose({side: eye.getValue() for side, eye in eyes.items()})
        speeds = wheels(me, unit.getRollPitchYaw()[2], way.target, way.side)
        for motor, speed in zip(motors, speeds, strict=True):
            motor.setVelocity(speed)


if __name__ == "__main__":
    main()
