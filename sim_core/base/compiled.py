"""Functions compiled to machine code by numba, and kept where a later start finds them.

The code is kept in $NUMBA_CACHE_DIR if that is set, else beside the source, else, where that folder cannot
be written, in the user's cache folder. numba checks it against the file that holds the function and no other:
what a compiled function calls should stand in the same file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import cfunc, njit

tell: Callable[[str], None] | None = None
"""Called with the name of each function before it is compiled or loaded; None: one line is said when one
is compiled that will be kept."""
_has_said = False


def compiled(*signature: Any, nogil: bool = True) -> Callable[[Any], Any]:
    """Compile a function now for a signature, or for none where it is used by another one.

    With no folder to keep the code in, it is compiled at every start.

    Args:
        signature: as numba has it.
        nogil: other threads of Python go on meanwhile.
    """

    def compile_function(function: Any) -> Any:
        made = _kept(partial(njit, *signature, nogil=nogil, error_model="numpy"), function)
        if made.stats.cache_misses:  # the first of many: who started a command would wonder what it waits for
            _say_once("odesim: compiling the kernels of physics and rays; once, a minute or more")
        return made

    return compile_function


def callback(signature: str) -> Callable[[Any], Any]:
    """Compile a function now that C calls, by the `address` of what comes; else as `compiled`."""
    return partial(_kept, partial(cfunc, signature, error_model="numpy"))


def _kept(compiler: Callable[..., Any], function: Any) -> Any:
    """What a compiler of numba makes of a function, from a folder or kept there, if one can be written."""
    if tell is not None:
        tell(function.__name__)
    try:
        return compiler(cache=True)(function)
    except RuntimeError:
        return compiler()(function)


def _say_once(line: str) -> None:
    global _has_said
    if tell is None and not _has_said:
        _has_said = True
        print(line, file=sys.stderr, flush=True)
