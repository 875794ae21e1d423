"""`odesim shot`: writes a picture of a world."""

from __future__ import annotations

import sys
from pathlib import Path

from ros_bridge.cli.world_info import Loading, build, read_world
from sim_core.base.clock import LONGEST
from sim_core.base.errors import ConfigError
from sim_core.base.trust import NO_PLUGIN
from sim_core.recording.images import ENDINGS, export_image
from sim_core.recording.targets import checked_target, size_of
from sim_core.recording.viewpoint import WorldView
from sim_core.session.simulation import Simulation


def shoot(
    world: Path,
    target: str,
    size: str,
    seconds: float,
    camera: str,
    look: str,
    how: Loading,
) -> None:
    """Load a world, simulate some time, and write a picture; controllers and plug-ins do not run.

    Args:
        world: the world file.
        target: picture file; its ending determines the format.
        size: WIDTHxHEIGHT in pixels; empty: that of the camera, or 1280x720.
        seconds: sim time of the picture, s.
        camera: ROBOT/DEVICE; empty: the Viewpoint.
        look: "fine" or "fast"; empty: fine for the Viewpoint, the camera's own look for a camera.
        how: how the world is read.

    Raises:
        OdesimError: the world cannot be read, or the picture cannot be drawn or written.
    """
    goal = checked_target(target, ENDINGS)
    width, height = size_of(size)
    if not 0.0 <= seconds <= LONGEST:
        raise ConfigError(f"--time: found {seconds}, expected a number from 0 to {LONGEST:g}")
    scene = read_world(world, how)
    sim, _ = build(scene, world, is_run=seconds > 0.0)
    if seconds and scene.world_info["physics"] not in NO_PLUGIN:
        name = scene.world_info["physics"]
        print(f'warning: {world}: physics plug-in "{name}" is not run; odesim movie runs it', file=sys.stderr)
    try:
        sim.run(seconds)
        export_image(sim, goal, width, height, camera, look=look)
        if WorldView(sim, width, height, camera, look).sees_only_sky():
            print(f"warning: {_only_sky(sim, camera)}", file=sys.stderr)
    finally:
        sim.close()


def _only_sky(sim: Simulation, camera: str) -> str:
    """Return a warning with advice if the picture shows nothing of the world."""
    if camera:
        return f"{camera} sees nothing but the sky; turn it or its robot"
    viewpoint = sim.physics.model.surroundings.viewpoint
    file, line, column = viewpoint.source
    place = f"{file}:{line}:{column}" if line else sim.scene.file
    change = "change its position and orientation, or look through a camera with --camera ROBOT/DEVICE"
    return f"{place}: the Viewpoint sees nothing but the sky; {change}"
