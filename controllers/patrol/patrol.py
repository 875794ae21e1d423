"""Goes its rounds from place to place, for Webots' Python interface: office, warehouse, rough ground.

Arguments: the places, each "x y" in m; the first is where it starts, and after the last it goes to the second
again. Where it is it hears from `gps` and `inertial unit`; a robot without them counts the turns of its
wheels and asks its compass. It waits while its lidar sees something close in its way.
"""

import math
import sys

from controller import Robot

PERIOD = 32
"""ms; between two decisions."""
WHEELS = {"left wheel motor": (0.033, 0.08), "left wheel": (0.0975, 0.165), "motor_left": (0.04, 0.1)}
"""Radius and half the distance of the wheels in m, by what the left motor is called."""
NEAR = 0.1
"""m; so near to a place it goes on to the next."""
FIELD = 0.35
"""rad; to both sides of ahead, where the lidar looks for obstacles."""
CLOSE = 0.2
"""m; for something nearer it waits."""

Place = tuple[float, float]


def toward(me: Place, heading: float, target: Place, fastest: float) -> tuple[float, float]:
    """Speed in m/s and turn in rad/s that lead to a place: on the spot until it is ahead."""
    error = math.remainder(math.atan2(target[1] - me[1], target[0] - me[0]) - heading, math.tau)
    forward = fastest * max(0.0, math.cos(error)) ** 4
    return forward, max(-1.2, min(1.2, 2.5 * error))


class Round:
    """The places, and which of them is next; `visited` counts those it has been at."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self.visited = 0

    @property
    def target(self) -> Place:
        """The next place: after the last one comes the second."""
        return self.places[1 + self.visited % (len(self.places) - 1)]

    def go(self, me: Place, heading: float, fastest: float) -> tuple[float, float]:
        """Speed in m/s and turn in rad/s."""
        if math.dist(me, self.target) < NEAR:
            self.visited += 1
        return toward(me, heading, self.target, fastest)


class Odometry:
    """Where a robot is by the turns of its wheels, from a known place."""

    def __init__(self, start: Place, radius: float) -> None:
        self.place = start
        self._radius = radius
        self._turned: float | None = None

    def moved(self, left: float, right: float, heading: float) -> Place:
        """The place after the wheels have turned to these angles, in rad."""
        turned = 0.5 * (left + right)
        way = self._radius * (turned - self._turned) if self._turned is not None else 0.0
        self._turned = turned
        x, y = self.place
        self.place = (x + way * math.cos(heading), y + way * math.sin(heading))
        return self.place


def nearest_ahead(ranges: list[float], field_of_view: float) -> float:
    """The nearest range within `FIELD` of ahead; they go from left to right."""
    half, step = field_of_view / 2.0, field_of_view / len(ranges)
    return min(
        (each for k, each in enumerate(ranges) if abs(half - (k + 0.5) * step) < FIELD), default=math.inf
    )


class Senses:
    """Where the robot is and what is ahead, from the devices that it has."""

    def __init__(self, robot: Robot, start: Place, radius: float) -> None:
        names = [robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())]
        wanted = ("gps", "inertial unit")
        if not set(wanted) <= set(names):
            wanted = ("compass", "left wheel sensor", "right wheel sensor")
        self._devices = [robot.getDevice(name) for name in wanted]
        for device in self._devices:
            device.enable(PERIOD)
        self._lidar = robot.getDevice("LDS-01") if "LDS-01" in names else None
        if self._lidar is not None:
            self._lidar.enable(200)
        self._odometry = Odometry(start, radius)

    def pose(self) -> tuple[Place, float]:
        """Place in m and heading in rad."""
        if len(self._devices) == 2:
            gps, unit = self._devices
            x, y, _ = gps.getValues()
            return (x, y), unit.getRollPitchYaw()[2]
        compass, left, right = self._devices
        east, north, _ = compass.getValues()
        heading = math.atan2(east, north)
        return self._odometry.moved(left.getValue(), right.getValue(), heading), heading

    def is_blocked(self) -> bool:
        """Whether something is close ahead."""
        if self._lidar is None:
            return False
        ranges = self._lidar.getRangeImage()
        return bool(ranges) and nearest_ahead(ranges, self._lidar.getFov()) < CLOSE


def main() -> None:
    """Go round until the end."""
    places = [(float(x), float(y)) for x, y in (each.split() for each in sys.argv[1:])]
    robot = Robot()
    names = {robot.getDeviceByIndex(k).getName() for k in range(robot.getNumberOfDevices())}
    left_name = next(name for name in WHEELS if name in names)
    radius, half_axle = WHEELS[left_name]
    left, right = robot.getDevice(left_name), robot.getDevice(left_name.replace("left", "right"))
    fastest = min(0.6, 0.6 * radius * left.getMaxVelocity())
    for motor in (left, right):
        motor.setPosition(math.inf)
        motor.setVelocity(0.0)
    way, senses = Round(places), Senses(robot, places[0], radius)
    was_blocked = True  # the lidar's ranges are 0 until its first scan
    while robot.step(PERIOD) != -1:
        me, heading = senses.pose()
        before = way.visited
        forward, turn = way.go(me, heading, fastest)
        if way.visited > before:
            print(f"{robot.getTime():.1f} s: place {way.visited}, at {me[0]:.2f} {me[1]:.2f}")
        is_blocked = senses.is_blocked()
        if is_blocked and not was_blocked:
            print(f"{robot.getTime():.1f} s: waits, for something is in the way")
        was_blocked = is_blocked
        forward = 0.0 if is_blocked else forward
        left.setVelocity((forward - half_axle * turn) / radius)
        right.setVelocity((forward + half_axle * turn) / radius)


if __name__ == "__main__":
    main()
