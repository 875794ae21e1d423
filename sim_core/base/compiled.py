"""Functions compiled to machine code by numba, cached for later starts.

The cache is in $NUMBA_CACHE_DIR if that is set, else beside the source, else, if that folder cannot be
written, in the user's cache folder. numba compares it with the file that holds the function only, so a
compiled function should call functions of the same file only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import cfunc, njit

on_compile: Callable[[str], None] | None = None
"""Called with the name of each function before it is compiled or loaded; None: one line is printed when a
function is compiled that will be cached."""
_has_printed = False


def compiled(*signature: Any, nogil: bool = True, inline: bool = False) -> Callable[[Any], Any]:
    """Compile a function for a signature now; without a signature when another compiled function first uses
    it.

    Without a writable cache folder it is compiled at every start.

    Args:
        signature: as in numba.
        nogil: True: other Python threads run meanwhile.
        inline: True: without a call of its own; calls with many arrays take as long as casting a ray.
    """

    def compile_function(function: Any) -> Any:
        options = {"nogil": nogil, "error_model": "numpy", "inline": "always" if inline else "never"}
        made = _compile_cached(partial(njit, *signature, **options), function)
        if made.stats.cache_misses:  # without this line the first start would seem to hang
            how_often = _how_often(made.stats.cache_path)
            _print_once(f"odesim: compiling the kernels of physics and rays; {how_often}")
        return made

    return compile_function


def callback(signature: str) -> Callable[[Any], Any]:
    """Compile a function for calls from C, by the `address` of the result; otherwise as `compiled`."""
    return partial(_compile_cached, partial(cfunc, signature, error_model="numpy"))


def _compile_cached(compiler: Callable[..., Any], function: Any) -> Any:
    """Run a numba compiler on a function, with a cache if one can be written."""
    if on_compile is not None:
        on_compile(function.__name__)
    try:
        return compiler(cache=True)(function)
    except RuntimeError:
        return compiler()(function)


def _how_often(cache_folder: str | None) -> str:
    if cache_folder is not None:
        return "once, a minute or more"
    return (
        "at each start, a minute or more, because no folder to keep them in can be written "
        "(set NUMBA_CACHE_DIR to a folder that can be)"
    )


def _print_once(line: str) -> None:
    global _has_printed
    if on_compile is None and not _has_printed:
        _has_printed = True
        print(line, file=sys.stderr, flush=True)
