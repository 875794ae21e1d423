"""odesim's simulator: scene, physics and devices, without ROS.

    import sim_core
    sim = sim_core.load_world("wall_avoiders")
    sim.robot("robot1")["motor_left"].set_velocity(4.0)
    sim.step()

The public names are loaded when first used, so that reading a scene does not load the physics engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim_core.base.config import (
        AckermannConfig,
        DeviceConfig,
        DriveConfig,
        MecanumConfig,
        RobotConfig,
        SimulationConfig,
    )
    from sim_core.base.errors import (
        CommandError,
        ConfigError,
        DeviceError,
        MissingPackageError,
        Mistake,
        OdesimError,
        PhysicsError,
        RecordingError,
        SceneError,
        SceneErrors,
        SnapshotError,
        StateNotFiniteError,
    )
    from sim_core.session.load_world import load_world
    from sim_core.session.robot import Robot
    from sim_core.session.simulation import Simulation

__version__ = "0.1.0"

__all__ = [
    "AckermannConfig",
    "CommandError",
    "ConfigError",
    "DeviceConfig",
    "DeviceError",
    "DriveConfig",
    "MecanumConfig",
    "MissingPackageError",
    "Mistake",
    "OdesimError",
    "PhysicsError",
    "RecordingError",
    "Robot",
    "RobotConfig",
    "SceneError",
    "SceneErrors",
    "Simulation",
    "SimulationConfig",
    "SnapshotError",
    "StateNotFiniteError",
    "load_world",
]

_HOMES = {
    "sim_core.base.config": (
        "AckermannConfig",
        "DeviceConfig",
        "DriveConfig",
        "MecanumConfig",
        "RobotConfig",
        "SimulationConfig",
    ),
    "sim_core.session.load_world": ("load_world",),
    "sim_core.session.robot": ("Robot",),
    "sim_core.session.simulation": ("Simulation",),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sim_core' has no attribute {name!r}")
    home = next((module for module, names in _HOMES.items() if name in names), "sim_core.base.errors")
    try:
        value = getattr(import_module(home), name)
    except ModuleNotFoundError as error:
        from sim_core.base.missing_packages import missing_package

        raise missing_package(error) or error from None
    globals()[name] = value
    return value
