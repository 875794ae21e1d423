"""Pen: draws on the shape below it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sim_core.base.errors import CommandError
from sim_core.base.geometry import Vec3, rotate
from sim_core.base.state import State, Stateful
from sim_core.devices.base import Device, DeviceContext, DeviceState
from sim_core.devices.command_checks import check_finite
from sim_core.devices.commands import Flag, Number, Vector, command
from sim_core.devices.field_checks import field_error, number_at_least
from sim_core.devices.media import Media, Medium
from sim_core.model.device_spec import DeviceSpec
from sim_core.sensing.rays import Rays
from sim_core.sensing.trace import Ink, Trace, TraceState

_TIP = np.zeros((1, 3))
_DOWN = np.array([[0.0, 0.0, -1.0]])


@dataclass(eq=False, kw_only=True)
class PenState(DeviceState):
    """State of a pen.

    Attributes:
        writes: True if the pen is down.
        ink: colour and density.
    """

    writes: bool
    ink: Ink


class Pen(Device):
    """A pen that points along its -z axis (Webots reference, Pen).

    After each step with `write` on, a ray along -z meets the first visible shape within `maxDistance` (0 or
    less: at any distance) that is not part of the pen; the trace continues at that point. Every shape can be
    written on (in Webots only those with a texture). A trace stays where it was drawn in the world, even if
    the shape that it was drawn on moves.

    Attributes:
        frame: the frame of the device.
        rays: the ray that finds the writing point; without limit if maxDistance is 0 or less.
        trace: what the pen has drawn since the start.
    """

    state: PenState

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        colour: Vec3 = spec["inkColor"]
        if not all(0.0 <= part <= 1.0 for part in colour):
            raise field_error(spec, "inkColor", colour, "red, green and blue from 0 to 1")
        self._ink_at_start = Ink(colour, number_at_least(spec, "inkDensity", 0.0, 1.0))
        width = number_at_least(spec, "leadSize", 0.0)
        reach = spec["maxDistance"] if spec["maxDistance"] > 0.0 else math.inf
        self.rays = Rays(self.frame, _TIP, _DOWN, reach, None, visible=True, carrier=spec.id)
        self.trace = Trace(f"{self.robot_name}/{self.name}", width)
        self.state = self.initial()
        self._pen_traces = context.media.of(PenTraces)

    def initial(self) -> PenState:
        """Return the ink and the `write` field of the file."""
        return PenState(writes=self.spec["write"], ink=self._ink_at_start)

    def on_added(self) -> None:
        """Register with the medium that moves the writing point."""
        self._pen_traces.add_pen(self)

    def on_removed(self) -> None:
        """Leave the trace to the medium."""
        self.trace.lift()
        if self.trace.count:
            self._pen_traces.keep_trace(self.trace)
            self.trace.remove_points()

    def parts(self) -> tuple[Stateful, ...]:
        """Return the trace."""
        return (self.trace,)

    @property
    def writes(self) -> bool:
        """True if the pen is down."""
        return self.state.writes

    @property
    def ink(self) -> Ink:
        """Colour and density."""
        return self.state.ink

    @command(on=Flag())
    def write(self, on: bool) -> None:
        """Put the pen down or lift it, from the next step on."""
        self.state.writes = bool(on)

    @command(meets_faults=False, colour=Vector(), density=Number())
    def set_ink(self, colour: Vec3, density: float) -> None:
        """Change the ink from the next step on: red, green, blue and density, all from 0 to 1.

        Raises:
            CommandError: a value is not in this range; nothing changes.
        """
        what = f"{self.robot_name}/{self.name}: ink"
        if len(colour) != 3:
            raise CommandError(f"{what}: found {len(colour)} numbers, expected red, green, blue")
        red, green, blue, density = (check_finite(what, part) for part in (*colour, density))
        if not all(0.0 <= part <= 1.0 for part in (red, green, blue, density)):
            found = f"{red:g} {green:g} {blue:g}, density {density:g}"
            raise CommandError(f"{what}: found {found}, expected numbers from 0 to 1")
        self.state.ink = Ink((red, green, blue), density)

    def reset(self) -> None:
        """Return to the ink and the `write` field of the file, and erase the trace."""
        super().reset()
        self.trace.remove_points()


@dataclass(eq=False)
class StoredTrace(State):
    """A stored trace of a removed pen; see `Trace`."""

    name: str
    width: float
    drawn: TraceState


@dataclass(eq=False)
class PenTracesState(State):
    """Traces of removed pens."""

    kept: list[StoredTrace] = field(default_factory=list)


class PenTraces(Medium):
    """Finds the writing points of all robots' pens, with one cast of rays in each step.

    Attributes:
        pens: all pens in the world.
    """

    observes = True

    def __init__(self, media: Media) -> None:
        self.pens: list[Pen] = []
        self._kept: list[Trace] = []
        self._appearance_changes = media.appearance_changes
        super().__init__(media)

    @property
    def state(self) -> State:
        """Traces of removed pens."""
        return PenTracesState([StoredTrace(each.name, each.width, each.state) for each in self._kept])

    @state.setter
    def state(self, state: State) -> None:
        for trace in self._kept:
            self._appearance_changes.traces.remove(trace)
        self._kept.clear()
        for each in state.kept if isinstance(state, PenTracesState) else ():
            self._keep(each)

    def add_pen(self, pen: Pen) -> None:
        """Add a pen."""
        self.pens.append(pen)
        self._appearance_changes.traces.append(pen.trace)

    def keep_trace(self, trace: Trace) -> None:
        """Keep the trace of a removed pen, under a unique name."""
        self._keep(StoredTrace(f"{trace.name} ({len(self._kept) + 1})", trace.width, trace.state))

    def remove_devices(self) -> None:
        """Remove all pens; traces of removed pens stay."""
        self.pens.clear()
        self._appearance_changes.traces += self._kept

    def _keep(self, drawn: StoredTrace) -> None:
        trace = Trace(drawn.name, drawn.width)
        trace.state = drawn.drawn
        self._appearance_changes.traces.insert(len(self._kept), trace)
        self._kept.append(trace)

    def after_step(self, time_ns: int) -> None:
        """Extend the traces of all pens that are down."""
        writing = [pen for pen in self.pens if pen.writes and pen.is_powered]
        for pen in self.pens:
            if not (pen.writes and pen.is_powered):
                pen.trace.lift()
        if not writing:
            return
        batch = self.rays
        batch.clear()
        for pen in writing:
            batch.add_rays(pen.rays)
        batch.cast()
        normals = batch.normals.tolist()
        for pen, distance, (nx, ny, nz) in zip(writing, batch.distances.tolist(), normals, strict=True):
            if distance == math.inf:
                pen.trace.lift()
                continue
            (x, y, z), rotation = pen.frame.pose()
            dx, dy, dz = rotate(rotation, (0.0, 0.0, -distance))
            pen.trace.draw_to(time_ns, (x + dx, y + dy, z + dz), pen.ink, (nx, ny, nz))
