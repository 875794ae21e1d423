"""The leader of the world `talkers`, for Webots' Python interface.

It sends one order after another, a text such as `3 forward 0.5` (number, what, m or degrees), and waits for
the report `3 done` before the next one. An order that nobody reports on in time is sent again.
"""

from controller import Robot

PERIOD = 32
"""ms; between two looks."""
ORDERS = ("forward 0.6", "turn 90", "forward 0.4", "turn 90")
"""Given again and again: a rectangle."""
PATIENCE = 10.0
"""s of sim time after which an order is sent again."""


def order(number: int) -> str:
    """The text of an order; they count from 1."""
    return f"{number} {ORDERS[(number - 1) % len(ORDERS)]}"


def main() -> None:
    """Lead until the end."""
    robot = Robot()
    emitter, receiver, led = (robot.getDevice(name) for name in ("emitter", "receiver", "led"))
    receiver.enable(PERIOD)
    number, sent = 0, -PATIENCE
    is_done = True
    while robot.step(PERIOD) != -1:
        now = robot.getTime()
        while receiver.getQueueLength() > 0:
            report = receiver.getString()
            receiver.nextPacket()
            print(f'{now:.3f} s: heard "{report}"')
            is_done = is_done or report == f"{number} done"
        if is_done:
            number, is_done, sent = number + 1, False, -PATIENCE
        if now - sent >= PATIENCE:
            print(f'{now:.3f} s: says "{order(number)}"')
            emitter.send(order(number))
            sent = now
        led.set(number % 2)


if __name__ == "__main__":
    main()
