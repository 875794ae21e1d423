"""Topics below a robot's name without publisher or subscriber: with real nodes and simulated wall time."""

from typing import Any

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from std_msgs.msg import String

from ros_bridge.interface.interface import build_topics
from ros_bridge.node.stray_topics import GRACE, StrayTopics
from ros_bridge.parameters.bridge_params import BridgeParams
from ros_bridge.topics.names import robot_names
from sim_core.scene import load_scene
from sim_core.session.simulation import Simulation


def test_a_topic_that_matches_nothing_is_named_once_with_the_closest(client: Any, world_file: Any) -> None:
    sim = Simulation(load_scene(world_file()))
    topics = build_topics(sim, BridgeParams())
    odesim = Node("odesim", context=client.context, namespace="/lab")
    driver = Node("driver", context=client.context, namespace="/lab/robot1")
    said: list[str] = []
    strays = StrayTopics(odesim, said.append, lambda: robot_names(sim.robots))
    driver.create_publisher(Twist, "cmdvel", 10)  # a controller's mistake
    driver.create_publisher(String, "thoughts", 10)  # a controller's own
    driver.create_publisher(String, "cmdvels", 10)  # called so by chance: another type
    client.node.create_subscription(Odometry, "/lab/robot1/grund_truth", print, 10)  # a stranger's mistake
    client.node.create_subscription(String, "/lab/robot1/nonsense", print, 10)
    client.node.create_subscription(String, "/lab/elsewhere/chatter", print, 10)
    client.node.create_publisher(Twist, "/lab/robot1/cmd_vel", 10)  # right: the simulation's own
    client.node.create_publisher(String, "/lab/robot1/talk", 10)
    driver.create_subscription(String, "talk", print, 10)  # between the two

    def all_seen() -> bool:
        made = ("cmdvel", "thoughts", "cmdvels", "grund_truth", "nonsense", "talk", "cmd_vel")
        names = {name for name, _ in odesim.get_topic_names_and_types()}
        return {f"/lab/robot1/{name}" for name in made} <= names and (
            odesim.count_publishers("/lab/robot1/talk") and odesim.count_subscribers("/lab/robot1/talk")
        )

    client.until(all_seen, "the graph")
    for now in (0.0, GRACE - 1.0):
        strays.check_topics(now, topics, sim.robots)
    assert said == []  # the other side may still appear
    at_the_end = StrayTopics(odesim, said.append, lambda: robot_names(sim.robots))
    assert [
        line.split(":")[0].rpartition("/")[2] for line in sorted(at_the_end.all_now(topics, sim.robots))
    ] == [
        *("cmdvel", "grund_truth", "nonsense"),
    ]
    for now in (100.0, 200.0, 300.0):
        strays.check_topics(now, topics, sim.robots)
    expected = "odesim info lists the topics of the simulation"
    assert sorted(said) == [
        f"/lab/robot1/cmdvel: published by driver, but it has no subscriber; {expected} "
        '(did you mean "/lab/robot1/cmd_vel"?)',
        f"/lab/robot1/grund_truth: client subscribes to it, but it has no publisher; {expected} "
        '(did you mean "/lab/robot1/ground_truth"?)',
        f"/lab/robot1/nonsense: client subscribes to it, but it has no publisher; {expected}",
    ]
    for node in (odesim, driver):
        node.destroy_node()
    sim.close()
