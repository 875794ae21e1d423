"""Message definitions as text, stored in bags so that any program can read the messages."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sim_core.base.errors import ConfigError

RULE = "=" * 80
_NUMBERS = ("float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
PRIMITIVES = frozenset(("bool", "byte", "char", "string", "wstring", *_NUMBERS))
FIELD = re.compile(r"^\s*([A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+[A-Za-z]\w*", re.MULTILINE)


class Definition(NamedTuple):
    """Description of a message type in a bag."""

    type_name: str
    """Such as `sensor_msgs/msg/Range`."""
    text: str
    """The .msg file and those of all types in it, each after a line of `=` and a line `MSG: package/Type`."""
    digest: str
    """`RIHS01_…`, the hash by which ROS 2 compares definitions."""


@cache
def definition(type_name: str) -> Definition:
    """Return the definition of a message type, from the installed package or else from rosbags.

    Raises:
        ConfigError: neither has it.
    """
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_KILTED)
    texts = _installed(type_name)
    if texts is None:
        if type_name not in store.types:
            raise ConfigError(
                f"message type {type_name}: found neither in an installed package nor in rosbags"
            )
        return Definition(
            type_name, store.generate_msgdef(type_name, ros_version=2)[0], _digest(store, type_name)
        )
    own = get_typestore(Stores.EMPTY)
    for name, text in texts.items():
        own.register(get_types_from_msg(text, name))
    parts = [text if name == type_name else f"MSG: {_short(name)}\n{text}" for name, text in texts.items()]
    return Definition(type_name, f"\n{RULE}\n".join(parts), _digest(own, type_name))


def _digest(store: Any, type_name: str) -> str:
    return str(store.hash_rihs01(type_name))


def _installed(type_name: str) -> dict[str, str] | None:
    """Return the texts of a type and of all types in it, by name, itself first; None if one is missing."""
    texts: dict[str, str] = {}
    wanted = [type_name]
    while wanted:
        name = wanted.pop(0)
        if name in texts:
            continue
        file = _file(name)
        if file is None:
            return None
        texts[name] = file.read_text(encoding="utf-8")
        package = name.split("/")[0]
        kinds = FIELD.findall(_without_comments(texts[name]))
        wanted += [_full(kind, package) for kind in kinds if kind not in PRIMITIVES]
    return texts


def _without_comments(text: str) -> str:
    return re.sub(r"#.*", "", text)


def _full(kind: str, package: str) -> str:
    """Return `std_msgs/msg/Header` for a field type `std_msgs/Header`, `Header`, or the full name."""
    parts = kind.split("/")
    if len(parts) == 1:
        parts.insert(0, "std_msgs" if kind == "Header" else package)
    return f"{parts[0]}/msg/{parts[-1]}"


def _short(type_name: str) -> str:
    package, _, kind = type_name.split("/")
    return f"{package}/{kind}"


def _file(type_name: str) -> Path | None:
    package, folder, kind = type_name.split("/")
    file = _share(package) / folder / f"{kind}.msg"
    return file if file.is_file() else None


def _share(package: str) -> Path:
    """Return the share folder of a package; packages installed as wheels are not in the index."""
    from ament_index_python.packages import get_package_share_directory

    try:
        return Path(get_package_share_directory(package))
    except (LookupError, ValueError, OSError):
        return Path(sys.prefix) / "share" / package
