"""Pictures of a world from its Viewpoint."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_core.devices.camera_fields import SMALLEST_NEAR
from sim_core.devices.pictures import Layers, Pictures, PictureView
from sim_core.errors import ConfigError
from sim_core.geometry import Pose
from sim_core.simulation import Simulation

MOST_PIXELS = 8192


def viewpoint_picture(sim: Simulation, width: int, height: int) -> NDArray[np.uint8]:
    """What the Viewpoint of a world sees now; see `ViewpointEye`."""
    return ViewpointEye(sim, width, height).picture()


class ViewpointEye:
    """Looks at a world from its Viewpoint, as often as wanted; nothing in the world changes.

    `fieldOfView` is the angle of the longer side (Webots reference, Viewpoint).
    """

    def __init__(self, sim: Simulation, width: int, height: int) -> None:
        """Nothing is drawn yet.

        Args:
            sim: the simulation.
            width, height: pixels.

        Raises:
            ConfigError: a size or Viewpoint that is not possible.
        """
        for name, size in (("width", width), ("height", height)):
            if not 1 <= size <= MOST_PIXELS:
                raise ConfigError(f"{name}: found {size}, expected a whole number from 1 to {MOST_PIXELS}")
        node = next((node for node in sim.scene.nodes if node.type_name == "Viewpoint"), None)
        angle, near, far, exposure, pose = math.pi / 4.0, 0.05, 0.0, 1.0, Pose((-10.0, 0.0, 0.0))
        if node is not None:
            angle, near, far, exposure = (node[name] for name in ("fieldOfView", "near", "far", "exposure"))
            pose = Pose.from_axis_angle(node["position"], node["orientation"])
            if not 0.0 < angle < math.pi:
                raise ConfigError(
                    f"{node.where}: Viewpoint.fieldOfView: found {angle}, "
                    "expected an angle above 0 and below π"
                )
        across = 2.0 * math.atan(math.tan(angle / 2.0) * min(1.0, width / height))
        near = max(near, SMALLEST_NEAR)
        limit = far if far > near else math.inf
        view = PictureView(width, height, across, near, limit, smooth=True, exposure=exposure)
        self._sim = sim
        self._pose = pose
        self._pictures = sim.media.of(Pictures)
        self._why: list[str] = []
        self._pictures.warn = self._why.append
        self._number = self._pictures.add(view, sim.media)

    def picture(self) -> NDArray[np.uint8]:
        """What is seen now.

        Returns:
            (height, width, 3) red, green, blue, sRGB; rows from the top.

        Raises:
            ConfigError: pictures cannot be drawn here.
        """
        taken: list[NDArray[np.uint8]] = []

        def take(time_ns: int, layers: Layers) -> None:
            taken.append(np.ascontiguousarray(layers["color"][..., 2::-1]))

        self._pictures.ask(self._number, self._pose, self._sim.time_ns, take)
        self._pictures.wait_for(self._number)
        if not taken:
            raise ConfigError(self._why[0] if self._why else "pictures cannot be drawn here")
        return taken[0]
