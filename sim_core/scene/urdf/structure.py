"""Check that links and joints make one tree, and find the link that is the robot's body.

Two names have a meaning in ROS (REP-105): a root link `world` fixes the robot to the world, and `base_link`
is the body, also if it is fixed to a root such as `base_footprint`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.errors import Mistake, SceneError
from sim_core.scene.robot_description import FREE, MOVING, JointElement, Mimic, RobotDescription

WORLD = "world"
BASE = "base_link"
MAX_CHAIN = 100


def checked_structure(model: RobotDescription, warnings: list[SceneError]) -> list[SceneError]:
    """Find the root, apply the meaning of `world` and `base_link`, resolve mimics of mimics.

    Returns:
        The problems; the model must not be used if there are any.
    """
    if model.is_about_another:
        return []
    if not model.links:
        return [SceneError(*model.source, "a robot without links", "<link name=…>")]
    problems = _unknown_links(model) or _second_parents(model) or _root_problems(model)
    if problems:
        return problems
    _resolve_world_link(model)
    problems = _chain_problems(model)
    if problems:
        return problems
    make_root(model, BASE)
    _warn_of_unknown(model, warnings)
    warnings += mimic_mistakes(model)
    return []


def _unknown_links(model: RobotDescription) -> list[SceneError]:
    problems = []
    for joint in model.joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in model.links:
                found = f'{end} of joint "{joint.name}" is the link "{name}"'
                problems.append(SceneError(*joint.source, found, f"one of {_name_list(model.links)}"))
    return problems


def _second_parents(model: RobotDescription) -> list[SceneError]:
    first: dict[str, JointElement] = {}
    problems = []
    for joint in model.joints.values():
        other = first.setdefault(joint.child, joint)
        if other is not joint:
            found = f'link "{joint.child}" is the child of the joints "{other.name}" and "{joint.name}"'
            problems.append(SceneError(*joint.source, found, "one joint"))
    return problems


def _root_problems(model: RobotDescription) -> list[SceneError]:
    children = {joint.child for joint in model.joints.values()}
    roots = [link for name, link in model.links.items() if name not in children]
    if len(roots) > 1:
        found = f"the links {_name_list(link.name for link in roots)} are children of no joint"
        return [SceneError(*roots[1].source, found, "one root")]
    reached: set[str] = set()
    if roots:
        model.root = roots[0].name
        below = model.joints_below()
        pending = [model.root]
        while pending:
            name = pending.pop()
            reached.add(name)
            pending += [joint.child for joint in below[name]]
    for joint in model.joints.values():
        if joint.child not in reached:
            return [SceneError(*joint.source, f"a cycle through {_cycle(model, joint)}", "a tree")]
    return []


def _cycle(model: RobotDescription, start: JointElement) -> str:
    """Return the links of the cycle that contains a joint, or to which it leads upwards."""
    above = {joint.child: joint.parent for joint in model.joints.values()}
    seen: list[str] = []
    name = start.child
    while name not in seen:
        seen.append(name)
        name = above[name]
    return " – ".join(f'"{each}"' for each in seen[seen.index(name) :])


def _chain_problems(model: RobotDescription) -> list[SceneError]:
    depth = {model.root: 0}
    below = model.joints_below()
    pending = [model.root]
    while pending:
        name = pending.pop()
        for joint in below[name]:
            if joint.kind == FREE:
                found = f'joint "{joint.name}" of type floating'
                return [SceneError(*joint.source, found, f'one below the root link "{WORLD}" only')]
            depth[joint.child] = depth[name] + 1
            if depth[joint.child] > MAX_CHAIN:
                found = f"a chain of more than {MAX_CHAIN} joints"
                return [SceneError(*joint.source, found, "a shorter one")]
            pending.append(joint.child)
    return []


def _resolve_world_link(model: RobotDescription) -> None:
    """Remove a link `world` without shapes from the robot: its joint determines how the robot is fixed to
    the world."""
    world = model.links[model.root]
    joints = [joint for joint in model.joints.values() if joint.parent == WORLD]
    if model.root != WORLD:
        return
    model.pinned = True
    if world.visuals or world.collisions or len(joints) != 1 or joints[0].kind not in ("fixed", FREE):
        return
    joint = joints[0]
    model.pinned = joint.kind != FREE
    del model.links[WORLD], model.joints[joint.name]
    model.root = joint.child
    model.start = joint.origin


def make_root(model: RobotDescription, name: str) -> bool:
    """Reverse the joints between a link and the root if they are fixed; return whether it is the root now."""
    if name not in model.links:
        return False
    by_child = {joint.child: joint for joint in model.joints.values() if not joint.closes_loop}
    path: list[JointElement] = []
    above = name
    while above != model.root:
        path.append(by_child[above])
        above = path[-1].parent
    if any(joint.kind != "fixed" for joint in path):
        return False
    for joint in reversed(path):
        model.start = model.start * joint.origin
    for joint in path:
        joint.parent, joint.child = joint.child, joint.parent
        joint.origin = joint.origin.inverse()
    model.root = name
    return True


def _warn_of_unknown(model: RobotDescription, warnings: list[SceneError]) -> None:
    if model.actuated is not None:
        model.actuated = {name for name in model.actuated if name in model.joints} or None
    for name in list(model.friction):
        if name not in model.links:
            del model.friction[name]
            found = f'<gazebo> friction of the link "{name}", which is not there'
            warnings.append(SceneError(*model.source, found))


def mimic_mistakes(model: RobotDescription) -> list[Mistake]:
    """Resolve a mimic of a mimic to the joint that leads them all; remove mimics with a mistake."""
    mistakes = []
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        multiplier, offset, seen = 1.0, 0.0, [joint.name]
        leader = joint
        while leader.mimic is not None:
            mimic = leader.mimic
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            following = model.joints.get(mimic.joint)
            if following is None or following.kind not in MOVING or following.name in seen:
                found = f'joint "{leader.name}" mimics "{mimic.joint}"'
                used, expected = "it moves independently", "another joint that moves"
                mistakes.append(Mistake(*joint.source, found, used, expected))
                joint.mimic = None
                break
            leader = following
            seen.append(leader.name)
        else:
            joint.mimic = Mimic(leader.name, multiplier, offset)
    return mistakes


def _name_list(names: Iterable[str]) -> str:
    listed = [f'"{name}"' for name in names]
    return ", ".join(listed[:6]) + (", …" if len(listed) > 6 else "")
