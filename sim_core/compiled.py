"""Functions compiled to machine code by numba, and kept where a later start finds them.

The code is kept in $NUMBA_CACHE_DIR if that is set, else beside the source, else, where that folder cannot
be written, in the user's cache folder. numba checks it against the file that holds the function and no other:
what a compiled function calls should stand in the same file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(*signature: Any) -> Callable[[Any], Any]:
    """Compile a function now for a signature, or for none where it is used by another one.

    With no folder to keep the code in, it is compiled at every start.
    """
    options = {"nogil": True, "error_model": "numpy"}

    def compile_function(function: Any) -> Any:
        try:
            return njit(*signature, cache=True, **options)(function)
        except RuntimeError:  # no folder for the cache can be written
            return njit(*signature, **options)(function)

    return compile_function
