"""Trees of solids that come and go while everything else is left as it is.

What a tree costs then does not depend on the rest of the world. A tree that comes stands behind all others in
the scene, and so do its bodies, shapes and joints in ODE: all is in the order in which a build of the whole
scene would make it, which is what makes runs after a reset, or from a snapshot, exact.
"""

from __future__ import annotations

from dataclasses import replace

from sim_core.base.geometry import scale
from sim_core.engines.ode.built_world import BuiltWorld
from sim_core.engines.ode.joints.axes import Axis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.reading import Reading
from sim_core.engines.ode.rebuilding import Kept, become
from sim_core.engines.ode.shapes import is_floor
from sim_core.scene import Node


class GrowingWorld(BuiltWorld):
    """The part of `PhysicsWorld` that lets trees come and go; all of it between steps or in phase 1."""

    def take_in(self, roots: list[Node]) -> bool:
        """Take in root nodes that now stand behind all others in the scene.

        They start as the scene says; of all others not one bit changes.

        Returns:
            Whether it could be done this way; if not, nothing has changed, and `rebuild` does it. Fluids and
            floors concern everything; what was there before has its former frames and axes; and solids that
            stood still until they were moved have bodies that come behind all others.

        Raises:
            SceneError, SceneErrors, PhysicsError: the nodes ask for something impossible; nothing has
                changed.
        """
        nodes = {node for root in roots for node in root.walk()}
        if self._mover.loosened or any(
            node.type_name == "Fluid" or node in self._frames or (node, 0) in self._gone for node in nodes
        ):
            return False
        part = replace(self.scene, nodes=roots, _default_info=self.info)
        links: set[Link] = set()
        try:
            reading = Reading(part, self._frames, scale(self.gravity, self._step))
            if any(is_floor(shape) for link in reading.tree.links for shape in link.shapes):
                self._forget_frames(nodes)
                return False
            links.update(reading.tree.links)
            self._fluids.add(reading.tree, reading.plan, reading.warnings)
            self._reading.add(reading)
            self._users += [*reading.tree.links, *reading.axes.values()]
            self._make(reading)
        except Exception:
            self._remove(nodes, links)
            self._forget_frames(nodes)
            raise
        self._islands.add(reading.joints, reading.tree.links)
        new = [link for link in reading.tree.links if link.address]
        self._bodies += new
        self._states.extend([link.address for link in new])
        self._after_building()
        return True

    def let_go_of(self, roots: list[Node]) -> bool:
        """Let go of root nodes that are no longer in the scene.

        Their frames stand still for ever; what sleeps wakes up, for it may have lain on them.

        Returns:
            Whether it could be done this way; if not, nothing has changed, and `rebuild` does it.
        """
        nodes = {node for root in roots for node in root.walk()}
        if any(node.type_name == "Fluid" for node in nodes):
            return False
        links, axes = self._links_of(nodes), self._axes_of(nodes)
        if not links and not axes:
            return True  # they are gone already, or were never taken in
        self._gone |= axes
        self._remove(nodes, links)
        for link in self._bodies:
            link.body.enable()
        self._after_building()
        return True

    def keep_of(self, roots: list[Node]) -> Kept:
        """The state of some trees only, for `Kept.add`."""
        nodes = {node for root in roots for node in root.walk()}
        return Kept(self._links_of(nodes), self._axes_of(nodes), self._touch, self._bonds, self._mover)

    def _links_of(self, nodes: set[Node]) -> set[Link]:
        found = ((node, self._tree.link_of(node)) for node in nodes if node.is_a("Solid"))
        return {link for node, link in found if link is not None and link.solid is node}

    def _axes_of(self, nodes: set[Node]) -> dict[tuple[Node, int], Axis | KinematicAxis]:
        return {key: axis for key, axis in self._axes.items() if key[0] in nodes}

    def _remove(self, nodes: set[Node], links: set[Link]) -> None:
        """Take out all that there is of trees, or of trees that were being made."""
        poses = {link: link.world_pose() for link in links}
        for bond in [bond for bond in self._bonds.made if bond.first in links or bond.second in links]:
            bond.release()
        axes = list(self._axes_of(nodes).values())
        joints = self._reading.drop(nodes, links)
        if joints:
            self._builder.drop(joints, links)
        for axis in axes:
            become(axis, KinematicAxis(axis.name, axis.spec, axis.is_linear))
        gone = {id(each) for each in (*links, *axes)}
        self._tracked = [axis for axis in self._tracked if id(axis) not in gone]
        self._users[:] = [user for user in self._users if id(user) not in gone]
        self._contacts.drop(links)
        self._mover.drop(links)
        self._touch.drop(nodes)
        self._fluids.drop(links)
        self._islands.drop(links)
        if any(link.address for link in links):
            self._bodies = [link for link in self._bodies if link not in links]
            self._states.drop([link.address for link in links if link.address])
        bodies = {id(link.body) for link in links}
        self._keeper.bodies[:] = [body for body in self._keeper.bodies if id(body) not in bodies]
        for link in links:
            link.stand_still(poses[link])

    def _forget_frames(self, nodes: set[Node]) -> None:
        for node in nodes:
            self._frames.pop(node, None)
