"""The message tf2_msgs/TFMessage, which is in every ROS 2 installation but not on PyPI.

A message that is already serialized is sent and received as it is, without generated code. The middleware
then only needs the type's name, its hash, and its structure. This type differs little from MarkerArray (a
list of another type), so the records in MarkerArray's generated code are copied and renamed: `transforms` and
TransformStamped instead of `markers` and Marker (rosidl_runtime_c/message_type_support_struct.h,
rosidl_typesupport_introspection_c/message_introspection.h,
rosidl_typesupport_fastrtps_cpp/message_type_support.h). The class cannot be used for anything else: its
messages cannot be filled, and a subscription must be raw.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, addressof, c_bool, c_char_p, c_size_t, c_uint8, c_uint32, c_void_p
from functools import cache
from typing import Any, ClassVar

from ros_bridge.topics.conversions import message_class, messages_of

NAME = "tf2_msgs/msg/TFMessage"
DIGEST = "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
"""Hash by which ROS 2 compares definitions (REP-2016), without `RIHS01_`."""
FASTRTPS, INTROSPECTION = b"rosidl_typesupport_fastrtps_c", b"rosidl_typesupport_introspection_c"

_FIND = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_char_p)
_GET_HASH = ctypes.CFUNCTYPE(c_void_p, c_void_p)


class _TypeSupport(Structure):
    _fields_ = (
        ("identifier", c_char_p),
        ("data", c_void_p),
        ("find", _FIND),
        ("get_hash", _GET_HASH),
        ("get_description", c_void_p),
        ("get_sources", c_void_p),
    )


class _Callbacks(Structure):
    """Callbacks of Fast DDS type support; used only for messages that are not serialized yet."""

    _fields_ = (
        ("namespace", c_char_p),
        ("name", c_char_p),
        ("functions", c_void_p * 4),
        ("key_functions", c_void_p),
    )


class _MessageMember(Structure):
    _fields_ = (
        ("name", c_char_p),
        ("type_id", c_uint8),
        ("string_bound", c_size_t),
        ("members", c_void_p),
        ("is_key", c_bool),
        ("is_array", c_bool),
        ("array_size", c_size_t),
        ("is_bounded", c_bool),
        ("offset", c_uint32),
        ("default", c_void_p),
        ("functions", c_void_p * 6),
    )


class _Members(Structure):
    _fields_ = (
        ("namespace", c_char_p),
        ("name", c_char_p),
        ("count", c_uint32),
        ("size", c_size_t),
        ("has_key", c_bool),
        ("members", POINTER(_MessageMember)),
        ("begin", c_void_p),
        ("end", c_void_p),
    )


class _Hash(Structure):
    _fields_ = (("version", c_uint8), ("value", c_uint8 * 32))


class _Meta(type):
    """The attributes that rclpy reads from a message class."""

    _TYPE_SUPPORT: ClassVar[Any] = None
    _CREATE_ROS_MESSAGE = _CONVERT_FROM_PY = _CONVERT_TO_PY = _DESTROY_ROS_MESSAGE = False
    """No functions: filling or reading such a message as an object raises a TypeError."""

    @classmethod
    def __import_type_support__(cls) -> None:
        cls._TYPE_SUPPORT = _capsule()


class TFMessage(metaclass=_Meta):
    """Replaces tf2_msgs.msg.TFMessage where that is not installed, for serialized messages only."""

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        """Return the fields, as generated classes do."""
        return {"transforms": "sequence<geometry_msgs/TransformStamped>"}


TFMessage.__module__ = "tf2_msgs.msg._tf_message"


@cache
def tf_message_class() -> Any:
    """Return the class of messages on `/tf`: the installed one, else one for serialized messages only."""
    installed = messages_of("tf2_msgs")
    return TFMessage if installed is None else installed.TFMessage


def raw_class(type_name: str) -> Any:
    """Return a class for sending and receiving serialized messages of a type.

    Raises:
        ImportError, AttributeError: its package is not installed, or does not contain the message.
    """
    return tf_message_class() if type_name == NAME else message_class(type_name)


_KEPT: list[Any] = []
"""Objects that the middleware has pointers to; kept until the process ends."""


def _capsule() -> Any:
    from geometry_msgs.msg import TransformStamped
    from visualization_msgs.msg import MarkerArray

    model, element = _type_support(MarkerArray), _type_support(TransformStamped)
    digest = _Hash(1, (c_uint8 * 32)(*bytes.fromhex(DIGEST)))
    get_hash = _GET_HASH(lambda _: addressof(digest))
    parts = {FASTRTPS: _of_fast_dds(model), INTROSPECTION: _of_introspection(model, element)}
    for part in parts.values():
        part.get_hash = get_hash
    whole = _copy(_at(_TypeSupport, model))
    whole.find = _FIND(lambda _, wanted: addressof(parts[wanted]) if wanted in parts else None)
    whole.get_hash = get_hash
    _KEPT.extend((digest, get_hash, parts, whole, whole.find))
    return _python("PyCapsule_New", ctypes.py_object, c_void_p, c_char_p, c_void_p)(
        addressof(whole), None, None
    )


def _of_fast_dds(model: int) -> _TypeSupport:
    """Return the record that contains the type's name for rmw_fastrtps."""
    support = _copy(_at(_TypeSupport, _found(model, FASTRTPS)))
    data = _copy(_at(_Callbacks, support.data))
    data.namespace, data.name = b"tf2_msgs::msg", b"TFMessage"
    return _with_data(support, data)


def _of_introspection(model: int, element: int) -> _TypeSupport:
    """Return the record that describes the type's structure."""
    support = _copy(_at(_TypeSupport, _found(model, INTROSPECTION)))
    data = _copy(_at(_Members, support.data))
    field = _copy(data.members.contents)
    field.name, field.members = b"transforms", _found(element, INTROSPECTION)
    data.namespace, data.name, data.members = b"tf2_msgs__msg", b"TFMessage", ctypes.pointer(field)
    _KEPT.append(field)
    return _with_data(support, data)


def _with_data(support: _TypeSupport, data: Structure) -> _TypeSupport:
    support.data = addressof(data)
    _KEPT.append(data)
    return support


def _type_support(message_type: Any) -> int:
    """Return the address of the type support of a message class."""
    kind = type(message_type)
    if kind._TYPE_SUPPORT is None:
        kind.__import_type_support__()
    get = _python("PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
    return int(get(kind._TYPE_SUPPORT, None))


def _found(support: int, identifier: bytes) -> int:
    """Return the address of one of the type supports of a type."""
    find = ctypes.CDLL("librosidl_runtime_c.so").get_message_typesupport_handle
    find.restype, find.argtypes = c_void_p, (c_void_p, c_char_p)
    return int(find(support, identifier))


def _python(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


def _at(kind: Any, address: int) -> Any:
    return kind.from_address(address)


def _copy(record: Any) -> Any:
    made = type(record)()
    ctypes.memmove(addressof(made), addressof(record), ctypes.sizeof(record))
    return made
