"""The simulation's interface to the render process."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.base.machine import processors, shared_memory
from sim_core.engines.world_view import World
from sim_core.sensing.appearance_changes import AppearanceChanges
from sim_core.sensing.picture_view import Layers, PictureView
from sim_core.sensing.render.draw_list import NewView, SceneShapes
from sim_core.sensing.render.process import answer_count, map_layers, memory_size

ROOT = Path(__file__).resolve().parents[3]
NO_MODULE = "the Python package moderngl is missing (pip install moderngl)"
ADVICE = "OpenGL through EGL is missing (apt-get install libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri)"
PROCESS_ENDED = "the render process ended by itself"
END_SECONDS = 0.3
"""Time for the process to end by itself, s; it has no data to lose, and may still be starting."""
POLLS_PER_CHECK = 256


class RenderProcess:
    """Draws views of the present world in a separate process.

    Starting returns at once; the first picture waits for the process.

    Attributes:
        name: name of the renderer once the process has started: Mesa's llvmpipe, or a graphics card.
        close: ends the process; may be called twice.
        failure: why it cannot draw; None while it can.
    """

    def __init__(self, world: World, views: list[PictureView]) -> None:
        self.failure: str | None = None
        self._busy: set[int] = set()
        self.name = ""
        self.close: Callable[[], object] = lambda: None
        if find_spec("moderngl") is None:
            self.failure = NO_MODULE
            return
        views = list(views)
        self._shapes = SceneShapes(world)
        memory = shared_memory("odesim-pictures")
        os.ftruncate(memory, memory_size(views))
        self._connection, theirs = multiprocessing.Pipe()
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        # The kernel's parent of a process is a thread; if that may end before this process, no signal is
        # requested.
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else 0
        arguments = [str(each) for each in (theirs.fileno(), memory, parent)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sim_core.sensing.render.process", *arguments],
            pass_fds=[theirs.fileno(), memory],
            # Ctrl-C in the terminal must reach the simulation alone, as pictures may still be pending
            process_group=0,
            stdin=subprocess.DEVNULL,
            env={
                "EGL_LOG_LEVEL": "fatal",
                # threads of Mesa's llvmpipe; the process has a low priority, so physics still gets its core
                "LP_NUM_THREADS": str(processors()),
                **os.environ,
                "PYTHONPATH": path,
            },
        )
        theirs.close()
        shared = mmap.mmap(memory, memory_size(views))
        self._layers, self._answers = map_layers(views, shared), answer_count(shared)
        self._received = self._idle_polls = 0
        os.close(memory)
        # Also if `close` is never called, the process ends when the connection is closed.
        self.close = weakref.finalize(self, _end, self._connection, self._process)
        self._send(views)
        self._is_stale = True

    def replace_view(self, number: int, view: PictureView) -> None:
        """Replace a view; its size and its layers must stay."""
        if self.failure is None:
            self._send(NewView(number, view))

    def scene_changed(self) -> None:
        """Read the scene again before the next picture."""
        self._is_stale = True

    def submit(
        self, eyes: Sequence[tuple[int, Pose, NodeId | None]], lights: FloatArray, changes: AppearanceChanges
    ) -> None:
        """Request pictures of the present world; at most one pending picture for each view.

        Args:
            eyes: the number of each view, the pose in the world that it is seen from, and its viewer, see
                `AppearanceChanges.hidden`.
            lights: see `sim_core.devices.vision.pictures.light_rows`.
            changes: of appearances in the world.
        """
        if self.failure is not None:
            return
        if self._is_stale:
            self._is_stale = False
            self._send(self._shapes.read_shapes(changes))
        requests = [self._shapes.view_request(view, pose, changes, viewer) for view, pose, viewer in eyes]
        self._busy.update(request.view for request in requests)
        self._send(self._shapes.frame_state(requests, lights, changes))

    def collect(self, wait: bool) -> list[tuple[int, Layers]]:
        """Return the views drawn since the last call; `wait`: at least one. Empty after a failure."""
        ready: list[tuple[int, Layers]] = []
        if not wait and self._answers[0] == self._received:
            self._idle_polls += 1
            if self._idle_polls % POLLS_PER_CHECK:
                return ready  # check only now and then if the process is still alive
        while self.failure is None and self._busy:
            try:
                if not self._connection.poll(None if wait and not ready else 0.0):
                    break
                answer = self._connection.recv()
                self._received += 1
            except (EOFError, OSError):
                self.failure = PROCESS_ENDED
                break
            if isinstance(answer, tuple):
                self._handle_start(*answer)
            else:
                self._busy.discard(answer)
                ready.append((answer, self._layers[answer]))
        return ready

    def _handle_start(self, works: bool, text: str) -> None:
        """Handle the first answer: the renderer's name, or what is missing."""
        if works:
            self.name = text
        else:  # at the start, or later
            self.failure = f"the render process failed: {text}" if self.name else f"{ADVICE}; {text}"

    def _send(self, message: object) -> None:
        try:
            self._connection.send(message)
        except OSError:
            self.failure = PROCESS_ENDED


def _end(connection: object, process: subprocess.Popen[bytes]) -> None:
    """Close the connection, so that the process ends; kill it if it does not."""
    connection.close()  # type: ignore[attr-defined]
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
