"""Convert received bytes to rclpy messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.serialization import deserialize_message
from rosidl_parser.definition import NamespacedType, UnboundedSequence

from ros_bridge.topics.cdr import Decoder
from ros_bridge.topics.tf_message import TFMessage


class Transforms:
    """Replaces tf2_msgs/TFMessage where that is not installed."""

    SLOT_TYPES = (UnboundedSequence(NamespacedType(["geometry_msgs", "msg"], "TransformStamped")),)
    get_fields_and_field_types = staticmethod(TFMessage.get_fields_and_field_types)

    def __init__(self, transforms: list[TransformStamped]) -> None:
        self.transforms = transforms

    def __repr__(self) -> str:
        return f"tf2_msgs.msg.TFMessage(transforms={self.transforms!r})"


def decoder(type_name: str, message_type: Any) -> Callable[[bytes], Any]:
    """Return a function that deserializes messages of a type."""
    if message_type is not TFMessage:
        return lambda data: deserialize_message(data, message_type)
    reader = Decoder()
    return lambda data: Transforms([_transform(each) for each in reader.decode(data, type_name).transforms])


def _transform(read: Any) -> TransformStamped:
    made = TransformStamped(child_frame_id=read.child_frame_id)
    made.header.frame_id = read.header.frame_id
    made.header.stamp.sec, made.header.stamp.nanosec = read.header.stamp.sec, read.header.stamp.nanosec
    for part in ("translation", "rotation"):
        values = getattr(read.transform, part)
        for name in getattr(made.transform, part).get_fields_and_field_types():
            setattr(getattr(made.transform, part), name, getattr(values, name))
    return made
