"""The message tf2_msgs/TFMessage, which is in every ROS 2 installation but not among the wheels.

What goes over the wire needs no generated code: a message that is CDR already is sent, and taken, as it is.
All that the middleware asks then is what the type is called, its hash, and what it is made of. For this type
that is nearly what MarkerArray has, a list of one other type, so the records that MarkerArray's generated
code holds are copied and say `transforms` and TransformStamped where they said `markers` and Marker
(rosidl_runtime_c/message_type_support_struct.h, rosidl_typesupport_introspection_c/message_introspection.h,
rosidl_typesupport_fastrtps_cpp/message_type_support.h). Nothing else can be done with the class: messages of
it are not filled, and a subscription must be raw.
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
"""By which ROS 2 tells whether two definitions are the same (REP-2016), behind `RIHS01_`."""
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
    """The functions are for messages that are no CDR yet."""

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
    """What rclpy asks a class of messages for."""

    _TYPE_SUPPORT: ClassVar[Any] = None
    _CREATE_ROS_MESSAGE = _CONVERT_FROM_PY = _CONVERT_TO_PY = _DESTROY_ROS_MESSAGE = False
    """No functions: whoever fills or reads such a message as an object is told by a TypeError."""

    @classmethod
    def __import_type_support__(cls) -> None:
        cls._TYPE_SUPPORT = _capsule()


class TFMessage(metaclass=_Meta):
    """Stands for tf2_msgs.msg.TFMessage where that is not installed: for messages that are CDR already."""

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        """As generated classes have it."""
        return {"transforms": "sequence<geometry_msgs/TransformStamped>"}


TFMessage.__module__ = "tf2_msgs.msg._tf_message"


@cache
def tf_message_class() -> Any:
    """The class of the messages on `/tf`: that of the installed package, else one for CDR alone."""
    installed = messages_of("tf2_msgs")
    return TFMessage if installed is None else installed.TFMessage


def raw_class(type_name: str) -> Any:
    """The class of a type of which messages are sent and taken as bytes.

    Raises:
        ImportError, AttributeError: its package is not installed, or has no such message.
    """
    return tf_message_class() if type_name == NAME else message_class(type_name)


_KEPT: list[Any] = []
"""What the middleware has pointers to: it stays to the end of the process."""


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
    """By which rmw_fastrtps names the type."""
    support = _copy(_at(_TypeSupport, _found(model, FASTRTPS)))
    data = _copy(_at(_Callbacks, support.data))
    data.namespace, data.name = b"tf2_msgs::msg", b"TFMessage"
    return _with_data(support, data)


def _of_introspection(model: int, element: int) -> _TypeSupport:
    """By which it says what the type is made of."""
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
    """Address of the type support of a class of messages."""
    kind = type(message_type)
    if kind._TYPE_SUPPORT is None:
        kind.__import_type_support__()
    get = _python("PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
    return int(get(kind._TYPE_SUPPORT, None))


def _found(support: int, identifier: bytes) -> int:
    """Address of one of the type supports of a type."""
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
