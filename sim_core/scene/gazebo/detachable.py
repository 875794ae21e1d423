"""DetachableJoint of gz-sim: two Connectors that are attached from the start, at any distance.

The one on the link of the plugin's model is a device with commands; the one on the other model is passive.
"""

from __future__ import annotations

from sim_core.scene.gazebo.found import FARTHEST, LAYOUT, WIDEST, Detachable, Names, PluginsFound
from sim_core.scene.gazebo.ros_node import absolute
from sim_core.scene.gazebo.tags import Tag, names_in
from sim_core.scene.node import Node

_TOPICS = {"detach": ("detach_topic", "topic"), "attach": ("attach_topic",), "state": ("output_topic",)}
"""Tags of the name of each topic."""


def detachable_joint(plugin: Tag, found: PluginsFound, joints: Names) -> None:
    """Read the joint; its end on the other model is made by `passive_connector`."""
    plugin.all("suppress_child_warning")
    parents = names_in(plugin.all("parent_link")[:1], found.links)
    model, link = plugin.word("child_model"), plugin.word("child_link")
    if not parents or not model or not link:
        plugin.ignore()
        return
    names = [each.device for each in found.detachable_joints]
    device = f"detachable_joint_{model}"
    device = device if device not in names else f"{device}_{len(names) + 1}"
    found.detachable_joints.append(Detachable(device, parents[0], model, link, plugin.source))
    for name, tags in _TOPICS.items():
        if written := plugin.word(*tags):
            found.add_parameter(device, f"{name}_topic", absolute(written), plugin.source)
        owner = model if name == "state" else "{robot}"
        default = absolute(f"model/{owner}/detachable_joint/{name}")
        found.add_parameter(device, f"{name}_topic", default, plugin.source, LAYOUT)


def passive_connector(joint: Detachable, robot: str) -> Node:
    """Return the end of a joint of a robot on the link of the other model.

    Its axes are turned so that those of two models in parallel are not exactly opposite: a Connector never
    attaches to that.
    """
    return Node.create(
        "Connector",
        name=joint.device,
        type="passive",
        model=joint.key(robot),
        rotation=(0.0, 0.0, 1.0, 2.5),
        distanceTolerance=FARTHEST,
        axisTolerance=WIDEST,
        numberOfRotations=0,
        snap=False,
    )
