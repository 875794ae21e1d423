"""Compile everything that numba compiles, once, at set-up: `python -m sim_core.compile_kernels`.

Where the code is kept: see `sim_core/base/compiled.py`. A later start loads it and compiles nothing.
"""

from __future__ import annotations

import sys
import time
from os.path import commonpath

from sim_core.base import compiled


def main() -> int:
    """Compile, or find that nothing needs to be compiled; says which."""
    print("Compiling the kernels of physics and rays, once; a minute or more ", end="", flush=True)
    compiled.tell = lambda _: print(".", end="", flush=True)
    start = time.perf_counter()
    from sim_core.devices.drives import reckoning_kernel
    from sim_core.devices.light import light_kernel
    from sim_core.devices.ranging import distance_kernel
    from sim_core.engines.ode.contacts import kernels as physics
    from sim_core.engines.ode.contacts import mesh_kernels as meshes
    from sim_core.engines.planar import motion_kernels as motion
    from sim_core.engines.planar import ray_kernels as planar_rays
    from sim_core.engines.planar import wheel_kernels as wheels
    from sim_core.model.bvh import grow_bvh
    from sim_core.sensing.raycast import kernels as rays

    kernels = [
        *(rays.cast, rays.find_normals, rays.place, grow_bvh),
        *(physics.touch_floors, physics.copy_state, physics.step_world, physics.search, physics.advance),
        physics.list_members,
        *(motion.roll, motion.fit_grid, motion.fill_grid, motion.stuck),
        *(wheels.turn_axes, planar_rays.cast, planar_rays.sort_robots),
        *(reckoning_kernel.reckon, reckoning_kernel.follow, reckoning_kernel.add_errors),
        distance_kernel.answer,
        light_kernel.irradiance,
        *(meshes.touch, meshes.check_cylinder, meshes.join, meshes.choose),
    ]
    made = sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels)
    seconds = time.perf_counter() - start
    print(flush=True)
    folders = {kernel.stats.cache_path for kernel in kernels}
    if None in folders:
        print(
            "Kernels compiled, but no folder to keep them in can be written: each start compiles them again "
            "(set NUMBA_CACHE_DIR to a folder that can be)",
            file=sys.stderr,
        )
    elif made:
        print(f"Kernels compiled in {seconds:.1f} s, kept below {commonpath(folders)}", flush=True)
    else:
        print(f"Kernels were compiled already, below {commonpath(folders)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
