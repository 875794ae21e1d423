"""The simulation's end of the render process."""

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
from sim_core.sensing.looks import Looks
from sim_core.sensing.picture_view import Layers, PictureView
from sim_core.sensing.render.draw_list import NewView, SceneShapes
from sim_core.sensing.render.process import answer_count, map_layers, memory_size

ROOT = Path(__file__).resolve().parents[3]
NO_MODULE = "the Python package moderngl is missing (pip install moderngl)"
ADVICE = "OpenGL through EGL is missing (apt-get install libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri)"
DIED = "the render process ended by itself"
END_SECONDS = 0.3
"""s that the process has to end by itself; it has nothing to lose, and may still be starting."""
LOOKS = 256


class RenderProcess:
    """Draws views of a world as it is now in a process of its own.

    Starting returns at once; the first picture waits for the process.

    Attributes:
        name: of what draws, once it has begun: Mesa's llvmpipe, or a graphics card.
        close: ends it; may be called twice.
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
        # To the kernel a parent is a thread: of one that may end before us, nothing is asked.
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else 0
        arguments = [str(each) for each in (theirs.fileno(), memory, parent)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sim_core.sensing.render.process", *arguments],
            pass_fds=[theirs.fileno(), memory],
            process_group=0,  # Ctrl-C at the terminal reaches the simulation alone: pictures may still be due
            stdin=subprocess.DEVNULL,
            env={
                "EGL_LOG_LEVEL": "fatal",
                # of Mesa's llvmpipe; the physics has its core all the same, for the process gives way
                "LP_NUM_THREADS": str(processors()),
                **os.environ,
                "PYTHONPATH": path,
            },
        )
        theirs.close()
        shared = mmap.mmap(memory, memory_size(views))
        self._layers, self._answers = map_layers(views, shared), answer_count(shared)
        self._taken = self._idle_looks = 0
        os.close(memory)
        # Also where nobody closes: the process ends when the connection does.
        self.close = weakref.finalize(self, _end, self._connection, self._process)
        self._send(views)
        self._is_stale = True

    def change(self, number: int, view: PictureView) -> None:
        """Draw a view so from now on; its size and its layers stay."""
        if self.failure is None:
            self._send(NewView(number, view))

    def scene_changed(self) -> None:
        """Read the scene anew before the next picture."""
        self._is_stale = True

    def submit(
        self, eyes: Sequence[tuple[int, Pose, NodeId | None]], lights: FloatArray, looks: Looks
    ) -> None:
        """Ask for pictures of now; one at a time for each view.

        Args:
            eyes: the number of each view, the pose in the world that it is seen from, and its viewer, see
                `Looks.hidden`.
            lights: see `sim_core.devices.vision.pictures.light_rows`.
            looks: of the world.
        """
        if self.failure is not None:
            return
        if self._is_stale:
            self._is_stale = False
            self._send(self._shapes.read(looks))
        sights = [self._shapes.sight(view, pose, looks, viewer) for view, pose, viewer in eyes]
        self._busy.update(sight.view for sight in sights)
        self._send(self._shapes.moment(sights, lights, looks))

    def collect(self, wait: bool) -> list[tuple[int, Layers]]:
        """The views that have been drawn since; `wait`: at least one. Empty after a failure."""
        ready: list[tuple[int, Layers]] = []
        if not wait and self._answers[0] == self._taken:
            self._idle_looks += 1
            if self._idle_looks % LOOKS:
                return ready  # only now and then look whether the process still lives
        while self.failure is None and self._busy:
            try:
                if not self._connection.poll(None if wait and not ready else 0.0):
                    break
                answer = self._connection.recv()
                self._taken += 1
            except (EOFError, OSError):
                self.failure = DIED
                break
            if isinstance(answer, tuple):
                self._begin(*answer)
            else:
                self._busy.discard(answer)
                ready.append((answer, self._layers[answer]))
        return ready

    def _begin(self, works: bool, text: str) -> None:
        """The first answer: the renderer's name, or what is missing."""
        if works:
            self.name = text
        else:  # at once, or later
            self.failure = f"the render process failed: {text}" if self.name else f"{ADVICE}; {text}"

    def _send(self, message: object) -> None:
        try:
            self._connection.send(message)
        except OSError:
            self.failure = DIED


def _end(connection: object, process: subprocess.Popen[bytes]) -> None:
    """Close the connection, so that the process ends; help if it does not."""
    connection.close()  # type: ignore[attr-defined]
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
