"""GetSimulationState, SetSimulationState."""

from __future__ import annotations

from typing import Any

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.worlds import WorldServices
from sim_core.base.errors import CommandError
from sim_core.session.run_commands import Quit, Reset, SetMode

STOPPED, PLAYING, PAUSED, QUITTING, NO_WORLD, LOADING_WORLD = range(6)
NAMES = ("stopped", "playing", "paused", "quitting", "no world", "loading a world")
ALREADY_THERE, INCORRECT_TRANSITION = 101, 103


class Running:
    """Each method implements the service of its name."""

    def __init__(self, runner: Runner, worlds: WorldServices) -> None:
        self._runner, self._worlds = runner, worlds
        self._is_quitting = False
        self.is_stopped = True
        """Whether a world at rest at time 0 is stopped rather than paused: nobody has paused it."""

    @property
    def state(self) -> int:
        """State as a number of SimulationState."""
        if self._worlds.is_loading:
            return LOADING_WORLD
        if self._is_quitting:
            return QUITTING
        if not self._worlds.has_world:
            return NO_WORLD
        if self._runner.mode != "paused":
            return PLAYING
        is_at_start = self._runner.session.sim.time_ns == 0
        return STOPPED if self.is_stopped and is_at_start else PAUSED

    def get_simulation_state(self, request: Any, response: Any) -> None:
        """Return the present state, also while a world is being loaded."""
        response.state.state = self.state

    def set_simulation_state(self, request: Any, response: Any) -> None:
        """Stop, play, pause or quit."""
        wanted, now = int(request.state.state), self.state
        if wanted not in (STOPPED, PLAYING, PAUSED, QUITTING):
            name = NAMES[wanted] if wanted < len(NAMES) else str(wanted)
            how = " (see LoadWorld, UnloadWorld)" if wanted in (NO_WORLD, LOADING_WORLD) else ""
            expected = "stopped, playing, paused or quitting"
            raise CommandError(f"found the state {name}, expected {expected}{how}", INCORRECT_TRANSITION)
        if wanted == now:
            raise CommandError(f"the simulation is {NAMES[now]} already", ALREADY_THERE)
        if wanted == QUITTING:
            self._is_quitting = True
            self._runner.execute(Quit())
            return
        if now in (NO_WORLD, QUITTING):
            raise CommandError(f"found {NAMES[now]}, expected a world that is loaded", INCORRECT_TRANSITION)
        if wanted == STOPPED:
            self._runner.execute(SetMode("paused"))
            self._runner.execute(Reset())
        elif wanted == PAUSED:
            self._runner.execute(SetMode("paused"))
        else:
            self._runner.execute(SetMode())
        self.is_stopped = wanted == STOPPED
