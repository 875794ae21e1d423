"""Messages of simulation_interfaces for tests: the real ones, or where they are not installed, our own of the
same fields. A line is a message; nested messages are made with their parents, as in ROS."""

import importlib.util
from types import SimpleNamespace
from typing import Any

from geometry_msgs.msg import Accel, Pose, PoseStamped, Twist, Vector3
from std_msgs.msg import Header

ENTITY = "string entity"
RESULT = "Result result"
FIELDS = {
    "Result": "uint8 result, string error_message",
    "EntityCategory": "uint8 category",
    "EntityInfo": "EntityCategory category, string description, string[] tags",
    "EntityState": "Header header, Pose pose, Twist twist, Accel acceleration",
    "Bounds": "uint8 type, Vector3[] points",
    "TagsFilter": "string[] tags, uint8 filter_mode",
    "EntityFilters": "string filter, EntityCategory[] categories, TagsFilter tags, Bounds bounds",
    "Resource": "string uri, string resource_string",
    "Spawnable": "Resource entity_resource, string description, Bounds spawn_bounds",
    "SpawnEntity": "string name, bool allow_renaming, Resource entity_resource, string entity_namespace, "
    "PoseStamped initial_pose",
    "SpawnResult": f"{RESULT}, string entity_name",
    "NamedPose": "string name, string description, string[] tags, Pose pose",
    "SimulationState": "uint8 state",
    "WorldResource": "string name, Resource world_resource, string description, string[] tags",
}
SERVICES = {
    "GetEntities": ("EntityFilters filters", f"{RESULT}, string[] entities"),
    "GetEntitiesStates": ("EntityFilters filters", f"{RESULT}, string[] entities, EntityState[] states"),
    "GetEntityInfo": (ENTITY, f"{RESULT}, EntityInfo info"),
    "SetEntityInfo": (f"{ENTITY}, EntityInfo info", RESULT),
    "GetEntityBounds": (ENTITY, f"{RESULT}, Bounds bounds"),
    "GetEntityState": (ENTITY, f"{RESULT}, EntityState state"),
    "SetEntityState": (
        f"{ENTITY}, EntityState state, bool set_pose, bool set_twist, bool set_acceleration",
        RESULT,
    ),
    "DeleteEntity": (ENTITY, RESULT),
    "SpawnEntity": (FIELDS["SpawnEntity"], f"{RESULT}, string entity_name"),
    "SpawnEntities": ("SpawnEntity[] spawn_requests", f"{RESULT}, SpawnResult[] results"),
    "GetSpawnables": ("string[] sources", f"{RESULT}, Spawnable[] spawnables"),
    "GetNamedPoses": ("TagsFilter tags", f"{RESULT}, NamedPose[] poses"),
    "GetNamedPoseBounds": ("string name", f"{RESULT}, Bounds bounds"),
    "GetSimulationState": ("", f"SimulationState state, {RESULT}"),
    "SetSimulationState": ("SimulationState state", RESULT),
    "ResetSimulation": ("uint8 scope", RESULT),
    "LoadWorld": (
        "Resource world_resource, bool fail_on_unsupported_element, "
        "bool ignore_missing_or_unsupported_assets",
        f"{RESULT}, WorldResource world",
    ),
    "UnloadWorld": ("", RESULT),
    "GetCurrentWorld": ("", f"{RESULT}, WorldResource world"),
    "GetAvailableWorlds": (
        "string[] additional_sources, TagsFilter filter, bool offline_only, bool continue_on_error",
        f"{RESULT}, WorldResource[] worlds",
    ),
}
STANDARD = {
    "Header": Header,
    "Pose": Pose,
    "PoseStamped": PoseStamped,
    "Twist": Twist,
    "Accel": Accel,
    "Vector3": Vector3,
}
PLAIN: dict[str, Any] = {"uint8": 0, "string": "", "bool": False}


def _made(kind: str) -> Any:
    if kind.endswith("[]"):
        return []
    if kind in PLAIN:
        return PLAIN[kind]
    return STANDARD[kind]() if kind in STANDARD else CLASSES[kind]()


def _class(name: str, fields: str) -> type:
    pairs = [field.split() for field in fields.split(", ") if field]

    def __init__(self: Any, **given: Any) -> None:
        for kind, field in pairs:
            setattr(self, field, given.pop(field) if field in given else _made(kind))
        assert not given, f"{name} has no {', '.join(given)}"

    return type(name, (), {"__init__": __init__, "__slots__": [field for _, field in pairs]})


CLASSES = {name: _class(name, fields) for name, fields in FIELDS.items()}
INSTALLED = importlib.util.find_spec("simulation_interfaces") is not None
if INSTALLED:
    import simulation_interfaces.msg as msg
    import simulation_interfaces.srv as srv
else:
    msg = SimpleNamespace(**CLASSES)
    srv = SimpleNamespace(
        **{
            name: SimpleNamespace(
                Request=_class(f"{name}.Request", asked), Response=_class(f"{name}.Response", answered)
            )
            for name, (asked, answered) in SERVICES.items()
        }
    )
