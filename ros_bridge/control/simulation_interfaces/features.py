"""GetSimulatorFeatures: the list of supported features."""

from __future__ import annotations

from typing import Any

FEATURES = (
    "SPAWNING", "DELETING", "NAMED_POSES", "POSE_BOUNDS", "ENTITY_TAGS", "ENTITY_BOUNDS", "ENTITY_BOUNDS_BOX",
    "ENTITY_BOUNDS_CONVEX", "ENTITY_CATEGORIES", "SPAWNING_RESOURCE_STRING", "ENTITY_STATE_GETTING",
    "ENTITY_STATE_SETTING", "ENTITY_INFO_GETTING", "ENTITY_INFO_SETTING", "SPAWNABLES", "SIMULATION_RESET",
    "SIMULATION_RESET_TIME", "SIMULATION_RESET_STATE", "SIMULATION_RESET_SPAWNED", "SIMULATION_STATE_GETTING",
    "SIMULATION_STATE_SETTING", "SIMULATION_STATE_PAUSE", "STEP_SIMULATION_SINGLE",
    "STEP_SIMULATION_MULTIPLE", "STEP_SIMULATION_ACTION", "WORLD_LOADING", "WORLD_RESOURCE_STRING",
    "WORLD_TAGS", "WORLD_UNLOADING", "WORLD_INFO_GETTING", "AVAILABLE_WORLDS", "SPAWNING_ENTITIES",
)  # fmt: skip
"""Constants of SimulatorFeatures.msg; an older version of the package may lack some."""
SPAWN_FORMATS = ("urdf", "wbo", "wbt", "proto")
ABOUT = "odesim: Webots worlds (.wbt, .proto, .wbo), X3D and URDF on ODE"


def fill_features(features: Any) -> None:
    """Fill a SimulatorFeatures message."""
    known = type(features)
    features.features = [getattr(known, name) for name in FEATURES if hasattr(known, name)]
    features.spawn_formats = list(SPAWN_FORMATS)
    features.custom_info = ABOUT
