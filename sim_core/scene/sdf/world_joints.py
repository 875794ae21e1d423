"""`<joint>` in a `<world>`: models that such joints connect become one, in which they are nested."""

from __future__ import annotations

from sim_core.base.errors import Mistake, SceneError
from sim_core.scene.sdf.frames import inner_scope
from sim_core.scene.sdf.scopes import WORLD, Element, Scope


def nest_joined(world: Scope, warnings: list[SceneError]) -> None:
    """Merge models that the joints of a world connect; the merged model has the name of the first one.

    `warnings` receives joints whose models do not exist.
    """
    groups: dict[str, set[str]] = {name: {name} for name in world.models}
    joints: list[tuple[Element, str]] = []
    for joint in world.joints.values():
        ends = {joint.tag.word("parent"), joint.tag.word("child")} - {WORLD}
        joined = {head for head, model, _ in (inner_scope(world, end) for end in ends) if model is not None}
        if len(joined) < len(ends) or not joined:
            found = f'joint "{joint.name}" between {" and ".join(sorted(ends)) or WORLD}'
            warnings.append(Mistake(*joint.tag.source, found, "left out", "two models of the world"))
            continue
        merged = set().union(*(groups[name] for name in joined))
        groups |= dict.fromkeys(merged, merged)
        joints.append((joint, min(joined)))
    held = {id(groups[name]): groups[name] for _, name in joints}
    for group in held.values():
        inside = {name: model for name, model in world.models.items() if name in group}
        name, first = next(iter(inside.items()))
        own = {joint.name: joint for joint, end in joints if end in group}
        outer = Scope(name, first.by, first.source, models=inside, joints=own, frames=world.frames)
        world.models = {
            each: outer if each == name else model
            for each, model in world.models.items()
            if each == name or each not in group
        }
