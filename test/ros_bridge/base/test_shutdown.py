import subprocess
import sys
import threading
import time

from ros_bridge.base.shutdown import call_within


def test_what_ends_in_time_is_waited_for() -> None:
    done: list[int] = []
    assert call_within(5.0, lambda: done.append(1), lambda: done.append(2))
    assert done == [1, 2]


def test_what_hangs_is_left_behind() -> None:
    hang = threading.Event()
    start = time.monotonic()
    assert not call_within(0.05, hang.wait)
    assert time.monotonic() - start < 5.0
    hang.set()


def test_the_process_ends_with_its_output_and_code_though_a_thread_hangs() -> None:
    code = (
        "import threading; from ros_bridge.base.shutdown import end_process;"
        "threading.Thread(target=threading.Event().wait).start(); print('out'); end_process(3)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (3, "out\n")


def test_a_process_ends_in_time_though_pythons_lock_is_held():
    """PyDLL calls keep the lock: while C sleeps in one, no other thread of Python runs."""
    code = (
        "import ctypes\nfrom ros_bridge.base.shutdown import time_limit, call_within\n"
        "print('said', end='')\n"
        "with time_limit(0.5):\n    call_within(0.1, lambda: ctypes.PyDLL(None).sleep(30))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "said", "")


def test_what_ends_in_time_goes_on():
    code = "import time\nfrom ros_bridge.base.shutdown import time_limit\n"
    code += "with time_limit(0.3): pass\ntime.sleep(0.6)\nprint('on')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "on\n")
