"""Sizes that mesh files announce, checked before their readers allocate memory.

A node of Collada may be instanced any number of times, by nodes that are themselves instanced twice: 40 lines
can mean 2⁴⁰ copies. A glTF file can announce numbers that it does not contain, and may draw one mesh many
times. Both are counted here by multiplication.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from sim_core.base.limits import limit, limit_text

JSON_CHUNK = 0x4E4F534A
"""Type of the chunk of a .glb file that contains the JSON."""
COMPONENT_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
"""Bytes of a component by its type number (glTF 2.0, 3.6.2.2)."""
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


class TooLargeError(Exception):
    """A file announces more than a limit; the text states what was found and what was expected."""


def check(name: str, count: int, what: str) -> None:
    """Compare a count with a limit.

    Raises:
        TooLargeError: the count is greater.
    """
    if count > limit(name):
        raise TooLargeError(f"{count} {what}, expected {limit_text(name)}")


def check_collada(roots: Iterable[Any]) -> None:
    """Check the numbers of nodes and triangles of a Collada scene.

    Args:
        roots: root nodes of pycollada.

    Raises:
        TooLargeError: a limit is exceeded.
        ValueError: a node contains itself, or a polygon has a negative number of corners.
    """
    known: dict[int, tuple[int, int]] = {}
    parts, triangles = _sum(_collada_node(root, known) for root in roots)
    check("mesh_parts", parts, "nodes")
    check("mesh_triangles", triangles, "triangles")


def _collada_node(node: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the numbers of nodes and triangles of a node, with those within it."""
    if id(node) in known:
        if known[id(node)] == (0, 0):
            raise ValueError("a node that contains itself")
        return known[id(node)]
    known[id(node)] = (0, 0)
    named = getattr(node, "node", None)  # the node that an instance names, whose children it shows as its own
    within_it = getattr(node, "children", ()) if named is None else (named,)
    parts, triangles = _sum(_collada_node(each, known) for each in within_it)
    owner = getattr(node, "controller", node)
    for primitive in getattr(getattr(owner, "geometry", None), "primitives", ()):
        if hasattr(primitive, "vcounts"):
            corners = [int(count) for count in primitive.vcounts]
            if min(corners, default=0) < 0:
                raise ValueError("a polygon with a negative number of corners")
            triangles += sum(max(0, count - 2) for count in corners)
        else:
            triangles += int(getattr(primitive, "ntriangles", 0))
    known[id(node)] = (parts + 1, triangles)
    return known[id(node)]


def _sum(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    parts = triangles = 0
    for one, other in counts:
        parts, triangles = parts + one, triangles + other
    return parts, triangles


def check_gltf(data: bytes) -> None:
    """Check the counts that a .gltf or .glb file announces.

    Raises:
        TooLargeError: a limit is exceeded.
        KeyError, TypeError, ValueError, struct.error: the file is not valid glTF.
    """
    document = json.loads(_gltf_json(data))
    accessors = document.get("accessors", [])
    counts = [_natural(accessor["count"]) for accessor in accessors]
    sizes = (
        count * COMPONENT_BYTES[accessor["componentType"]] * COMPONENTS[accessor["type"]]
        for count, accessor in zip(counts, accessors, strict=True)
    )
    check("mesh_bytes", sum(sizes), "bytes of numbers")
    meshes = [[_corners(part, counts) for part in mesh["primitives"]] for mesh in document.get("meshes", [])]
    drawn = [meshes[node["mesh"]] for node in document.get("nodes", []) if node.get("mesh") is not None]
    check("mesh_parts", sum(map(len, meshes)) + sum(map(len, drawn)), "parts")
    corners = max(sum(map(sum, meshes)), sum(map(sum, drawn)))
    check("mesh_triangles", corners // 3, "triangles")


def _gltf_json(data: bytes) -> bytes:
    if data[:4] != b"glTF":
        return data
    length, kind = struct.unpack_from("<II", data, 12)
    if kind != JSON_CHUNK:
        raise ValueError("a glb file that does not begin with JSON")
    return data[20 : 20 + length]


def _corners(part: Mapping[str, Any], counts: list[int]) -> int:
    """Return the number of corners of the triangles of a primitive."""
    index = part.get("indices", part["attributes"].get("POSITION"))
    return counts[index] if index is not None else 0


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"a count of {value!r}")
    return value
