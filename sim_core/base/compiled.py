"""Functions compiled to machine code by numba, and kept where a later start finds them.

The code is kept in $NUMBA_CACHE_DIR if that is set, else beside the source, else, where that folder cannot
be written, in the user's cache folder. numba checks it against the file that holds the function and no other:
what a compiled function calls should stand in the same file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from numba import njit

tell: Callable[[str], None] | None = None
"""Called with the name of each function before it is compiled or loaded; None: one line is said when one
is compiled that will be kept."""
_has_said = False


def compiled(*signature: Any) -> Callable[[Any], Any]:
    """Compile a function now for a signature, or for none where it is used by another one.

    With no folder to keep the code in, it is compiled at every start.
    """
    options = {"nogil": True, "error_model": "numpy"}

    def compile_function(function: Any) -> Any:
        if tell is not None:
            tell(function.__name__)
        try:
            made = njit(*signature, cache=True, **options)(function)
        except RuntimeError:  # no folder for the cache can be written
            return njit(*signature, **options)(function)
        if made.stats.cache_misses:  # the first of many: who started a command would wonder what it waits for
            _say_once("odesim: compiling the kernels of physics and rays; once, a minute or more")
        return made

    return compile_function


def _say_once(line: str) -> None:
    global _has_said
    if tell is None and not _has_said:
        _has_said = True
        print(line, file=sys.stderr, flush=True)
