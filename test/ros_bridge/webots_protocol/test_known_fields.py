"""Fields in the layout of each client version."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from ros_bridge.webots_protocol.known_fields import KnownFields
from ros_bridge.webots_protocol.known_nodes import KnownNodes
from ros_bridge.webots_protocol.layout import PacketReader
from ros_bridge.webots_protocol.versions import R2022B, R2023A, R2025A, Version
from webots_api.controller.constants import FIELDS

FOUND = {
    "SFVec3f": {"place": 0, "name": "translation", "type": "SFVec3f", "count": -1, "actual": None},
    "MFColor": {"place": 4, "name": "colors", "type": "MFColor", "count": 3, "actual": None},
}


def told(version: Version, kind: str) -> bytes:
    """Return the answer to a request for a field by name, without tag and number of the message."""
    fields = KnownFields(version, lambda *_: None, KnownNodes(version, lambda *_: None, {}))
    level = struct.pack("<i", -1) if version.has_levels else b""
    question: Any = PacketReader(struct.pack("<i", 7) + level + b"any\0" + b"\0")
    return fields.by_name(question).pack(FOUND[kind])[3:]


@pytest.mark.parametrize("kind", FOUND)
def test_a_field_is_told_with_its_count_where_the_client_reads_one(kind: str) -> None:
    found = FOUND[kind]
    head = struct.pack("<iiB", found["place"], FIELDS[kind], 0)
    count, name = struct.pack("<i", found["count"]), str(found["name"]).encode() + b"\0"
    assert told(R2025A, kind) == head + count + struct.pack("<ii", -1, -1) + name
    assert told(R2023A, kind) == head + count + name
    assert told(R2022B, kind) == head + (count if kind.startswith("MF") else b"") + name
