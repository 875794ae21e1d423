"""Gymnasium environments over worlds, without ROS.

    import gymnasium
    import sim_core.learning  # makes the names odesim/… known; not needed where odesim is installed

    env = gymnasium.make("odesim/WallAvoider-v0")

Nothing else of odesim imports Gymnasium.
"""

from sim_core.learning.env import OdesimEnv
from sim_core.learning.registration import register_environments

__all__ = ["OdesimEnv", "register_environments"]

register_environments()
