"""Suppression of the messages of other libraries' readers, which are replaced by one line of ours."""

from __future__ import annotations

import ctypes
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from sim_core.base.machine import loaded_libraries

READERS = ("PIL", "trimesh", "collada")


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress log messages and warnings of readers for the time of a `with` block; exceptions are raised."""
    loggers = [logging.getLogger(name) for name in READERS]
    levels = [each.level for each in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in loggers:
            each.setLevel(logging.CRITICAL + 1)
        try:
            yield
        finally:
            for each, level in zip(loggers, levels, strict=True):
                each.setLevel(level)


@cache
def silence_libtiff() -> None:
    """Stop libtiff, which Pillow calls, from writing to standard error what Pillow raises too."""
    for path in loaded_libraries("libtiff"):
        library = ctypes.CDLL(str(path))
        library.TIFFSetErrorHandler(None)
        library.TIFFSetWarningHandler(None)
