"""Safe destruction of publishers, subscriptions etc. while `EventsExecutor` spins (rclpy 9.1.2).

The executor follows dangling pointers, or works on Python objects without Python's lock, when an entity it
monitors is destroyed:

- it collects entities in several steps, between which the lock may be released; it raises in the middle for
  an entity that has been destroyed by then, and forgets what it has collected;
- it identifies the receiver of an event by address, which may belong to another entity by the time of the
event; - an event of a publisher or subscription (matched, or incompatible QoS) that arrives while it
processes the
  destruction holds the last reference to a Python object, which it releases without the lock.

Therefore everything is done in the executor's thread, each part after all pending work: first events are
disabled, then the entity is destroyed, and last its memory is released.
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


def destroy_later(executor: Any, destroy: Destroy, entity: Any) -> None:
    """Destroy an entity in three parts; may be called from any thread.

    Args:
        executor: executor that spins its node.
        destroy: method of the node that destroys it.
        entity: a publisher, a subscription, a client or a service.
    """
    executor.create_task(partial(_disable_events, executor, destroy, entity))


def _disable_events(executor: Any, destroy: Destroy, entity: Any) -> None:
    """Disable its events."""
    set_callback = _event_callback()
    for handler in getattr(entity, "event_handlers", ()):
        with suppress(InvalidHandle, AttributeError), handler:
            set_callback(handler._EventHandler__event.pointer, None, None)  # rclpy has no public name for it
    executor.create_task(partial(_destroy, executor, destroy, entity))


def _destroy(executor: Any, destroy: Destroy, entity: Any) -> None:
    """Destroy it, keeping its memory."""
    held = ExitStack()
    for each in (entity.handle, *getattr(entity, "event_handlers", ())):
        with suppress(InvalidHandle):
            held.enter_context(each)
    destroy(entity)
    executor.create_task(partial(_release, held, entity))


def _release(held: ExitStack, _entity: Any) -> None:
    """Release its memory: no work for it is pending any more."""
    held.close()


@cache
def _event_callback() -> Callable[..., object]:
    """Return `rcl_event_set_callback` of the library loaded by rclpy; a no-op if there is none."""
    try:
        found = ctypes.CDLL("librcl.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY).rcl_event_set_callback
    except (OSError, AttributeError):
        return lambda *_: None
    found.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    found.restype = ctypes.c_int
    result: Callable[..., object] = found
    return result
