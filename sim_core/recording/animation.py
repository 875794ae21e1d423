"""A 3D animation of a simulation, as one HTML page that opens without a server or a network.

The page adds sim time, labels, and a following camera to viser's player. That has its own state; the
additions read its time line, and move its camera as a user would.
"""

from __future__ import annotations

import io
import json
import math
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.atomic_file import atomic_file
from sim_core.base.errors import ConfigError
from sim_core.base.geometry import rotate
from sim_core.model.surroundings import MOUNTED
from sim_core.recording.follow import FollowTrack, pan_and_tilt_target, viewpoint_pose
from sim_core.recording.frame_clock import FrameClock
from sim_core.recording.page_lights import page_script
from sim_core.recording.page_surroundings import PageSurroundings
from sim_core.recording.recorded_simulation import RecordedSimulation
from sim_core.recording.targets import checked_target
from sim_core.recording.video_file import MAX_RATE, check_speed

ENDINGS = (".html", ".htm")
LINE_PERIOD_NS = 200_000_000
"""Interval of sim time at which new lines of pens and pictures of Displays are added."""
ADDITIONS = Path(__file__).parent / "page" / "animation.html"
"""File with the additions to viser's player."""
WINDOW = 9.0 / 16.0
"""Height of a window divided by its width, as most are."""


class Animation:
    """Records poses of all shapes, lights and lines of pens; the page plays them.

    Frames are taken as those of a `Movie`. The page is the player of viser, in one file.

    Args:
        sim: the simulation; its first frame is now.
        file: .html.
        fps: frames per second of the animation.
        speed: seconds of sim time in one second of the animation.

    Attributes:
        path: the file.

    Raises:
        ConfigError: an argument is not possible, or viser is missing.
    """

    def __init__(
        self, sim: RecordedSimulation, file: str | Path, fps: float = 25.0, speed: float = 1.0
    ) -> None:
        self.path = checked_target(file, ENDINGS)
        if not 1.0 <= fps <= MAX_RATE:
            raise ConfigError(f"fps: found {fps:g}, expected 1 to {MAX_RATE:g} pictures per second")
        check_speed(speed)
        from sim_core.recording.animation_scene import AnimationScene
        from sim_core.recording.page_lights import PageLights

        self._sim = sim
        self._fps, self._speed = fps, speed
        self._server = _new_server()
        self._look = PageLights(self._server.scene)
        self._shapes = AnimationScene(self._server.scene, sim)
        self._surround = PageSurroundings(sim, self._shapes.shown)
        self._surrounds: list[tuple[float, dict[str, Any]]] = []
        self._record_surroundings(0.0)
        self._eye = set_first_view(self._server, sim, *self._shapes.shown.bounds())
        self._follow = FollowTrack(sim.physics)
        self._follow.record(0.0)
        self._labels: list[tuple[float, list[dict[str, Any]]]] = []
        self._record_labels(0.0)
        self._recorder = self._server.get_scene_serializer()
        self._clock = FrameClock(sim.time_ns, fps / speed)
        self._clock.next_frame(sim.time_ns)
        self._frame, self._count = 0, 1
        self._last_ns = self._lines_ns = sim.time_ns
        self._starts = [(0.0, sim.time_ns / 1e9)]
        self._is_stale = False
        sim.supervisor.changed.append(self._mark_stale)

    def after_step(self, time_ns: int) -> None:
        """Take a frame if one is due; called after each step."""
        frame = self._clock.next_frame(time_ns)
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
        second = frame / self._fps
        if self._is_stale:
            self._is_stale = False
            self._shapes.reload()
            self._record_labels(second)
        self._shapes.update_poses()
        self._record_surroundings(second)
        self._follow.record(second)
        if time_ns >= self._lines_ns:
            self._lines_ns = time_ns + LINE_PERIOD_NS
            self._shapes.draw_lines()
            self._shapes.draw_screens()

    def wait_for_pictures(self) -> None:
        """Do nothing, as no frame is pending."""

    def close(self) -> str:
        """Write the page; return a line that describes it.

        Raises:
            ConfigError: it cannot be written.
        """
        self._sim.supervisor.changed.remove(self._mark_stale)
        self._shapes.draw_lines()
        length = self._clock.elapsed_ns / 1e9 / self._speed
        self._recorder.insert_sleep(max(0.0, length - self._frame / self._fps))
        page = self._recorder.as_html()
        with redirect_stdout(io.StringIO()):
            self._server.stop()
        page = with_additions(
            page,
            {
                "title": Path(self._sim.scene.file).stem,
                "starts": self._starts,
                "speed": self._speed,
                "labels": self._labels,
                "surrounds": self._surrounds,
                "eye": self._eye,
                "followed": self._follow.name,
                "kinds": self._follow.kinds,
                "poses": self._follow.poses,
            },
        )
        try:
            with atomic_file(self.path) as part:
                part.write_text(page, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from None
        return f"{self.path}: {self._count} frames, {length:.2f} s, {len(page) / 1e6:.1f} MB"

    def _record_surroundings(self, second: float) -> None:
        """Record changes of light and sky."""
        surroundings = self._surround.now()
        if not self._surrounds or surroundings != self._surrounds[-1][1]:
            self._surrounds.append((second, surroundings))
            self._look.show(surroundings)

    def _record_labels(self, second: float) -> None:
        """Record changes of the labels."""
        labels = [
            {
                "text": label.text,
                "x": label.x,
                "y": label.y,
                "size": label.size,
                "colour": "#" + "".join(f"{round(255.0 * part):02x}" for part in label.colour),
                "opacity": 1.0 - label.transparency,
                "font": label.font,
            }
            for _, label in self._sim.supervisor.labels.items()
        ]
        if labels != (self._labels[-1][1] if self._labels else []):
            if not self._labels and second > 0.0:
                self._labels.append((0.0, []))
            self._labels.append((second, labels))

    def _mark_stale(self) -> None:
        """Note that a supervisor has changed what is visible."""
        self._is_stale = True


def _new_server() -> Any:
    """Start a viser server without clients; only the messages that it would send are recorded."""
    try:
        from sim_core.recording.private_server import open_server
    except ImportError as error:
        raise ConfigError(f"animations need the Python package viser: pip install viser ({error})") from None
    return open_server("127.0.0.1", 0)


def set_first_view(server: Any, sim: RecordedSimulation, low: Any, high: Any) -> list[float]:
    """Set the first view to that of the Viewpoint; it rotates about a point ahead, as far as the world's
    middle.

    Returns:
        Position of the eye, x, y, z in m.
    """
    pose = viewpoint_pose(sim.physics)
    viewpoint = sim.physics.model.surroundings.viewpoint
    ahead = np.array(rotate(pose.rotation, (1.0, 0.0, 0.0)))
    eye = np.array(pose.position)
    target = pan_and_tilt_target(sim.physics)
    middle = (low + high) / 2.0 if target is None else np.array(target)
    distance = max(float((middle - eye) @ ahead), 1.0 if target is None else 0.1)
    camera = server.initial_camera
    camera.position, camera.look_at = tuple(eye.tolist()), tuple((eye + distance * ahead).tolist())
    camera.up = rotate(pose.rotation, (0.0, 0.0, 1.0)) if viewpoint.how == MOUNTED else (0.0, 0.0, 1.0)
    camera.fov = 2.0 * math.atan(math.tan(min(viewpoint.field_of_view, 3.0) / 2.0) * WINDOW)
    place: list[float] = eye.tolist()
    return place


def with_additions(page: str, data: dict[str, Any]) -> str:
    """Return the page with sim time, labels and a following camera.

    Args:
        page: viser's player with a recording.
        data: `title`; `starts`, rows (second of the animation, second of sim time) where sim time jumps, and
            `speed` between them; `labels`, rows (second, labels); `surrounds`, rows (second, light and sky
            from then on); `eye`, position of the first view; `followed`, a name, `kinds`, and `poses`, rows
            as those of `FollowTrack`.
    """
    text = json.dumps(data).replace("<", "\\u003c")  # so that no text can end the script
    added = ADDITIONS.read_text(encoding="utf-8").replace("LOOK", page_script())
    added = added.replace("const DATA = null;", f"const DATA = {text};", 1)
    end = page.rindex("</body>")
    return page[:end] + added + page[end:]
