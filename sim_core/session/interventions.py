"""Which actions are those of controllers on their devices, and which change the world from outside."""

from __future__ import annotations

from sim_core.session.controller_commands import ControllerAction
from sim_core.session.pipeline import Action
from sim_core.session.robot_commands import DriveCopies, FleetAction, RobotAction, TurnCopies, TurnJoints
from sim_core.session.world_commands import SetField

OF_CONTROLLERS = (RobotAction, ControllerAction, FleetAction, TurnJoints, TurnCopies, DriveCopies)
"""Actions on the devices of robots; all others change the world or the run."""


def is_of_controller(action: Action) -> bool:
    """Return whether any controller may ask for it: robots write their field `customData` themselves."""
    is_own_data = isinstance(action, SetField) and action.field == "customData"
    return is_own_data or isinstance(action, OF_CONTROLLERS)
