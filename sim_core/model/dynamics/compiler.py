"""Compiles a scene for engines, tree by tree; trees that were not edited are not compiled again."""

from __future__ import annotations

from collections.abc import Iterator

from sim_core.base.errors import Mistake, SceneError, SceneErrors, bounded
from sim_core.base.ids import NodeId
from sim_core.base.shipped import shipped_protos
from sim_core.model.changes import Aspect, Edit, Edits, can_collide
from sim_core.model.dynamics.model import DynamicsModel, ModelPart, part_of, refuse
from sim_core.model.dynamics.world import world_record
from sim_core.scene.scene import Scene

_DYNAMIC_ASPECTS = (Aspect.STRUCTURE, Aspect.SIZE, Aspect.MASS)
"""Aspects that affect bodies, joints and contacts."""


class Compiler:
    """Compiler of the dynamics of a scene.

    A part depends on its own nodes, the axes of the world and the default damping; if the latter change, all
    parts are compiled again.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._parts: dict[NodeId, ModelPart] = {}
        self._shared: object = None
        self._model: DynamicsModel | None = None
        self._mistakes: set[tuple[str, str]] | None = None  # of the loaded world

    def mark_edited(self, edits: Edits) -> None:
        """Mark parts for compilation after edits of the scene."""
        for edit in filter(_affects_dynamics, edits):
            self._model = None
            if edit.node is None:
                self._parts.clear()
            else:
                self._parts.pop(edit.root.id, None)

    def model(self) -> DynamicsModel:
        """Return the dynamics of the present scene; the same object if nothing relevant has changed.

        Raises:
            SceneError, SceneErrors: the scene is impossible to simulate.
        """
        if self._model is None:
            self._model = self._compiled()
        return self._model

    def _compiled(self) -> DynamicsModel:
        info = self._scene.world_info
        damping = info["defaultDamping"]
        shared = self._scene.axes, damping and (damping["linear"], damping["angular"])
        if shared != self._shared:
            self._shared = shared
            self._parts.clear()
        parts: dict[NodeId, ModelPart] = {}
        problems: list[SceneError] = []
        for root in self._scene.nodes:
            try:
                known = self._parts.get(root.id)
                parts[root.id] = known or part_of(root, damping, self._scene.is_lenient)
            except SceneErrors as errors:
                problems += errors.problems
            except SceneError as error:
                problems.append(error)
        self._parts = parts
        refuse(problems)
        warnings = tuple(self._warnings())
        self._refuse_new_mistakes(warnings)
        return DynamicsModel(
            world_record(info), tuple(part for part in parts.values() if not part.is_empty), warnings
        )

    def _warnings(self) -> Iterator[SceneError]:
        parts = [part for part in self._parts.values() if part.has_findings]
        fluids = {name for part in self._parts.values() for name in part.fluids} if parts else set()
        for part in parts:
            yield from part.warnings
            for name, source in part.fluid_uses:
                # PROTO of odesim that can swim are also used without water.
                if name not in fluids and source[0] not in shipped_protos():
                    found = f'ImmersionProperties names no Fluid of this world: "{name}"'
                    yield SceneError(*source, found)
        known = set(map(str, self._scene.warnings)) if any(part.left_out for part in parts) else set()
        left_out = bounded(each for part in parts for each in part.left_out)
        yield from (each for each in left_out if str(each) not in known)  # without those of missing files
        yield from bounded(each for part in parts for each in part.default_masses)

    def _refuse_new_mistakes(self, warnings: tuple[SceneError, ...]) -> None:
        """Refuse mistakes that come with an edit; those of the loaded world are accepted."""
        found = [each for each in warnings if isinstance(each, Mistake)]
        if self._mistakes is None:
            self._mistakes = {each.key for each in found}
        for each in found:
            if each.key not in self._mistakes:
                raise SceneError(each.file, each.line, each.column, each.found, each.expected)


def _affects_dynamics(edit: Edit) -> bool:
    """Return whether an edit may affect bodies, joints or contacts."""
    return edit.aspect in _DYNAMIC_ASPECTS and (
        edit.aspect is not Aspect.SIZE or edit.node is None or can_collide(edit.node)
    )
