"""Controllers shipped with odesim: small rclpy nodes, written as examples."""

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
"""Names by which worlds refer to them: each is a module of that name in this folder."""
NAMESPACE = "ODESIM_NAMESPACE"
"""Environment variable with the namespace of the simulation that started a controller; empty: none."""
