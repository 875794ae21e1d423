"""A player of the world `soccer`, for Webots' Python interface. Arguments: attacker or keeper, 1 or -1.

The second says to which goal it plays: that at x = 2 m or that at x = -2 m. The referee says by radio where
the ball is.
"""

import math
import sys

from controller import Robot

PERIOD = 32
"""ms; between two decisions."""
RADIUS, HALF_AXLE, LIMIT = 0.04, 0.1, 18.0
"""Wheels in m, and their highest speed in rad/s."""
ATTACK, BREATH, KEEP = 0.7, 0.08, 0.1
"""m/s; highest speeds of an attacker, of one that takes a breath, and of a keeper."""
TURN = 15.0
"""s; so long one attacker runs while the other takes a breath: equals only push each other."""
GOAL_X = 2.2
BEHIND = 0.3
"""m; so far behind the ball an attacker goes before it pushes."""
ASIDE = 0.35
"""m; by so much it goes round a ball that it is in front of."""
GOAL_LINE, GOAL_HALF = 1.75, 0.3
"""m; where a keeper stands, and how far to the sides it goes."""


def attack(me: tuple[float, float], ball: tuple[float, float], side: float) -> tuple[float, float]:
    """Where an attacker drives: behind the ball as seen from the goal, then through it."""
    to_x, to_y = side * GOAL_X - ball[0], -ball[1]
    far = math.hypot(to_x, to_y)
    ux, uy = to_x / far, to_y / far
    dx, dy = ball[0] - me[0], ball[1] - me[1]
    behind, beside = dx * ux + dy * uy, dx * uy - dy * ux
    if behind > 0.05 and abs(beside) < 0.1:
        return ball[0] + 0.5 * ux, ball[1] + 0.5 * uy
    if behind > 0.1:
        return ball[0] - BEHIND * ux, ball[1] - BEHIND * uy
    way = ASIDE if beside >= 0.0 else -ASIDE
    return ball[0] - BEHIND * ux - way * uy, ball[1] - BEHIND * uy + way * ux


def keep(me: tuple[float, float], ball: tuple[float, float], side: float) -> tuple[float, float]:
    """Where a keeper drives: on its line, abreast of the ball."""
    return -side * GOAL_LINE, max(-GOAL_HALF, min(GOAL_HALF, ball[1]))


def wheels(
    me: tuple[float, float], heading: float, target: tuple[float, float], fastest: float, both_ways: bool
) -> tuple[float, float]:
    """Speeds of the left and the right wheel, rad/s, that lead to a place, at a speed in m/s at most.

    Both ways: backwards too, and it stops there.
    """
    dx, dy = target[0] - me[0], target[1] - me[1]
    far = math.hypot(dx, dy)
    if both_ways and far < 0.05:
        return 0.0, 0.0
    error = math.remainder(math.atan2(dy, dx) - heading, math.tau)
    sign = 1.0
    if both_ways and abs(error) > math.pi / 2.0:
        sign, error = -1.0, math.remainder(error + math.pi, math.tau)
    forward = sign * max(0.0, math.cos(error)) * min(fastest, 3.0 * far)
    turn = 5.0 * error
    left, right = (forward - HALF_AXLE * turn) / RADIUS, (forward + HALF_AXLE * turn) / RADIUS
    shrink = max(1.0, abs(left) / LIMIT, abs(right) / LIMIT)
    return left / shrink, right / shrink


def main() -> None:
    """Play until the end."""
    role, side = sys.argv[1], float(sys.argv[2])
    robot = Robot()
    left, right = robot.getDevice("motor_left"), robot.getDevice("motor_right")
    gps, unit, receiver = (robot.getDevice(name) for name in ("gps", "inertial unit", "receiver"))
    for motor in (left, right):
        motor.setPosition(math.inf)
        motor.setVelocity(0.0)
    for sensor in (gps, unit, receiver):
        sensor.enable(PERIOD)
    ball = None
    while robot.step(PERIOD) != -1:
        while receiver.getQueueLength() > 0:
            ball = tuple(receiver.getFloats())
            receiver.nextPacket()
        if ball is None:
            continue
        me = tuple(gps.getValues()[:2])
        heading = unit.getRollPitchYaw()[2]
        if role == "attacker":
            is_fresh = (robot.getTime() // TURN % 2.0 == 0.0) == (side > 0.0)
            fastest = ATTACK if is_fresh else BREATH
            speeds = wheels(me, heading, attack(me, ball, side), fastest, both_ways=False)
        else:
            speeds = wheels(me, heading, keep(me, ball, side), KEEP, both_ways=True)
        left.setVelocity(speeds[0])
        right.setVelocity(speeds[1])


if __name__ == "__main__":
    main()
