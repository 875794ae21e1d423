"""Trees of solids that come and go while everything else is left as it is.

What a tree costs then does not depend on the rest of the world. A tree that comes stands behind all others in
the scene, and so do its bodies, shapes and joints in ODE: all is in the order in which a build of the whole
scene would make it, which is what makes runs after a reset, or from a snapshot, exact.
"""

from __future__ import annotations

from dataclasses import replace

from sim_core.base.geometry import scale
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.reading import Reading
from sim_core.engines.ode.rebuilding import become
from sim_core.engines.ode.shapes import is_floor
from sim_core.scene import Node


def take_in(built: BuiltWorld, roots: list[Node]) -> bool:
    """Take in root nodes that now stand behind all others in the scene.

    They start as the scene says; of all others not one bit changes.

    Returns:
        Whether it could be done this way; if not, nothing has changed, and `rebuild` does it. Fluids and
        floors concern everything; what was there before has its former frames and axes; and solids
        that stood still until they were moved have bodies that come behind all others.

    Raises:
        SceneError, SceneErrors, PhysicsError: the nodes ask for something impossible; nothing has
            changed.
    """
    nodes = {node for root in roots for node in root.walk()}
    if built.mover.loosened or any(
        node.type_name == "Fluid" or node in built.frames or (node, 0) in built.gone for node in nodes
    ):
        return False
    part = replace(built.scene, nodes=roots, _default_info=built.info)
    links: set[Link] = set()
    try:
        reading = Reading(part, built.frames, scale(built.gravity, built.seconds))
        if any(is_floor(shape) for link in reading.tree.links for shape in link.shapes):
            _forget_frames(built, nodes)
            return False
        links.update(reading.tree.links)
        built.fluids.add(reading.tree, reading.plan, reading.warnings)
        built.reading.add(reading)
        built.users += [*reading.tree.links, *reading.axes.values()]
        built.make(reading)
    except Exception:
        _remove(built, nodes, links)
        _forget_frames(built, nodes)
        raise
    built.islands.add(reading.joints, reading.tree.links)
    new = [link for link in reading.tree.links if link.address]
    built.bodies += new
    built.states.extend([link.address for link in new])
    built.after_building()
    return True


def let_go_of(built: BuiltWorld, roots: list[Node]) -> bool:
    """Let go of root nodes that are no longer in the scene.

    Their frames stand still for ever; what sleeps wakes up, for it may have lain on them.

    Returns:
        Whether it could be done this way; if not, nothing has changed, and `rebuild` does it.
    """
    nodes = {node for root in roots for node in root.walk()}
    if any(node.type_name == "Fluid" for node in nodes):
        return False
    links, axes = built.links_of(nodes), built.axes_of(nodes)
    if not links and not axes:
        return True  # they are gone already, or were never taken in
    built.gone |= axes
    _remove(built, nodes, links)
    for link in built.bodies:
        link.body.enable()
    built.after_building()
    return True


def _remove(built: BuiltWorld, nodes: set[Node], links: set[Link]) -> None:
    """Take out all that there is of trees, or of trees that were being made."""
    poses = {link: link.world_pose() for link in links}
    for bond in [bond for bond in built.bonds.made if bond.first in links or bond.second in links]:
        bond.release()
    axes = list(built.axes_of(nodes).values())
    joints = built.reading.drop(nodes, links)
    if joints:
        built.builder.drop(joints, links)
    for axis in axes:
        become(axis, KinematicAxis(axis.name, axis.spec, axis.is_linear))
    gone = {id(each) for each in (*links, *axes)}
    built.tracked = [axis for axis in built.tracked if id(axis) not in gone]
    built.users[:] = [user for user in built.users if id(user) not in gone]
    built.contacts.drop(links)
    built.mover.drop(links)
    built.touch.drop(nodes)
    built.fluids.drop(links)
    built.islands.drop(links)
    if any(link.address for link in links):
        built.bodies = [link for link in built.bodies if link not in links]
        built.states.drop([link.address for link in links if link.address])
    bodies = {id(link.body) for link in links}
    built.keeper.bodies[:] = [body for body in built.keeper.bodies if id(body) not in bodies]
    for link in links:
        link.stand_still(poses[link])


def _forget_frames(built: BuiltWorld, nodes: set[Node]) -> None:
    for node in nodes:
        built.frames.pop(node, None)
