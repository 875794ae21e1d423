"""A page that shows a simulation of this process while it runs; it uses no topics and has no panels."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from html import escape
from typing import Any

from ros_bridge.base.page_server import PORT, make_server
from sim_core.base.clock import to_seconds
from sim_core.recording.animation import set_first_view
from sim_core.recording.animation_scene import AnimationScene
from sim_core.recording.page_lights import PageLights, page_script
from sim_core.recording.page_surroundings import PageSurroundings
from sim_core.session.simulation import Simulation

HOST = "127.0.0.1"


class LivePage:
    """The shapes, lights, lines of pens and Displays of a simulation, and its sim time.

    Attributes:
        port: at which it is reached.

    Args:
        sim: the simulation.
        port: first port to try, 0: any; None: the viewer's default.

    Raises:
        ConfigError: viser is not installed, or there is no such port.
    """

    def __init__(self, sim: Simulation, port: int | None = None) -> None:
        self._sim = sim
        self._server = server = make_server(HOST, PORT if port is None else port)
        self.port = server.get_port()
        self._look = PageLights(server.scene)
        self._shapes = AnimationScene(server.scene, sim)
        self._surround = PageSurroundings(sim, self._shapes.shown)
        self._html = server.gui.add_html("")
        self._time = server.gui.add_text("Sim time", "", disabled=True)
        self._shown: dict[str, Any] = {}
        self._is_stale = False
        set_first_view(server, sim, *self._shapes.shown.bounds())
        sim.supervisor.changed.append(self._mark_stale)
        self._update()

    def refresh(self) -> None:
        """Show what has changed, if a browser is connected; called between steps."""
        if self._server.get_clients():
            with self._server.atomic():
                self._update()

    def close(self) -> None:
        """Stop the server."""
        self._sim.supervisor.changed.remove(self._mark_stale)
        with redirect_stdout(io.StringIO()):
            self._server.stop()

    def _update(self) -> None:
        if self._is_stale:
            self._is_stale = False
            self._shapes.reload()
        self._shapes.update_poses()
        self._shapes.draw_lines()
        self._shapes.draw_screens()
        self._time.value = f"{to_seconds(self._sim.time_ns):.2f} s"
        surround = self._surround.now()
        if surround != self._shown:
            self._shown = surround
            self._look.show(surround)
            self._html.content = look_html(surround)

    def _mark_stale(self) -> None:
        """Note that a supervisor has changed what is visible."""
        self._is_stale = True


def look_html(surround: dict[str, Any]) -> str:
    """Return HTML whose script sets the look of a page; only event handlers are run in HTML added later."""
    code = f"{page_script()}\nwindow.odesimLook({json.dumps(surround)});"
    return f'<img alt="" hidden src="data:," onerror="{escape(code)}">'
