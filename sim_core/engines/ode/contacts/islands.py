"""Choice of the solver for a step: the exact one is more accurate, but too slow for large islands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sim_core.base.ids import NodeId
from sim_core.engines.ode.joints.joint_plan import JointPlan
from sim_core.engines.ode.links import Link
from sim_core.engines.ode.shapes import Shape

LARGE = 250
"""Number of constraint rows in an island from which on the iterative solver is used."""
ROWS_OF_A_JOINT = 6
ROWS_OF_A_CONTACT = 3


class Islands:
    """Counts the constraints in islands: bodies connected by joints and by the contacts of a step."""

    def __init__(self) -> None:
        self._rows: dict[NodeId, int] = defaultdict(int)

    def add_trees(self, joints: Iterable[JointPlan], links: Iterable[Link]) -> None:
        """Add the joints and the shapes of trees."""
        for joint in joints:
            if joint.record.is_dynamic and joint.child is not None:
                self._rows[joint.child.top] += ROWS_OF_A_JOINT
        for link in links:  # they may stand on the ground
            if link.mass > 0.0:
                self._rows[link.top] += ROWS_OF_A_CONTACT * len(link.shapes)

    def remove_links(self, links: Iterable[Link]) -> None:
        """Remove the trees of links."""
        for link in links:
            self._rows.pop(link.top, None)

    def is_large(self, pairs: list[tuple[Shape, Shape]]) -> bool:
        """Return whether the contacts between these shapes make an island too large for the exact solver."""
        parents: dict[NodeId, NodeId] = {}
        rows: dict[NodeId, int] = {}
        if len(pairs) * 4 * ROWS_OF_A_CONTACT + 2 * max(self._rows.values(), default=0) < LARGE:
            return False

        def root(item: NodeId) -> NodeId:
            while parents.setdefault(item, item) != item:
                item = parents[item]
            return item

        for first, second in pairs:
            a, b = root(_tree_of(first.link)), root(_tree_of(second.link))
            total = rows.get(a, self._rows[a]) + 4 * ROWS_OF_A_CONTACT
            if a != b:
                total += rows.get(b, self._rows[b])
                parents[b] = a
            rows[a] = total
            if total > LARGE:
                return True
        return False


def _tree_of(link: Link) -> NodeId:
    return link.top
