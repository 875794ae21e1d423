"""`odesim map`: writes the occupancy grid of a world for ROS's map_server."""

from __future__ import annotations

from pathlib import Path

from ros_bridge.cli.world_info import Loading, read_world
from sim_core.base.config import SimulationConfig
from sim_core.base.errors import ConfigError
from sim_core.recording.occupancy_map import occupancy_map
from sim_core.session.simulation import Simulation


def draw_map(
    world: Path,
    target: str,
    height: float,
    resolution: float,
    how: Loading,
) -> tuple[Path, Path]:
    """Load a world and write its map; return the files.

    Args:
        world: the world file.
        target: path of the map's files without endings; empty: the world's name in the current folder.
        height: height above z = 0, m.
        resolution: side length of a cell, m.
        how: how the world is read.

    Raises:
        OdesimError: the world cannot be read, nothing is at that height, or the files cannot be written.
    """
    if not 1e-4 <= resolution <= 1e3:
        raise ConfigError(f"--resolution: found {resolution:g}, expected a number from 0.0001 to 1000")
    if not abs(height) <= 1e6:
        raise ConfigError(f"--height: found {height:g}, expected a height in m")
    scene = read_world(world, how)
    sim = Simulation(scene, SimulationConfig(plugins=False))
    try:
        return occupancy_map(sim.physics, height, resolution).save(Path(target or world.stem))
    finally:
        sim.close()
