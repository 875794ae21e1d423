"""A wind that blows across everything named in SOLIDS: drag from the speed of the air past each.

F = ½·ρ·c·A·|u|·u, u the velocity of the air relative to the solid. The wind freshens and drops with PERIOD.
"""

from math import hypot, pi, sin

SOLIDS = {"BALL": 0.0314, "BALLOON": 0.0314, "CRATE": 0.06}
"""Solids by DEF name, each with the area in m² that it shows to the wind."""
AIR_DENSITY = 1.2
DRAG_COEFFICIENT = 0.5
WIND = (8.0, 3.0, 0.0)
PERIOD = 6.0
LIFT = 0.35
"""N: the balloon is filled with a light gas; it weighs a little more than this."""

solids = {}


def init(api):
    """Find the solids once."""
    for name, area in SOLIDS.items():
        solids[name] = (api.solid(name), area)


def get_state():
    """For snapshots: nothing, the wind is a function of time."""


def set_state(state):
    """Go back to what `get_state` said."""


def step(api):
    """Blow."""
    strength = 0.5 + 0.5 * sin(2.0 * pi * api.time / PERIOD)
    for solid, area in solids.values():
        u = [strength * w - v for w, v in zip(WIND, solid.linear_velocity, strict=True)]
        factor = 0.5 * AIR_DENSITY * DRAG_COEFFICIENT * area * hypot(*u)
        solid.add_force([factor * component for component in u])
    solids["BALLOON"][0].add_force((0.0, 0.0, LIFT))
