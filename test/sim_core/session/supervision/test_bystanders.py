"""What is edited changes no bit of what is far away and touches none of it."""

from __future__ import annotations

import pytest
from bystanders import run

from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import shipped_worlds

WORLDS = {"chairs": 12, "docking": 5, "devices/touch_sensor": 8, "devices/vacuum_gripper": 3}
"""With the seed of what is edited."""
