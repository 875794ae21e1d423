"""Controllers that come with odesim: small rclpy nodes, written to be read."""

SHIPPED = (
    "command_player",
    "docking",
    "go_to_pose",
    "line_follower",
    "swarm",
    "ute_pilot",
    "wall_avoider",
    "wall_follower",
)
"""Names by which worlds ask for them: each is the module of that name in this folder."""
NAMESPACE = "ODESIM_NAMESPACE"
"""Environment variable: the namespace of the simulation that has started a controller; empty: none."""
