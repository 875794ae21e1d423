"""What else stands in URDF files: `<webots>`, `<gazebo>`, `<transmission>`, `<ros2_control>`.

Device tags are those of webots_ros2 (https://github.com/cyberbotics/webots_ros2/wiki/References-Devices).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim_core.base.errors import SceneError
from sim_core.scene.urdf.elements import number_of, required
from sim_core.scene.urdf.model import DeviceTag
from sim_core.scene.x3d.scenery_item import Item

_DRIVEN = ("left_joint", "right_joint", "leftJoint", "rightJoint")
_MOTORS = ("RotationalMotor", "LinearMotor")
_FRICTION = ("mu", "mu1")


def device_tags(item: Item) -> DeviceTag:
    """A `<device reference type>` with its `<ros>` settings.

    Beside webots_ros2's tags `<fields>` holds fields of the node as a world file has them.

    Raises:
        SceneError: a setting has no value that it can have.
    """
    settings: dict[str, object] = {}
    enabled = True
    ros, fields = item.first("ros"), item.first("fields")
    for _, tag in ros.children if ros is not None else []:
        text = tag.content.strip()
        if tag.name == "enabled":
            enabled = _flag(tag)
        elif tag.name == "alwaysOn":
            settings["always_on"] = _flag(tag)
        elif tag.name == "updateRate":
            settings["sampling_period"] = 1.0 / _rate(tag)
        elif tag.name in ("topicName", "frameName"):
            if not text:
                raise SceneError(*tag.source, f"<{tag.name}> without text", "a name")
            settings["topic" if tag.name == "topicName" else "frame_id"] = text
    return DeviceTag(
        required(item, "reference"),
        item.fields.get("type", "").strip(),
        enabled,
        settings,
        fields.content if fields is not None else "",
        item.source,
        fields.source if fields is not None else item.source,
    )


def actuated_joints(robot: Item, devices: Iterable[DeviceTag]) -> set[str] | None:
    """The joints that other tags give a motor; None: no tag speaks of motors."""
    names: set[str] = set()
    for item in _children(robot, "ros2_control"):
        names |= {
            joint.fields.get("name", "")
            for joint in _children(item, "joint")
            if joint.first("command_interface") is not None
        }
    for item in _children(robot, "transmission"):
        names |= {joint.fields.get("name", "") for joint in _children(item, "joint")}
    for item in _children(robot, "gazebo"):
        for plugin in _children(item, "plugin"):
            names |= {each.content.strip() for _, each in plugin.children if each.name in _DRIVEN}
    names |= {tag.reference for tag in devices if tag.type_name in _MOTORS}
    return names or None


def friction_of_links(robot: Item) -> dict[str, float]:
    """Friction coefficients of links: `mu1`, or `mu`, in `<gazebo reference=…>`.

    Raises:
        SceneError: one is no number of 0 or more.
    """
    found: dict[str, float] = {}
    for item in _children(robot, "gazebo"):
        for _, tag in item.children:
            if tag.name in _FRICTION and "reference" in item.fields:
                tag.fields["value"] = tag.fields.get("value", tag.content.strip())
                found[item.fields["reference"]] = number_of(tag, "value", low=0.0)
    return found


def not_simulated(robot: Item) -> list[SceneError]:
    """One warning for each kind of tag that has no effect."""
    kinds: dict[str, list[Item]] = {}

    def note(kind: str, item: Item) -> None:
        kinds.setdefault(kind, []).append(item)

    for item in _children(robot, "gazebo"):
        for _, tag in item.children:
            if tag.name in ("sensor", "plugin"):
                about = tag.fields.get("type" if tag.name == "sensor" else "filename", "")
                note(f'<gazebo> {tag.name} "{about}"', tag)
            elif tag.name not in (*_FRICTION, "mu2"):
                note(f"<gazebo> {tag.name}", tag)
    for item in _children(robot, "webots"):
        for _, tag in item.children:
            if tag.name == "plugin":
                note(f'<webots> plugin "{tag.fields.get("type", "")}"', tag)
            elif tag.name != "device":
                note(f"<webots> {tag.name}", tag)
    for item in _children(robot, "sensor"):
        note("<sensor>", item)
    return [
        SceneError(
            *items[0].source, f"{kind} has no effect" + (f" ({len(items)} times)" if items[1:] else "")
        )
        for kind, items in kinds.items()
    ]


def _children(item: Item, name: str) -> Iterator[Item]:
    return (child for _, child in item.children if child.name == name)


def _flag(tag: Item) -> bool:
    text = tag.content.strip().lower()
    if text not in ("true", "false"):
        raise SceneError(*tag.source, f'<{tag.name}> "{text[:40]}"', "true or false")
    return text == "true"


def _rate(tag: Item) -> float:
    try:
        rate = float(tag.content.strip())
    except ValueError:
        rate = 0.0
    if not 1e-6 < rate < 1e9:
        raise SceneError(*tag.source, f'<{tag.name}> "{tag.content.strip()[:40]}"', "Hz above 0")
    return rate
