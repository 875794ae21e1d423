"""Fields of nodes among the parameters of a run: finding the node of a name."""

from __future__ import annotations

from collections.abc import Iterable

from ros_bridge.parameters.parameter_file import Value
from ros_bridge.topics.names import robot_names
from sim_core.base.errors import ConfigError, OdesimError, hint
from sim_core.scene import Node
from sim_core.scene.by_name import def_names
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.parameters import fields_of, kind_of

POSE = "pose"
"""Name of a solid's pose, besides its fields: x, y, z in m and a quaternion x, y, z, w."""


def node_named(sim: Simulation, name: str) -> Node:
    """Return the node of `R` in `R.translation`: by the supervisor's name, or a robot by its ROS name.

    Raises:
        SceneError: there is no such node; names the closest match.
    """
    found = sim.supervisor.find(name)
    if found is None:
        robots = robot_names(sim.robots)
        found = next((robot.node for key, robot in sim.robots.items() if robots[key] == name), None)
    return found if found is not None else sim.supervisor.node(name)


def check_fields(sim: Simulation, fields: Iterable[Value]) -> None:
    """Check that each value names a field of a node.

    Raises:
        ConfigError: one does not; names the closest match.
    """
    for value in fields:
        name, field = ".".join(value.path[:-1]), value.path[-1]
        try:
            node = node_named(sim, name)
        except OdesimError as error:
            if sim.is_copy(name):
                raise ConfigError(f"{value.where}: {error}") from None
            known = ["robots", *def_names(sim.scene), *sim.robots]
            raise ConfigError(
                f'{value.where}: found no parameter and no node "{name}", '
                f"expected robots, a DEF name or a robot{hint(name, known)}"
            ) from None
        if field != POSE and kind_of(node, field) is None:
            near = hint(field, fields_of(node))
            raise ConfigError(
                f'{value.where}: found no field "{field}" in {node.type_name}, expected one it has{near}'
            )
