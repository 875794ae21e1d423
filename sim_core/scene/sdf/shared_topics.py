"""Topics on which several models of a world publish, such as two robots from one file.

In Gazebo all of them publish; here a topic has one publisher: the others keep topics with their robot's name.
"""

from __future__ import annotations

from sim_core.base.errors import SceneError
from sim_core.scene.scene import Scene

COMMANDS = "cmd_vel_topic"


def drop_shared_topics(scene: Scene) -> None:
    """Leave each topic to the first robot that sets it, with one warning."""
    taken: dict[str, str] = {}
    kept, dropped = [], []
    bare = {setting.robot for setting in scene.device_settings if setting.name == "frame_prefix"}
    for setting in scene.device_settings:
        if setting.name == "frame_prefix" and len(bare) > 1:
            continue  # without prefixes the frames of several robots could not be distinguished
        is_topic = setting.name.endswith("topic") and setting.name != COMMANDS
        if is_topic and taken.setdefault(str(setting.value), setting.where) != setting.where:
            dropped.append(setting)
        else:
            kept.append(setting)
    for number, composite in enumerate(scene.composites):
        topic = str(composite.settings.get("topic", ""))
        place = f"{composite.robot} {number}"
        if topic.startswith("/") and taken.setdefault(topic, place) != place:
            rest = {name: value for name, value in composite.settings.items() if name != "topic"}
            scene.composites[number] = composite._replace(settings=rest)
    scene.device_settings = kept
    if dropped:
        names = ", ".join(dict.fromkeys(str(each.value) for each in dropped))
        file = scene.file
        text = f"topics of several robots are published only by the first one: {names}"
        scene.warnings.append(SceneError(file, 0, 0, text))
