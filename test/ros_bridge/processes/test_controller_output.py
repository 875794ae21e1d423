import io
import os
import time

import pytest

from ros_bridge.processes.controller_output import LONGEST_LINE, ControllerOutput

INTERRUPTED = """\
Traceback (most recent call last):
  File "driver.py", line 9, in <module>
    rclpy.spin(node)
    ^^^^^^^^^^^^^^^^
KeyboardInterrupt
"""
LED_TO = "\nDuring handling of the above exception, another exception occurred:\n\n"
SHUT_TWICE = """\
Traceback (most recent call last):
  File "driver.py", line 11, in <module>
    rclpy.shutdown()
rclpy._rclpy_pybind11.RCLError: failed to shutdown: rcl_shutdown already called on the given context
"""
NO_CONTEXT = """\
Traceback (most recent call last):
  File "driver.py", line 14, in drive
    cmd_vel.publish(command)
  File "site-packages/rclpy/publisher.py", line 72, in publish
    self.__publisher.publish(msg)
rclpy._rclpy_pybind11.RCLError: Failed to publish: publisher's context is invalid
"""
CUT_OFF = """\
Traceback (most recent call last):
  File "driver.py", line 19, in <module>
    rclpy.spin(node)
  File "site-packages/rclpy/executors.py", line 481, in _take_subscription
    msg_info = sub.handle.take_message(sub.msg_type, sub.raw)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: Unable to convert call argument '0' to Python object
"""
HALF_MADE = """\
Exception ignored in: <function Future.__del__ at 0x7f803d5328e0>
Traceback (most recent call last):
  File "site-packages/rclpy/task.py", line 64, in __del__
    if self._exception is not None and not self._exception_fetched:
AttributeError: 'Task' object has no attribute '_exception'
"""
BY_ROS = """\
Exception in thread Thread-1 (spin):
Traceback (most recent call last):
  File "executors.py", line 1, in spin
rclpy.executors.ExternalShutdownException
"""
AT_THE_END = """\
Exception ignored in: <module 'threading' from 'threading.py'>
Traceback (most recent call last):
  File "threading.py", line 1, in _shutdown
KeyboardInterrupt:
"""
FAILED = """\
Traceback (most recent call last):
  File "driver.py", line 12, in save
    open(name, "w")
PermissionError: [Errno 13] Permission denied: 'way.csv'
"""


def said(text: str, asked: bool = True, piece: int = 7) -> str:
    lines: list[str] = []
    output = ControllerOutput("r", lines.append)
    output.is_asked_to_end = asked
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as stream:
        for start in range(0, len(text), piece):
            os.write(write, text[start : start + piece].encode())
            assert output.forward(stream)
        os.close(write)
        assert not output.forward(stream)
    return "".join(line.removeprefix("r: ") + "\n" for line in lines)


@pytest.mark.parametrize(
    "end",
    [
        INTERRUPTED,
        INTERRUPTED + LED_TO + SHUT_TWICE,
        NO_CONTEXT,
        CUT_OFF,
        INTERRUPTED + HALF_MADE,
        BY_ROS,
        AT_THE_END,
        "KeyboardInterrupt\n",
    ],
)
def test_a_traceback_that_says_no_more_than_that_a_signal_came_is_left_out(end: str) -> None:
    assert said("before\n" + end + "after\n") == "before\nafter\n"


@pytest.mark.parametrize("end", [FAILED, INTERRUPTED + LED_TO + FAILED, CUT_OFF + LED_TO + FAILED])
def test_what_fails_at_the_end_is_said(end: str) -> None:
    assert said("before\n" + end + "after\n") == "before\n" + end + "after\n"


def test_nothing_is_left_out_of_what_a_controller_says_before_it_is_asked_to_end() -> None:
    assert said(INTERRUPTED, asked=False) == INTERRUPTED


def read_all(data: bytes) -> list[str]:
    """Return the lines of an output that is written as fast as possible."""
    lines: list[str] = []
    output = ControllerOutput("r", lines.append)
    stream = io.BytesIO(data)
    while output.forward(stream):
        pass
    return lines


def test_an_output_without_ends_of_lines_is_read_at_once() -> None:
    """Reading takes linear time: twice as much output takes about twice as long."""
    data = bytes(range(32, 127)) * 200_000
    began = time.process_time()
    lines = read_all(data)
    assert time.process_time() - began < 5.0
    read = "".join(line.removeprefix("r: ") for line in lines)
    assert read.replace(" ", "") == data.decode().replace(" ", "")
    assert max(map(len, lines)) < 3 * LONGEST_LINE


def test_of_what_steers_the_terminal_colours_pass() -> None:
    text = "\x1b[31mred\x1b[0m\n\x1b]0;title\x07\x1b[2J\nover\rwritten\nno end \x1b[1m"
    assert read_all(text.encode() + b"\x9b\n") == [
        "r: \x1b[31mred\x1b[0m",
        "r: \\u001b]0;title\\u0007\\u001b[2J",
        "r: over\\u000dwritten",
        "r: no end \x1b[1m\ufffd\x1b[0m",
    ]


def test_a_name_cannot_steer_it() -> None:
    lines: list[str] = []
    assert ControllerOutput("r\x1b[31m", lines.append).forward(io.BytesIO(b"text\n"))
    assert lines == ["r\\u001b[31m: text"]
