"""New values for fields while a world is simulated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import PhysicsError, SceneError
from sim_core.base.geometry import Pose
from sim_core.base.turns import turned
from sim_core.engines.ode import PhysicsWorld
from sim_core.model.frames import position_in, rotation_in
from sim_core.scene import Node
from sim_core.scene.values import checked
from sim_core.session.supervision import parameters, remaking
from sim_core.session.supervision.changes import FieldChange
from sim_core.session.supervision.effects import Effect, effect_of, why_refused
from sim_core.session.supervision.history import History
from sim_core.session.supervision.imports import give_names
from sim_core.session.supervision.lineage import Lineage
from sim_core.session.supervision.present import joint_position, local_pose
from sim_core.session.supervision.twins import twins_of

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation

Edit = Callable[[], None]
"""Changes the world; only between two steps, or in phase 1 of one."""


class FieldSetter:
    """Sets fields, each with the effect on the running world that `effects.py` names.

    Attributes:
        has_moved_still: something that stands still has been put elsewhere, ever.
    """

    def __init__(self, sim: Simulation, history: History, lineage: Lineage, tell: Callable[[], None]) -> None:
        """`tell` is called when something that is seen has changed, other than by moving."""
        self.has_moved_still = False
        self._sim, self._history, self._lineage, self._tell = sim, history, lineage, tell

    def edit(self, node: Node, field: str, value: Any) -> Edit:
        """What sets a field, after all that can be checked before.

        Raises:
            SceneError: no such field, a value that is not of its type, or that counts only when a world is
                loaded.
        """
        kind = parameters.kind_of(node, field)
        if kind is None:
            node[field]  # says so
            kind = node.node_type.fields[field]
        if kind.type.endswith("Node"):
            found = f"{node.path()}.{field} holds nodes"
            expected = "a field of numbers or text; nodes are imported and removed"
            raise SceneError(*node.source, found, expected)
        try:
            value = checked(kind, value)
        except ValueError as error:
            found = f"{node.path()}.{field} cannot be {value!r}"
            raise SceneError(*node.source, found, str(error)) from None
        if parameters.makes_anew(node, field):
            ode_physics(self._sim, node)
            remaking.check(self._sim.scene, node, field)
            return partial(self._make_anew, node, field, value)
        field = parameters.own_field(node, field) or field
        effect = effect_of(node, field)
        if effect is Effect.REFUSED:
            raise SceneError(*node.source, *why_refused(node, field))
        return partial(self._set, effect, node, field, value)

    def _make_anew(self, node: Node, field: str, value: Any) -> None:
        """Put instances with another parameter in the places of an instance and its copies by USE."""
        sim, physics = self._sim, ode_physics(self._sim, node)
        old = [self._lineage.present(sim.scene, node)]
        old += twins_of(sim.scene, old[0])
        for each in old:
            remaking.check(sim.scene, each, field)
        new = [remaking.remade(sim.scene, each, field, value) for each in old]
        gone = {below for each in old for below in each.walk()}
        give_names(new, [name for name, robot in sim.robots.items() if robot.node not in gone])
        states = [remaking.state_of(physics, each) for each in old]
        pairs = list(zip(old, new, strict=True))
        for before, after in pairs:
            self._lineage.succeed(before, after)

        def go_on() -> None:
            for each, was in zip(new, states, strict=True):
                self.has_moved_still |= remaking.give_back(physics, each, was)
            sim.look_again()

        self._history.make(remaking.exchange(sim.scene, pairs), go_on)

    def _set(self, effect: Effect, node: Node, field: str, value: Any) -> None:
        if effect in (Effect.LOOK, Effect.LIGHT):
            self._change(node, field, value)
        elif effect is Effect.PLACE and ode_physics(self._sim, node).can_place(node):
            self._place(node, field, value)
        elif effect is Effect.VELOCITY:
            physics = ode_physics(self._sim, node)
            frame = physics.frame(node)
            given = turned(node.axes.world, value)
            linear = given if field == "linearVelocity" else frame.linear_velocity()
            angular = given if field == "angularVelocity" else frame.angular_velocity()
            physics.set_velocity(node, linear, angular)
        elif effect is Effect.JOINT:
            joint, index = joint_position(node)
            ode_physics(self._sim, node).set_joint_position(joint, index, value)
        else:
            ode_physics(self._sim, node)
            self._change(node, field, value)

    def _place(self, solid: Node, field: str, value: Any) -> None:
        physics = ode_physics(self._sim, solid)
        now = local_pose(physics, solid)
        if field == "translation":
            now = Pose(position_in(solid, value), now.rotation)
        else:
            now = Pose(now.position, rotation_in(solid, value))
        outer = physics.frame(solid.parent).pose() if solid.parent is not None else Pose()
        physics.place(solid, outer * now)
        if not physics.is_dynamic(solid):
            self.has_moved_still = True
            self._sim.look_again()  # what stands still is not looked at in each step
            self._tell()

    def _change(self, node: Node, field: str, value: Any) -> None:
        """Change a field of a node and of all copies of it that USE has made."""
        only_seen = (Effect.LOOK, Effect.LIGHT)
        changes = [
            FieldChange(each, field, value, rebuilds=effect_of(each, field) not in only_seen)
            for each in (node, *twins_of(self._sim.scene, node))
        ]
        if any(change.rebuilds for change in changes):
            ode_physics(self._sim, node)
        self._history.make(changes)


def ode_physics(sim: Simulation, node: Node | None) -> PhysicsWorld:
    """The physics, for a change of a node (None: of the root) that only ODE can follow.

    Raises:
        PhysicsError: the simulation is in the fast 2D mode.
    """
    if not isinstance(sim.physics, PhysicsWorld):
        what = node.path() if node is not None else "the world"
        raise PhysicsError(f"{what} cannot be changed in the fast 2D mode, expected physics ode")
    return sim.physics
