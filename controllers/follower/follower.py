"""The follower of the world `talkers`, for Webots' Python interface.

It carries out what it is told by radio, by the turns of its wheels, and reports when it is done.
"""

import math

from controller import Robot

PERIOD = 32
"""ms; between two looks."""
RADIUS, SEPARATION = 0.04, 0.2
"""m; of the Cart's wheels."""
SPEED = 4.0
"""Highest speed of a wheel, rad/s."""
NEAR = 0.01
"""rad; a wheel so near to its goal has arrived."""


def wheel_turns(what: str, amount: float) -> tuple[float, float]:
    """By how many rad the left and the right wheel turn for an order: m forward, or degrees to the left."""
    if what == "forward":
        return amount / RADIUS, amount / RADIUS
    if what == "turn":
        turn = math.radians(amount) * SEPARATION / 2.0 / RADIUS
        return -turn, turn
    return 0.0, 0.0


def main() -> None:
    """Follow until the end."""
    robot = Robot()
    emitter, receiver, led = (robot.getDevice(name) for name in ("emitter", "receiver", "led"))
    motors = [robot.getDevice(f"motor_{side}") for side in ("left", "right")]
    encoders = [robot.getDevice(f"encoder_{side}") for side in ("left", "right")]
    receiver.enable(PERIOD)
    for motor, encoder in zip(motors, encoders, strict=True):
        encoder.enable(PERIOD)
        motor.setVelocity(SPEED)
    number, goals = "", [0.0, 0.0]
    while robot.step(PERIOD) != -1:
        now = robot.getTime()
        while receiver.getQueueLength() > 0:
            text, strength = receiver.getString(), receiver.getSignalStrength()
            receiver.nextPacket()
            if number:  # it is at work; the leader will ask again
                continue
            number, what, amount = text.split()
            print(f'{now:.3f} s: heard "{text}" from {strength**-0.5:.2f} m')
            turns = wheel_turns(what, float(amount))
            goals = [goal + turn for goal, turn in zip(goals, turns, strict=True)]
            for motor, goal in zip(motors, goals, strict=True):
                motor.setPosition(goal)
        away = [abs(goal - encoder.getValue()) for goal, encoder in zip(goals, encoders, strict=True)]
        if number and max(away) < NEAR:
            emitter.send(f"{number} done")
            number = ""
        led.set(1 if number else 0)


if __name__ == "__main__":
    main()
