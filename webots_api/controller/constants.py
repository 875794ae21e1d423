"""Numbers of node types and field types in Webots' interface."""

from __future__ import annotations

NODES = [
    "NO_NODE",
    "APPEARANCE",
    "BACKGROUND",
    "BILLBOARD",
    "BOX",
    "CAD_SHAPE",
    "CAPSULE",
    "COLOR",
    "CONE",
    "COORDINATE",
    "CYLINDER",
    "DIRECTIONAL_LIGHT",
    "ELEVATION_GRID",
    "FOG",
    "GROUP",
    "IMAGE_TEXTURE",
    "INDEXED_FACE_SET",
    "INDEXED_LINE_SET",
    "MATERIAL",
    "MESH",
    "MUSCLE",
    "NORMAL",
    "PBR_APPEARANCE",
    "PLANE",
    "POINT_LIGHT",
    "POINT_SET",
    "POSE",
    "SHAPE",
    "SPHERE",
    "SPOT_LIGHT",
    "TEXTURE_COORDINATE",
    "TEXTURE_TRANSFORM",
    "TRANSFORM",
    "VIEWPOINT",
    "ROBOT",
    "ACCELEROMETER",
    "ALTIMETER",
    "BRAKE",
    "CAMERA",
    "COMPASS",
    "CONNECTOR",
    "DISPLAY",
    "DISTANCE_SENSOR",
    "EMITTER",
    "GPS",
    "GYRO",
    "INERTIAL_UNIT",
    "LED",
    "LIDAR",
    "LIGHT_SENSOR",
    "LINEAR_MOTOR",
    "PEN",
    "POSITION_SENSOR",
    "PROPELLER",
    "RADAR",
    "RANGE_FINDER",
    "RECEIVER",
    "ROTATIONAL_MOTOR",
    "SKIN",
    "SPEAKER",
    "TOUCH_SENSOR",
    "VACUUM_GRIPPER",
    "BALL_JOINT",
    "BALL_JOINT_PARAMETERS",
    "CHARGER",
    "CONTACT_PROPERTIES",
    "DAMPING",
    "FLUID",
    "FOCUS",
    "HINGE_JOINT",
    "HINGE_JOINT_PARAMETERS",
    "HINGE_2_JOINT",
    "IMMERSION_PROPERTIES",
    "JOINT_PARAMETERS",
    "LENS",
    "LENS_FLARE",
    "PHYSICS",
    "RECOGNITION",
    "SLIDER_JOINT",
    "SLOT",
    "SOLID",
    "SOLID_REFERENCE",
    "TRACK",
    "TRACK_WHEEL",
    "WORLD_INFO",
    "ZOOM",
    "MICROPHONE",
    "RADIO",
]
"""Node types in the order of Webots' `nodes.h`, counted from 0."""
OLD_NODES = ["DIFFERENTIAL_WHEELS", "SERVO", "EXTRUSION"]
"""Old node types, numbered after the current ones."""
LATER_NODES = {
    "SUPERVISOR": "ROBOT", "CUSTOM_ROBOT": "ROBOT", "HYPER_GATE": "SOLID", "GRIPPER": "SOLID",
    "CAMERA_ZOOM": "ZOOM",
}  # fmt: skip
"""Current types to which old nodes are converted when a world is read."""

NODE_NUMBERS = {name: number for number, name in enumerate([*NODES, *OLD_NODES])}
NODE_NUMBERS |= {old: NODE_NUMBERS[now] for old, now in LATER_NODES.items()}
BY_TYPE_NAME = {name.replace("_", "").lower(): number for name, number in NODE_NUMBERS.items()}

FIELDS = {
    "SFBool": 0x01, "SFInt32": 0x02, "SFFloat": 0x03, "SFVec2f": 0x04, "SFVec3f": 0x05, "SFRotation": 0x06,
    "SFColor": 0x07, "SFString": 0x08, "SFNode": 0x09,
    "MFBool": 0x11, "MFInt32": 0x12, "MFFloat": 0x13, "MFVec2f": 0x14, "MFVec3f": 0x15, "MFRotation": 0x16,
    "MFColor": 0x17, "MFString": 0x18, "MFNode": 0x19,
}  # fmt: skip
"""Numbers of field types by name, as in Webots' `supervisor.h`."""


def node_number(type_name: str) -> int:
    """Return the number of a node type; 0: unknown to Webots."""
    return BY_TYPE_NAME.get(type_name.lower(), 0)
