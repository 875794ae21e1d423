"""Poses of links, joints and frames of a model in the model's own frame.

(http://sdformat.org/tutorials?tut=pose_frame_semantics)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sim_core.base.errors import Mistake, SceneError
from sim_core.base.geometry import Pose
from sim_core.scene.sdf.scopes import MODEL, SEPARATOR, WORLD, Element, Scope, WrittenPose

HERE = Pose()


@dataclass
class Frames:
    """Resolves the names of frames, each once.

    Attributes:
        warnings: receives unknown names; a pose relative to one is taken as relative to the model.
    """

    warnings: list[SceneError]
    _known: dict[tuple[int, str], Pose] = field(default_factory=dict)
    _pending: set[tuple[int, str]] = field(default_factory=set)

    def frame_pose(self, scope: Scope, name: str) -> Pose:
        """Return X_MF of a named frame F of a scope, in the frame M of the scope."""
        if name in ("", MODEL):
            return HERE
        key = (id(scope), name)
        if key not in self._known:
            if key in self._pending:
                self._warn(scope, f'frame "{name}" is relative to itself')
                return HERE
            self._pending.add(key)
            self._known[key] = self._resolve(scope, name)
            self._pending.discard(key)
        return self._known[key]

    def of_model(self, above: Scope | None, scope: Scope) -> Pose:
        """Return X_AM of a model's frame in the scope above; in the world if that is None."""
        place = scope.place
        stands = HERE if above is None else self._base(above, place, place.home)
        pose = stands * place.pose
        if scope.placement:
            pose = pose * self.frame_pose(scope, scope.placement).inverse()
        return pose

    def inside(self, scope: Scope, part: Element, place: WrittenPose) -> Pose:
        """Return X_LS of an element in a link L, such as a visual, from its pose as written."""
        if not place.relative_to or place.relative_to == part.name:
            return place.pose
        base = self._base(scope, place._replace(home=part.place.home), part.name)
        return self.frame_pose(scope, part.name).inverse() * base * place.pose

    def attached(self, scope: Scope, name: str, depth: int = 0) -> str:
        """Return the name in the scope of the link to which a frame is attached; empty: there is none."""
        if name in scope.links or depth > len(scope.frames) + len(scope.joints) + 1:
            return name if name in scope.links else ""
        if name in ("", MODEL):
            return self.canonical(scope)
        if name in scope.frames:
            return self.attached(scope, scope.frames[name].attached_to, depth + 1)
        if name in scope.joints:
            return self.attached(scope, scope.joints[name].tag.word("child"), depth + 1)
        head, inner, rest = inner_scope(scope, name)
        found = "" if inner is None else self.attached(inner, rest)
        return f"{head}{SEPARATOR}{found}" if found else ""

    def canonical(self, scope: Scope) -> str:
        """Return the canonical link of a model: the one that it names, else the first, also in nested
        models."""
        if scope.canonical:
            return self.attached(scope, scope.canonical, 1)
        return next((name for name, _ in scope.all_links()), "")

    def _resolve(self, scope: Scope, name: str) -> Pose:
        for parts in (scope.links, scope.frames, scope.joints):
            if (part := parts.get(name)) is not None:
                default = part.place.home
                if parts is scope.joints:
                    default = part.tag.word("child")
                elif part.attached_to:
                    default = part.attached_to
                return self._base(scope, part.place, default) * part.place.pose
        _, inner, rest = inner_scope(scope, name)
        if inner is None:
            self._warn(scope, f'there is no frame "{name}"')
            return HERE
        return self.of_model(scope, inner) * (self.frame_pose(inner, rest) if rest else HERE)

    def _base(self, scope: Scope, place: WrittenPose, default: str) -> Pose:
        """Return X_MB of the frame to which a pose is relative."""
        name = place.relative_to or default
        if name == MODEL:
            name = place.home
        return HERE if name == WORLD else self.frame_pose(scope, name)

    def _warn(self, scope: Scope, found: str) -> None:
        text = f'{found} in model "{scope.name}"'
        self.warnings.append(Mistake(*scope.source, text, "taken as the model's own"))


def inner_scope(scope: Scope, name: str) -> tuple[str, Scope | None, str]:
    """Return the nested model with which a name begins, and the rest of the name."""
    head, _, rest = name.partition(SEPARATOR)
    while head not in scope.models and rest:
        more, _, rest = rest.partition(SEPARATOR)
        head = f"{head}{SEPARATOR}{more}"
    return head, scope.models.get(head), rest
