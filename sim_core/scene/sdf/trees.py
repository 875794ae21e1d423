"""Links and joints as trees: groups that move together, their roots, and joints that close loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose
from sim_core.scene.gazebo.tags import Tag
from sim_core.scene.robot_description import JointElement, LinkElement, RobotDescription
from sim_core.scene.sdf.joints import reversed_joint
from sim_core.scene.sdf.scopes import WORLD, Scope
from sim_core.scene.urdf.structure import MAX_CHAIN
from sim_core.scene.x3d.scenery_item import Item

HERE = Pose()


@dataclass
class FlatModel:
    """A model with its nested models merged.

    Attributes:
        poses: poses of the links in the frame of the model.
        static_links: static links.
        sensors: sensors with the name of their link or joint.
        plugins: plugins with full names of links and joints.
        canonical: canonical link of the model.
    """

    links: dict[str, LinkElement] = field(default_factory=dict)
    poses: dict[str, Pose] = field(default_factory=dict)
    static_links: set[str] = field(default_factory=set)
    joints: dict[str, JointElement] = field(default_factory=dict)
    sensors: list[tuple[str, Item]] = field(default_factory=list)
    plugins: list[Item] = field(default_factory=list)
    lights: dict[str, list[Tag]] = field(default_factory=dict)
    canonical: str = ""


def groups_of(flat: FlatModel) -> list[set[str]]:
    """Return groups of connected links, in file order, with `world` if a link is connected to it.

    Static links are one group.
    """
    group_of: dict[str, set[str]] = {name: {name} for name in flat.links}
    pairs = [(joint.parent, joint.child) for joint in flat.joints.values()]
    pairs += zip(flat.static_links, list(flat.static_links)[1:], strict=False)
    for ends in pairs:
        links = [end for end in ends if end != WORLD]
        merged = set(ends).union(*(group_of[link] for link in links))
        for name in merged - {WORLD}:
            group_of[name] = merged
    return list({id(group): group for group in group_of.values()}.values())


def tree_of(flat: FlatModel, group: set[str], scope: Scope) -> RobotDescription:
    """Return a group of links as a tree; joints that would make a cycle close loops.

    Joints that lead up the tree are reversed. Static links are connected by fixed joints only.

    Raises:
        SceneError: a chain of joints is too long.
    """
    links = [name for name in flat.links if name in group]
    joints = [joint for joint in flat.joints.values() if joint.child in group or joint.parent in group]
    static = [name for name in links if name in flat.static_links]
    if static:
        joints = [each for each in joints if not {each.parent, each.child} <= {WORLD, *static}]
        joints += [_fixed(flat, WORLD, name) for name in static]
    in_world = WORLD in group or static
    tree, loops = _spanning(joints)
    children = {joint.child for joint in tree}
    root = WORLD if in_world else next((name for name in links if name not in children), links[0])
    made = RobotDescription(scope.name, root, source=scope.source, self_collides=scope.self_collides)
    made.links = {name: flat.links[name] for name in links}
    made.joints = {joint.name: joint for joint in _from_root(root, tree)}
    for joint in loops:
        if WORLD not in (joint.parent, joint.child) or joint.kind != "fixed":
            made.joints[joint.name] = replace(joint, closes_loop=True)
    order = {name: number for number, name in enumerate(flat.joints)}
    made.joints = dict(sorted(made.joints.items(), key=lambda each: order.get(each[0], len(order))))
    made.pinned = bool(in_world)
    made.start = flat.poses.get(root, HERE)
    if in_world:
        _resolve_world_link(made, flat)
    return made


def _resolve_world_link(model: RobotDescription, flat: FlatModel) -> None:
    """Make the first link fixed to the world the root if all joints to the world are fixed, else keep a
    link `world`."""
    at_world = [joint for joint in model.joints.values() if WORLD in (joint.parent, joint.child)]
    if any(joint.kind != "fixed" for joint in at_world):
        model.links = {WORLD: LinkElement(WORLD, source=model.source), **model.links}
        return
    first = next((each for each in at_world if each.child == flat.canonical), at_world[0])
    model.root, model.start = first.child, flat.poses[first.child]
    for joint in at_world:
        del model.joints[joint.name]
        if joint is not first:
            fixed = _fixed(flat, model.root, joint.child)
            model.joints[fixed.name] = fixed


def _fixed(flat: FlatModel, parent: str, child: str) -> JointElement:
    at, below = flat.poses.get(parent, HERE), flat.poses[child]
    name = f"{parent}_{child}"
    return JointElement(name, "fixed", parent, child, at.inverse() * below, source=flat.links[child].source)


def _spanning(joints: list[JointElement]) -> tuple[list[JointElement], list[JointElement]]:
    """Return the joints that make a tree, the first ones in the file, and those that close loops in it."""
    top: dict[str, str] = {}

    def find(name: str) -> str:
        while name in top:
            name = top[name]
        return name

    tree, loops = [], []
    for joint in joints:
        a, b = find(joint.parent), find(joint.child)
        if a == b:
            loops.append(joint)
        else:
            top[b] = a
            tree.append(joint)
    return tree, loops


def _from_root(root: str, tree: list[JointElement]) -> Iterator[JointElement]:
    """Yield the joints of a tree, each leading away from its root.

    Raises:
        SceneError: a chain of them is too long.
    """
    at: dict[str, list[JointElement]] = {}
    for joint in tree:
        at.setdefault(joint.parent, []).append(joint)
        at.setdefault(joint.child, []).append(joint)
    pending, depths = [root], {root: 0}
    while pending:
        name = pending.pop()
        for joint in at.get(name, ()):
            if {joint.parent, joint.child} <= depths.keys():
                continue
            away = joint if joint.parent == name else reversed_joint(joint)
            depths[away.child] = depths[name] + 1
            if depths[away.child] > MAX_CHAIN:
                found = f"a chain of more than {MAX_CHAIN} joints"
                raise SceneError(*joint.source, found, "a shorter one")
            pending.append(away.child)
            yield away
