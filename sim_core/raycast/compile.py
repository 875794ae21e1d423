"""Compile the ray kernels once, at set-up: `python -m sim_core.raycast.compile`.

The compiled code is kept where numba keeps it: in $NUMBA_CACHE_DIR if that is set, else beside the source,
else, where that folder cannot be written, in the user's cache folder. It is checked against the source and
the processor, so a later start loads it and compiles nothing.
"""

from __future__ import annotations

import sys
import time


def main() -> int:
    """Compile, or find that nothing needs to be compiled; says which."""
    print("Compiling the ray kernels (once, some 10 s) ...", flush=True)
    start = time.perf_counter()
    from sim_core.raycast import kernels

    compiled = sum(sum(each.stats.cache_misses.values()) for each in (kernels.cast, kernels.place))
    seconds = time.perf_counter() - start
    folder = kernels.cast.stats.cache_path
    if folder is None:
        print(
            "Ray kernels compiled, but no folder to keep them in can be written: each start compiles them "
            "again (set NUMBA_CACHE_DIR to a folder that can be)",
            file=sys.stderr,
        )
    elif compiled:
        print(f"Ray kernels compiled in {seconds:.1f} s, kept in {folder}", flush=True)
    else:
        print(f"Ray kernels were compiled already, in {folder}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
