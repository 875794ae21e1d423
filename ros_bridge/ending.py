"""Ending in time, whatever the middleware does.

DDS may hang while it is taken down, above all after a peer was killed: what must end by itself has ended by
then, so nothing is lost by not waiting for the rest.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn


def within(seconds: float, *actions: Callable[[], Any]) -> bool:
    """Do things one after the other in another thread; False if they took longer, and are left behind."""

    def act() -> None:
        for action in actions:
            action()

    thread = threading.Thread(target=act, name="ending", daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def end_process(code: int) -> NoReturn:
    """End this process now: what is printed is out, but no library takes itself down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
