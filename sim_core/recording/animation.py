"""A 3D animation of a simulation, as one HTML page that opens without a server and without a network."""

from __future__ import annotations

import io
import json
import math
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.errors import ConfigError
from sim_core.follow import viewpoint_pose
from sim_core.geometry import rotate
from sim_core.recording.frame_clock import FrameClock
from sim_core.recording.targets import checked_target
from sim_core.recording.video_file import MOST_RATE, check_speed
from sim_core.simulation import Simulation
from sim_core.whole_file import whole_file

ENDINGS = (".html", ".htm")
LINE_PERIOD_NS = 200_000_000
"""Of sim time: how often what pens have drawn is added."""
SKY = (228, 236, 244)
LAMPS = ((-3.0, -6.0, 4.0), (6.0, 3.0, 4.0))
LAMP_INTENSITY = 0.5
"""Light from the sides, beside what viser has from above: no side of a thing is black."""
WINDOW = 9.0 / 16.0
"""Height of a window by its width, as most are."""
CLOCK = """
<div id="odesim-time" style="position:fixed;left:1em;bottom:4em;z-index:9;padding:0.2em 0.5em;
border-radius:0.2em;background:#ffffffb0;color:#222;font:14px monospace;pointer-events:none"></div>
<script>
(() => {
  document.title = TITLE;
  const starts = STARTS;  // [second of the animation, second of sim time] where sim time jumps
  const shown = document.getElementById("odesim-time");
  setInterval(() => {
    const slider = document.querySelector("[role=slider]");
    const now = slider ? parseFloat(slider.getAttribute("aria-valuenow")) : 0;
    const start = starts.filter((each) => each[0] <= now + 1e-9).pop() || starts[0];
    const ms = Math.floor(1000 * (start[1] + (now - start[0]) * SPEED) + 1e-3);
    const part = (value, digits) => String(value).padStart(digits, "0");
    shown.textContent = Math.floor(ms / 3600000) + ":" + part(Math.floor(ms / 60000) % 60, 2) + ":" +
      part(Math.floor(ms / 1000) % 60, 2) + ":" + part(ms % 1000, 3);
  }, 50);
})();
</script>
"""
"""Shows sim time as H:MM:SS:mmm; the page itself shows its own seconds."""


class Animation:
    """Records where all shapes are, what shines and what pens draw; the page plays it.

    Frames are taken as those of a `Movie`. The page is the player of viser, all in one file.

    Args:
        sim: the simulation; its first frame is now.
        file: .html.
        fps: frames per second of the animation.
        speed: seconds of sim time in one second of the animation.

    Attributes:
        path: the file.

    Raises:
        ConfigError: something of this is not possible, or viser is missing.
    """

    def __init__(self, sim: Simulation, file: str | Path, fps: float = 25.0, speed: float = 1.0) -> None:
        self.path = checked_target(file, ENDINGS)
        if not 1.0 <= fps <= MOST_RATE:
            raise ConfigError(f"fps: found {fps:g}, expected 1 to {MOST_RATE:g} pictures per second")
        check_speed(speed)
        from sim_core.recording.animation_scene import AnimationScene

        self._sim = sim
        self._fps, self._speed = fps, speed
        self._server = _new_server()
        _light(self._server, sim)
        self._shapes = AnimationScene(self._server.scene, sim)
        _look_from_viewpoint(self._server, sim, *self._shapes.bounds())
        self._recorder = self._server.get_scene_serializer()
        self._clock = FrameClock(sim.time_ns, fps / speed)
        self._clock.take(sim.time_ns)
        self._frame, self._count = 0, 1
        self._last_ns = self._lines_ns = sim.time_ns
        self._starts = [(0.0, sim.time_ns / 1e9)]
        self._is_stale = False
        sim.supervisor.changed.append(self._spoil)

    def look(self, time_ns: int) -> None:
        """A step has ended: take a frame if one is due."""
        frame = self._clock.take(time_ns)
        jumped = time_ns < self._last_ns
        self._last_ns = time_ns
        if jumped:
            self._starts.append((self._clock.elapsed_ns / 1e9 / self._speed, time_ns / 1e9))
            self._lines_ns = time_ns
        if frame is None:
            return
        self._recorder.insert_sleep((frame - self._frame) / self._fps)
        self._frame = frame
        self._count += 1
        if self._is_stale:
            self._is_stale = False
            self._shapes.renew()
        self._shapes.update()
        if time_ns >= self._lines_ns:
            self._lines_ns = time_ns + LINE_PERIOD_NS
            self._shapes.draw_lines()

    def settle(self) -> None:
        """Nothing is on the way."""

    def close(self) -> str:
        """Write the page; says in a line what it is.

        Raises:
            ConfigError: it cannot be written.
        """
        self._sim.supervisor.changed.remove(self._spoil)
        self._shapes.draw_lines()
        length = self._clock.elapsed_ns / 1e9 / self._speed
        self._recorder.insert_sleep(max(0.0, length - self._frame / self._fps))
        page = self._recorder.as_html()
        with redirect_stdout(io.StringIO()):
            self._server.stop()
        title = json.dumps(Path(self._sim.scene.file).stem).replace("<", "\\u003c")
        clock = CLOCK.replace("TITLE", title).replace("STARTS", json.dumps(self._starts))
        end = page.rindex("</body>")
        page = page[:end] + clock.replace("SPEED", repr(float(self._speed))) + page[end:]
        try:
            with whole_file(self.path) as part:
                part.write_text(page, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None
        return f"{self.path}: {self._count} frames, {length:.2f} s, {len(page) / 1e6:.1f} MB"

    def _spoil(self) -> None:
        """A supervisor has changed what is seen."""
        self._is_stale = True


def _new_server() -> Any:
    """A viser server that nobody need ever ask: only what it would send is recorded."""
    try:
        import viser
    except ImportError as error:
        raise ConfigError(f"animations need the Python package viser: pip install viser ({error})") from None
    with redirect_stdout(io.StringIO()):  # it prints a box with its address, whether or not it is verbose
        server = viser.ViserServer("127.0.0.1", 0, verbose=False)
    server.request_share_url = lambda *_, **__: None
    return server


def _light(server: Any, sim: Simulation) -> None:
    """Light from above and the sides, and the world's sky."""
    server.scene.configure_default_lights(cast_shadow=False)
    node = next((node for node in sim.scene.walk() if node.type_name == "Background"), None)
    sky = [round(255 * part) for part in node["skyColor"][0]] if node and node["skyColor"] else SKY
    server.scene.set_background_image(np.full((2, 2, 3), sky, np.uint8), format="png")
    for number, place in enumerate(LAMPS):
        server.scene.add_light_directional(f"/lamp{number}", position=place, intensity=LAMP_INTENSITY)


def _look_from_viewpoint(server: Any, sim: Simulation, low: Any, high: Any) -> None:
    """The first view is that of the Viewpoint; it turns round a point ahead, as far as the world's middle."""
    pose = viewpoint_pose(sim.scene, sim.physics)
    node = next((node for node in sim.scene.nodes if node.type_name == "Viewpoint"), None)
    ahead = np.array(rotate(pose.rotation, (1.0, 0.0, 0.0)))
    eye = np.array(pose.position)
    distance = max(float(((low + high) / 2.0 - eye) @ ahead), 1.0)
    camera = server.initial_camera
    camera.position, camera.look_at = tuple(eye.tolist()), tuple((eye + distance * ahead).tolist())
    camera.up = (0.0, 0.0, 1.0)
    angle = node["fieldOfView"] if node is not None else math.pi / 4.0
    camera.fov = 2.0 * math.atan(math.tan(min(angle, 3.0) / 2.0) * WINDOW)
