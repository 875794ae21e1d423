"""Builds a simulation from a world file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


def load_world(
    path: str | Path,
    config: SimulationConfig | None = None,
    *,
    seed: int | None = None,
    urdf: Sequence[str | Path] = (),
    lenient: bool = False,
    download: bool = False,
) -> Simulation:
    """Load a world file and build its simulation; no ROS is needed.

    Warnings are not shown here, so a world with mistakes or missing files is refused, while `odesim run`
    opens it with warnings.

    Args:
        path: of a world file, or the name of a world that comes with odesim, as `find_world` takes it.
        config: sampling periods, seeds and synchronization that differ from the world's.
        seed: seed of all noise; shorthand for `SimulationConfig(seed=…)`.
        urdf: URDF, SDF or xacro files of robots to put into it; see `sim_core/scene/urdf/spawn.py`.
        lenient: go on with mistakes and missing PROTO files as `odesim run` does; `scene.warnings` has them.
        download: fetch files that are not found locally from the network.

    Raises:
        SceneError, SceneErrors: the file cannot be read, or parts of it are wrong.
        PhysicsError, DeviceError, ConfigError: it cannot be simulated as it stands.
    """
    config = config or SimulationConfig()
    if seed is not None:
        config = replace(config, seed=seed)
    scene = load_scene(
        find_world(path),
        download=download,
        skip_missing=lenient,
        lenient=lenient,
        instanced=config.instanced,
    )
    if urdf or scene.device_settings:
        from sim_core.scene.robot_files import add_robot_files
        from sim_core.scene.robot_settings import with_device_settings

        add_robot_files(scene, urdf)
        config = with_device_settings(config, scene)
    return Simulation(scene, config)
