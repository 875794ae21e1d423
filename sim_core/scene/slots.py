"""Slots and the types that fit each other (Webots reference, Slot)."""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.scene.node import Node

GENDERS = {"+": "-", "-": "+"}


def fits(outer: str, inner: str) -> bool:
    """Return whether Slots of two types fit: an empty type fits all, one that ends in + or - its
    counterpart, any other an equal type."""
    if not (outer and inner):
        return True
    gender = GENDERS.get(outer[-1])
    return inner == (outer if gender is None else outer[:-1] + gender)


def through_slots(node: Node | None) -> Node | None:
    """Return the node itself, or the node at the end of a chain of Slots; None: there is none."""
    while node is not None and node.type_name == "Slot":
        node = node["endPoint"]
    return node


def drop_misfit(slot: Node, warnings: list[SceneError]) -> None:
    """Remove a Slot from a Slot that it does not fit, as Webots does, with a warning."""
    end: Node | None = slot["endPoint"] if slot.type_name == "Slot" else None
    if end is None or end.type_name != "Slot" or fits(slot["type"], end["type"]):
        return
    found = f'Slot of type "{end["type"]}" in one of type "{slot["type"]}", left out'
    warnings.append(SceneError(*end.source, found, "equal types, or one with + and one with - at its end"))
    slot["endPoint"] = None
