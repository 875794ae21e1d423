"""TouchPlugin of gz-sim, as the target of a robot's contact sensors."""

from __future__ import annotations

import re

from sim_core.scene.gazebo.found import Names, PluginsFound, TouchTarget
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag


def touch(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read the target, which is enabled from the start on.

    Raises:
        SceneError: the time is invalid.
    """
    plugin.expect("enabled", "true", 1.0)
    model, *_ = re.split("::|/", plugin.word("target"))
    space = plugin.word("namespace")
    if not model or not space or found.touch is not None:
        plugin.ignore()
        return
    seconds = plugin.number("time", 0.0, low=0.0)
    found.touch = TouchTarget(plugin, model, seconds, absolute(f"{space}/touched"))
