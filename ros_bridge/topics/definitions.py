"""Message definitions as text, as a bag carries them, so that any program can read its messages."""

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
    """What a bag says about a message type."""

    type_name: str
    """`sensor_msgs/msg/Range`"""
    text: str
    """The .msg file and those of all types in it, each after a line of `=` and one `MSG: package/Type`."""
    digest: str
    """`RIHS01_…`, by which ROS 2 tells whether two definitions are the same."""


@cache
def definition(type_name: str) -> Definition:
    """The definition of a message type: of the installed package, else of ROS 2 as rosbags knows it.

    Raises:
        ConfigError: it is in neither.
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
    """Texts of a type and of all types in it, by name, itself first; None if one is not installed."""
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
    """`std_msgs/msg/Header` for the type of a field: `std_msgs/Header`, `Header`, or as it should be."""
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
    """The share folder of a package; wheels stand in no index."""
    from ament_index_python.packages import get_package_share_directory

    try:
        return Path(get_package_share_directory(package))
    except (LookupError, ValueError, OSError):
        return Path(sys.prefix) / "share" / package
