"""Composites defined by `<plugin>` tags of URDF files: webots_ros2's Ros2IMU and Ros2RGBD."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sensor_msgs.msg import PointCloud2

from ros_bridge.composites.imu import ImuFiller
from ros_bridge.composites.rgbd import pair_of, points_of
from ros_bridge.devices.point_clouds import fill_cloud, fill_cloud_constants
from ros_bridge.topics.records import Publication
from sim_core.scene.gazebo.found import LAYOUT
from sim_core.scene.scene import Composite
from sim_core.session.robot import Robot


def tagged(
    composites: list[Composite], robot: Robot, prefix: str, frames: Mapping[str, str], layout: str = ""
) -> Iterator[Publication]:
    """Yield the topics of a robot defined by tags.

    Args:
        composites: of the world.
        robot: the robot.
        prefix: of its topics.
        frames: frames of its devices, by name.
        layout: naming layout of the robot.
    """
    for each in composites:
        if each.robot != robot.name:
            continue
        settings = {**each.settings, **each.defaults} if layout == LAYOUT else each.settings
        if each.defaults and "topic" not in settings:
            continue
        topic = str(settings.get("topic", each.kind))
        name = topic if topic.startswith("/") else f"{prefix}/{topic}"
        frame = str(settings.get("frame_id") or frames[each.devices[0]])
        always_on = bool(settings.get("always_on", False))
        yield _MAKERS[each.kind](each, robot, name, frame, always_on)


def has_imu(composites: list[Composite], robot: Robot) -> bool:
    """Return whether a tag defines the robot's IMU."""
    return any(each.robot == robot.name and each.kind == "imu" for each in composites)


def _imu(composite: Composite, robot: Robot, name: str, frame: str, always_on: bool) -> Publication:
    imu = ImuFiller([robot[device] for device in composite.devices])
    return imu.publication(name, frame, robot.name, always_on)


def _rgbd(composite: Composite, robot: Robot, name: str, frame: str, always_on: bool) -> Publication:
    """Return the topic with x ahead, y left, z up, as in webots_ros2."""
    camera, finder = (robot[device] for device in composite.devices)
    pair = pair_of(camera, finder)

    def fill(message: Any, reading: Any) -> None:
        right, down, ahead, colour = np.moveaxis(points_of(reading), 2, 0)
        fill_cloud(message, np.stack([ahead, -right, -down, colour], axis=2))

    return Publication(
        name,
        PointCloud2,
        fill,
        lambda message: fill_cloud_constants(message, ("x", "y", "z", "rgb"), is_dense=False),
        trigger=pair,  # type: ignore[arg-type] # in all that matters it is one
        sensors=(pair, camera, finder),  # type: ignore[arg-type]
        frame_id=frame,
        always_on=always_on,
        robot=robot.name,
    )


_MAKERS: dict[str, Callable[[Composite, Robot, str, str, bool], Publication]] = {"imu": _imu, "rgbd": _rgbd}
