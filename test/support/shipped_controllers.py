"""Controllers in Webots' Python that come along, for tests that drive by their laws in this process."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from sim_core.base.shipped import share_dir
from sim_core.session.simulation import Simulation

STEEP = 0.7
"""Contacts with walls and furniture have a normal that is less upright than this."""


def controller(name: str) -> ModuleType:
    """The module of one; its `controller` is that of odesim."""
    sys.path.insert(0, str(share_dir() / "webots_api"))
    try:
        spec = importlib.util.spec_from_file_location(name, share_dir() / "controllers" / name / f"{name}.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


def touches_a_wall(sim: Simulation) -> bool:
    """Whether anything touched something other than a floor in the last step; contacts must be recorded."""
    return any(abs(touch.normal[2]) < STEEP for touch in sim.physics.contacts)
