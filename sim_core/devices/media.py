"""What devices of several robots share: the air that carries packets and sounds, the lights, the chargers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from sim_core.base.state import State, Stateful
from sim_core.engines.world_view import World
from sim_core.model.changes import Edits
from sim_core.sensing.looks import Looks
from sim_core.sensing.rays import RayBatch

if TYPE_CHECKING:
    from sim_core.sensing.picture_view import PictureView
    from sim_core.sensing.render.client import RenderProcess


class Medium(Stateful):
    """Base of what devices share; there is one of each class in a simulation.

    Devices get theirs by `context.media.of(TheMedium)` when they are made, and tell it of themselves when
    they `enter`.

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
        """A collector of rays of its own, for what must be known outside the sensors' own samples."""
        return self._new_rays()

    def forget(self) -> None:
        """Robots have gone, or have another order: forget all devices; those that are there enter anew."""

    def before_step(self) -> None:
        """Act on the world for the step that follows."""

    def after_step(self, time_ns: int) -> None:
        """Look at the world after the step that ended at this sim time; must change nothing in it."""

    def scene_changed(self, edits: Edits) -> None:
        """The scene has been edited; called between steps."""

    def initial(self) -> State:
        """The state at the start of the simulation; changes nothing."""
        return self.state_type()

    def reset(self) -> None:
        """Go back to the state at the start of the simulation."""
        self.state = self.initial()

    def clock_restarted(self) -> None:
        """Sim time is 0 again, and all else is as it was: what is under way is lost."""

    def close(self) -> None:
        """The simulation is over."""


M = TypeVar("M", bound=Medium)


class Media(Stateful):
    """The media of a simulation, each made when it is first asked for.

    Attributes:
        world: the world as devices see it.
        new_rays: makes a collector of rays.
        acting: those with `acts`, in the order in which they were made.
        observing: those with `observes`, likewise.
        new_renderer: starts a renderer; None: there are no pictures.
        looks: what devices do to the looks of shapes.
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
        self.looks = Looks()
        self._media: dict[type[Medium], Medium] = {}
        self.acting: list[Medium] = []
        self.observing: list[Medium] = []

    def of(self, kind: type[M]) -> M:
        """The one medium of a class."""
        found = self._media.get(kind)
        if found is None:
            found = self._media[kind] = kind(self)
            if kind.acts:
                self.acting.append(found)
            if kind.observes:
                self.observing.append(found)
        return cast(M, found)

    def named(self, name: str) -> Medium:
        """The one medium of a class of that name.

        Raises:
            KeyError: there is no such class.
        """
        return self.of({kind.__name__: kind for kind in Medium.__subclasses__()}[name])

    def scene_changed(self, edits: Edits) -> None:
        """Tell all of them."""
        for medium in self._media.values():
            medium.scene_changed(edits)

    def forget(self) -> None:
        """Robots have gone, or have another order: forget all devices; those that are there enter anew."""
        self.looks.clear()
        for medium in self._media.values():
            medium.forget()

    def parts(self) -> tuple[Medium, ...]:
        """All of them."""
        return tuple(self._media.values())

    def reset(self) -> None:
        """All of them back to the start."""
        for medium in self._media.values():
            medium.reset()

    def clock_restarted(self) -> None:
        """Tell all of them."""
        for medium in self._media.values():
            medium.clock_restarted()

    def close(self) -> None:
        """The simulation is over."""
        for medium in self._media.values():
            medium.close()
