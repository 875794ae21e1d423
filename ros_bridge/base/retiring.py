"""Publishers, subscriptions and the like that go while `EventsExecutor` spins (rclpy 9.1.2).

It follows dangling pointers, or works on Python's objects without Python's lock, where something goes that it
listens to:

- it takes note of what there is in several steps, between which the lock may go round; of what has gone by
  then it raises in the middle, and forgets what it has noted;
- it knows whom an event is for by an address, which may be another's by the time it comes to it;
- an event of a publisher or a subscription (somebody came, or fits not) that comes while it is about to take
  note that they have gone is the last to hold a Python object, which it lets go without the lock.

So all of it is done in the executor's thread, each part when what was due before has been done: first nothing
more may come, then the thing goes, and last its memory.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache, partial
from typing import Any

from rclpy.exceptions import InvalidHandle

Destroy = Callable[[Any], bool]


def retire(executor: Any, destroy: Destroy, entity: Any) -> None:
    """Have something destroyed, in three parts; from any thread.

    Args:
        executor: spins its node.
        destroy: the method of the node that does it.
        entity: a publisher, a subscription, a client or a service.
    """
    executor.create_task(partial(_silence, executor, destroy, entity))


def _silence(executor: Any, destroy: Destroy, entity: Any) -> None:
    """From now on no event of it comes."""
    set_callback = _event_callback()
    for handler in getattr(entity, "event_handlers", ()):
        with suppress(InvalidHandle, AttributeError), handler:
            set_callback(handler._EventHandler__event.pointer, None, None)  # rclpy has no name for it
    executor.create_task(partial(_part, executor, destroy, entity))


def _part(executor: Any, destroy: Destroy, entity: Any) -> None:
    """It goes; its memory stays."""
    held = ExitStack()
    for each in (entity.handle, *getattr(entity, "event_handlers", ())):
        with suppress(InvalidHandle):
            held.enter_context(each)
    destroy(entity)
    executor.create_task(partial(_let_go, held, entity))


def _let_go(held: ExitStack, _entity: Any) -> None:
    """Nothing is due any more for what has gone."""
    held.close()


@cache
def _event_callback() -> Callable[..., object]:
    """`rcl_event_set_callback` of the library that rclpy has loaded; where there is none, nothing."""
    try:
        found = ctypes.CDLL("librcl.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY).rcl_event_set_callback
    except (OSError, AttributeError):
        return lambda *_: None
    found.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    found.restype = ctypes.c_int
    result: Callable[..., object] = found
    return result
