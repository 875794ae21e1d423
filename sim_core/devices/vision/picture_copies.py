"""Pictures of cameras and range finders in copies of a world of the fast 2D mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.arrays import BoolArray, FloatArray, IntArray
from sim_core.base.errors import ConfigError
from sim_core.base.ids import NodeId
from sim_core.devices.light.lights import Lights
from sim_core.devices.media import Media
from sim_core.devices.vision.camera import Camera
from sim_core.devices.vision.picture_sensor import PictureSensor
from sim_core.devices.vision.pictures import light_rows
from sim_core.devices.vision.range_finder import RangeFinder
from sim_core.engines.world_view import World
from sim_core.sensing.picture_view import POINT, SPOT
from sim_core.sensing.render.client import ADVICE, NO_MODULE
from sim_core.sensing.render.draw_list import DrawList, FrameState, SceneShapes


class CopiedScene:
    """The shapes and lights of a world at its start, and which of them its robots carry.

    Attributes:
        draw_list, state: see `SceneShapes`.
        groups: (m,) row of the robot that carries each instance, from 1 on; 0: none.
        eyes: of each sensor: number of its robot, from 1 on, or 0; (12,) its pose; (m,) what it sees.
    """

    def __init__(
        self, world: World, media: Media, sensors: Sequence[PictureSensor], rows: Mapping[NodeId, int]
    ) -> None:
        """Read a world; `rows`: of the robots that roll, by node."""
        self.draw_list: DrawList
        self._world, self._media, self._rows = world, media, rows
        shapes = SceneShapes(world)
        self.draw_list = shapes.read_shapes(media.appearance_changes)
        self._lights = media.of(Lights)
        self._lights.update_positions()
        casts = [bool(spec["castShadows"]) for spec in self._lights.specs]
        lights = light_rows(self._lights.table, casts)
        self.state: FrameState = shapes.frame_state([], lights, media.appearance_changes)
        self.groups: IntArray = np.array([self._carrier(solid) for solid in shapes.solids], np.int64)
        self.eyes: list[tuple[int, FloatArray, BoolArray]] = []
        for sensor in sensors:
            request = shapes.view_request(0, sensor.frame.pose(), media.appearance_changes, sensor.spec.id)
            robot = self._carrier(sensor.spec.id)
            self.eyes.append((robot, request.eye, np.broadcast_to(request.shown, self.groups.shape)))

    def why_not(self, shows_colour: bool) -> str | None:
        """Return the reason why it cannot be drawn in many copies at once; None: it can."""
        seen = np.logical_or.reduce([shown for *_, shown in self.eyes])
        starts = self.draw_list.starts
        for batch, first, end in zip(self.draw_list.batches, starts[:-1], starts[1:], strict=True):
            if batch.marks and seen[first:end].any():
                return "cameras see points or lines"
        if not shows_colour:
            return None
        if self._media.appearance_changes.traces or self._media.appearance_changes.lasers:
            return "cameras see the lines of pens, or spots of lasers"
        if any(self._carrier(spec.solid) for spec in self._lights.specs):
            return "a robot carries a light"
        casting = self.state.lights[(self.state.lights[:, 19] > 0.0) & (self.state.lights[:, 0] != POINT), 0]
        return "a SpotLight casts shadows" if SPOT in casting else None

    def _carrier(self, solid: NodeId | None) -> int:
        record = self._world.model.solid(solid) if solid is not None else None
        return 0 if record is None or record.robot is None else 1 + self._rows.get(record.robot, -1)


def not_plain(sensor: PictureSensor) -> str | None:
    """Return the reason why pictures of a sensor cannot be drawn in many copies at once; None: they can."""
    view, name = sensor.view, f"{sensor.robot_name}.{sensor.name}"
    if not isinstance(sensor, Camera | RangeFinder) or not sensor.is_plain:
        return f"{name} does more with a picture than to draw it (noise, motion blur, recognition …)"
    if view.projection != "planar" or view.lens or view.focus or view.is_fine:
        return f"{name} does not have planar pictures in fast quality without lens and focus"
    return None


class PictureCopies:
    """Cameras and range finders in copies of the world.

    Robots are drawn where they are; their wheels as they stood at the start.

    Attributes:
        outputs: pictures of each sensor: (n, height, width, 3) uint8, red, green, blue, or (n, height, width)
            float32 in m, see `RangeFinderReading.value`.
    """

    def __init__(
        self, scene: CopiedScene, sensors: Sequence[PictureSensor], starts: FloatArray, count: int
    ) -> None:
        """Prepare the sensors in so many copies of a scene; `starts`: (r, 3) places of the robots at the
        start.

        Raises:
            ConfigError: no pictures can be drawn on this machine.
        """
        if find_spec("moderngl") is None:
            raise ConfigError(f"observations: found pictures, but {NO_MODULE}")
        from sim_core.sensing.render.painter import make_context
        from sim_core.sensing.render.tiles import TilePainter

        try:
            context = make_context()
        except Exception as error:  # any exception of the GL libraries
            raise ConfigError(f"observations: found pictures, but {ADVICE}; {error}") from None
        self._painter = TilePainter(context, scene.draw_list, scene.state, scene.groups)
        self._sensors, self._eyes, self._starts = sensors, scene.eyes, starts
        self.outputs: list[NDArray[Any]] = []
        for sensor in sensors:
            shape = (count, sensor.view.height, sensor.view.width)
            is_depth = isinstance(sensor, RangeFinder)
            self.outputs.append(np.zeros(shape, np.float32) if is_depth else np.zeros((*shape, 3), np.uint8))

    def draw_rows(self, copies: IntArray, places: FloatArray) -> None:
        """Draw the pictures of some copies, ascending; `places`: (n, r, 3), see `RolledCopies.places`."""
        motions = self._motions(places[copies])
        for sensor, (robot, pose, shown), output in zip(self._sensors, self._eyes, self.outputs, strict=True):
            x, y, cos, sin = motions[:, robot].T
            eyes = np.tile(pose, (len(copies), 1))
            eyes[:, 0], eyes[:, 1] = x + cos * pose[0] - sin * pose[1], y + sin * pose[0] + cos * pose[1]
            eyes[:, 3:6] = cos[:, None] * pose[3:6] - sin[:, None] * pose[6:9]
            eyes[:, 6:9] = sin[:, None] * pose[3:6] + cos[:, None] * pose[6:9]
            self._painter.draw_copies(sensor.view, shown, copies, eyes, motions, output)
            if isinstance(sensor, RangeFinder):
                depths = output[copies]
                sensor.limit(depths)
                output[copies] = depths

    def _motions(self, places: FloatArray) -> FloatArray:
        """Return the motions of the robots since the start, (k, 1 + r, 4); the first is none."""
        motions = np.zeros((len(places), 1 + len(self._starts), 4))
        motions[:, 0, 2] = 1.0
        turn = places[..., 2] - self._starts[:, 2]
        cos, sin = np.cos(turn), np.sin(turn)
        x, y = self._starts[:, 0], self._starts[:, 1]
        motions[:, 1:, 0] = places[..., 0] - cos * x + sin * y
        motions[:, 1:, 1] = places[..., 1] - sin * x - cos * y
        motions[:, 1:, 2], motions[:, 1:, 3] = cos, sin
        return motions
