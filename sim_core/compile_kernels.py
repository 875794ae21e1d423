"""Compile everything that numba compiles, once, at set-up: `python -m sim_core.compile_kernels`.

Where the code is kept: see `sim_core/base/compiled.py`. A later start loads it and compiles nothing.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os.path import commonpath
from typing import Any

from sim_core.base import compiled
from sim_core.base.machine import processors

Kernels = Sequence[Any]
"""Compiled functions, which numba has no type for."""


def _of_the_plane() -> Kernels:
    from sim_core.engines.planar import motion_kernels as motion
    from sim_core.engines.planar import ray_kernels as rays
    from sim_core.engines.planar import wheel_kernels as wheels

    return (
        *(motion.roll, motion.fill_grid, motion.stuck),
        *(wheels.turn_axes, rays.cast, rays.sort_robots),
    )


def _of_contacts() -> Kernels:
    from sim_core.engines.ode import pose_reader
    from sim_core.engines.ode.contacts import kernels as physics
    from sim_core.engines.ode.contacts import mesh_kernels as meshes

    return (
        *(physics.touch_floors, physics.copy_state, physics.step_world, physics.search, physics.advance),
        *(physics.list_members, meshes.correct_cylinder_contacts, meshes.merge_mesh_contacts),
        *(meshes.round_mesh_contacts, meshes.select_contacts, pose_reader.copy_poses),
    )


def _of_sensing() -> Kernels:
    from sim_core.devices.drives import reckoning_kernel
    from sim_core.devices.light import light_kernel
    from sim_core.devices.ranging import distance_kernel, scan_kernel
    from sim_core.model.bvh import grow_bvh
    from sim_core.recording import quaternion_kernel
    from sim_core.sensing.raycast import kernels as rays

    return (
        *(rays.cast, rays.find_normals, rays.place, grow_bvh),
        *(reckoning_kernel.reckon_all, reckoning_kernel.reckon_path, reckoning_kernel.add_errors),
        *(distance_kernel.answer, scan_kernel.limit_scan, light_kernel.irradiance),
        quaternion_kernel.quaternions_from_rotations,
    )


GROUPS = (_of_the_plane, _of_contacts, _of_sensing)
"""Groups of modules, each compiled by one process; the first takes longest, so it begins first."""


def main() -> int:
    """Compile, or find that nothing needs to be compiled; says which."""
    print("Compiling the kernels of physics and rays, once; half a minute or more ", end="", flush=True)
    start = time.perf_counter()
    processes = min(len(GROUPS), processors())
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin) as pool:
        results = list(pool.map(_compile, GROUPS))
    seconds = time.perf_counter() - start
    print(flush=True)
    folders = {folder for _, found in results for folder in found}
    kept = {folder for folder in folders if folder is not None}
    if len(kept) < len(folders):
        print(
            "Kernels compiled, but no folder to keep them in can be written: each start compiles them again "
            "(set NUMBA_CACHE_DIR to a folder that can be)",
            file=sys.stderr,
        )
    elif any(made for made, _ in results):
        print(f"Kernels compiled in {seconds:.1f} s, kept below {commonpath(kept)}", flush=True)
    else:
        print(f"Kernels were compiled already, below {commonpath(kept)}", flush=True)
    return 0


def _begin() -> None:
    """Initialize a compiling process: it prints a dot for each kernel, and Ctrl-C ends it silently."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    compiled.on_compile = lambda _: print(".", end="", flush=True)


def _compile(group: Callable[[], Kernels]) -> tuple[int, set[str | None]]:
    """Return the number of newly compiled kernels of a group, and the cache folders; None: no cache."""
    statistics = [kernel.stats for kernel in group()]
    made = sum(sum(each.cache_misses.values()) for each in statistics)
    return made, {each.cache_path for each in statistics}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
