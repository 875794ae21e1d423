"""Media that devices of several robots share: radio, sound, lights, chargers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from sim_core.base.state import Resettable, State
from sim_core.engines.world_view import World
from sim_core.model.changes import Edits
from sim_core.sensing.appearance_changes import AppearanceChanges
from sim_core.sensing.rays import RayBatch

if TYPE_CHECKING:
    from sim_core.sensing.picture_view import PictureView
    from sim_core.sensing.render.client import RenderProcess


class Medium(Resettable):
    """Base of media, which devices share; a simulation has one medium of each class.

    Devices get a medium by `context.media.of(TheMedium)` when they are made, and register with it in
    `on_added`.

    Attributes:
        world: the world as devices see it.
    """

    state_type: ClassVar[type[State]] = State
    acts = False
    """True: `before_step` is called in phase 1 of each step, after the actuators."""
    observes = False
    """True: `after_step` is called in phase 3 of each step, before the sensors that are due are sampled."""

    def __init__(self, media: Media) -> None:
        self.world = media.world
        self._new_rays = media.new_rays
        self.state: State = self.state_type()

    @cached_property
    def rays(self) -> RayBatch:
        """Ray batch of this medium, for rays outside the sensors' own samples."""
        return self._new_rays()

    def remove_devices(self) -> None:
        """Remove all devices, because robots were removed or reordered; those that remain register again."""

    def before_step(self) -> None:
        """Act on the world for the step that follows."""

    def after_step(self, time_ns: int) -> None:
        """Observe the world after the step that ended at this sim time; must not change it."""

    def scene_changed(self, edits: Edits) -> None:
        """Update after edits of the scene; called between steps."""

    def initial(self) -> State:
        """Return the state at the start of the simulation, without changing anything."""
        return self.state_type()

    def reset(self) -> None:
        """Return to the state at the start of the simulation."""
        self.state = self.initial()

    def clock_restarted(self) -> None:
        """Discard what is in transit: sim time restarts at 0 and everything else stays."""

    def close(self) -> None:
        """Release resources at the end of the simulation."""


M = TypeVar("M", bound=Medium)


class Media(Resettable):
    """The media of a simulation, each made at its first use.

    Attributes:
        world: the world as devices see it.
        new_rays: returns a new ray batch.
        acting: media with `acts`, in the order in which they were made.
        observing: media with `observes`, likewise.
        new_renderer: starts a render process; None: pictures cannot be drawn.
        appearance_changes: changes of the appearance of shapes by devices.
    """

    def __init__(
        self,
        world: World,
        new_rays: Callable[[], RayBatch],
        new_renderer: Callable[[list[PictureView]], RenderProcess] | None = None,
    ) -> None:
        self.world = world
        self.new_rays = new_rays
        self.new_renderer = new_renderer
        self.appearance_changes = AppearanceChanges()
        self._media: dict[type[Medium], Medium] = {}
        self.acting: list[Medium] = []
        self.observing: list[Medium] = []

    def of(self, kind: type[M]) -> M:
        """Return the medium of a class, made at the first call."""
        found = self._media.get(kind)
        if found is None:
            found = self._media[kind] = kind(self)
            if kind.acts:
                self.acting.append(found)
            if kind.observes:
                self.observing.append(found)
        return cast(M, found)

    def named(self, name: str) -> Medium:
        """Return the medium of the class with this name.

        Raises:
            KeyError: there is no such class.
        """
        return self.of({kind.__name__: kind for kind in Medium.__subclasses__()}[name])

    def scene_changed(self, edits: Edits) -> None:
        """Update all media after edits of the scene."""
        for medium in self._media.values():
            medium.scene_changed(edits)

    def remove_devices(self) -> None:
        """Remove all devices, because robots were removed or reordered; those that remain register again."""
        self.appearance_changes.remove_changes()
        for medium in self._media.values():
            medium.remove_devices()

    def parts(self) -> tuple[Medium, ...]:
        """Return all media."""
        return tuple(self._media.values())

    def reset(self) -> None:
        """Return all media to the start of the simulation."""
        for medium in self._media.values():
            medium.reset()

    def clock_restarted(self) -> None:
        """Call `clock_restarted` of all media."""
        for medium in self._media.values():
            medium.clock_restarted()

    def close(self) -> None:
        """Release resources at the end of the simulation."""
        for medium in self._media.values():
            medium.close()
