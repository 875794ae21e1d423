"""Render process: has the only OpenGL context, draws requested pictures into shared memory.

    python -m sim_core.sensing.render.process CONNECTION MEMORY PARENT

The first two are file descriptors inherited from the parent. The process ends when the parent closes the
connection; and at once, even while drawing, when the process PARENT dies, unless that is 0. It is a separate
process, as drawing would block the threads of the simulation; it is started and not forked, as a context
does not survive a fork.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from sim_core.base.arrays import IntArray
from sim_core.base.machine import is_ended_with
from sim_core.sensing.picture_view import Layers, PictureView
from sim_core.sensing.render.draw_list import DrawList, NewView
from sim_core.sensing.render.readback import PendingPixels

BYTES = {"color": 4, "light": 16, "segmentation": 4, "depth": 4}
"""Bytes of a pixel."""
HEAD = 64
"""Bytes before the pictures: the first eight are the number of answers that were sent."""
NICENESS = 10
"""Lower priority than the simulation: a process that is woken by another may take its processor."""


def memory_size(views: list[PictureView]) -> int:
    """Return the bytes of the pictures of all views, with the head."""
    return HEAD + sum(view.width * view.height * BYTES[layer] for view in views for layer in view.layers)


def map_layers(views: list[PictureView], memory: Any) -> list[Layers]:
    """Return the arrays of all views in the shared memory, one view after the other."""
    start = HEAD
    found: list[Layers] = []
    for view in views:
        layers: Layers = {}
        for layer in view.layers:
            count = view.width * view.height
            shape: tuple[int, ...] = (view.height, view.width)
            if layer == "depth":
                layers[layer] = np.frombuffer(memory, np.float32, count, start).reshape(shape)
            else:
                kind = np.float32 if layer == "light" else np.uint8
                layers[layer] = np.frombuffer(memory, kind, 4 * count, start).reshape(*shape, 4)
            start += BYTES[layer] * count
        found.append(layers)
    return found


def answer_count(memory: Any) -> IntArray:
    """Return the number of answers that were sent, (1,); reading it is cheaper than polling the
    connection."""
    return np.frombuffer(memory, np.int64, 1)


def serve(connection: Connection, memory: int) -> None:
    """Draw until the parent ends.

    The first message is the views; the answer is (True, the renderer's name) or (False, the reason). Then
    each message is a draw list or a NewView, which have no answer, or a FrameState: the number of each of its
    views is an answer, sent when the picture is ready.
    """
    views: list[PictureView] = connection.recv()
    shared = mmap.mmap(memory, memory_size(views))
    layers, answers = map_layers(views, shared), answer_count(shared)

    def answer(what: object) -> None:
        connection.send(what)
        answers[0] += 1

    try:
        from sim_core.sensing.render.painter import Painter, make_context

        context = make_context()
        painter = Painter(context)
        answer((True, context.info["GL_RENDERER"]))

        def hand_over(view: int, unread: list[PendingPixels]) -> None:
            painter.write_pixels(unread)
            answer(view)

        while True:
            message = connection.recv()
            if isinstance(message, DrawList):
                painter.set_draw_list(message)
            elif isinstance(message, NewView):
                views[message.number] = message.view
            else:
                painter.set_state(message)
                drawn: list[tuple[int, list[PendingPixels]]] = []
                for request in message.requests:
                    unread = painter.draw_view(views[request.view], request, layers[request.view])
                    drawn.append((request.view, unread))
                    if len(drawn) > 1:  # the previous picture is read back while this one is drawn
                        hand_over(*drawn.pop(0))
                for view, unread in drawn:
                    hand_over(view, unread)
    except (EOFError, OSError):
        raise  # the parent has ended
    except Exception as error:  # any exception of the GL libraries: the simulation continues without pictures
        answer((False, f"{type(error).__name__}: {error}"))


def main() -> None:
    """Serve the parent, which alone handles Ctrl-C."""
    parent = int(sys.argv[3])
    if parent and not is_ended_with(parent):
        return
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent has ended
        serve(Connection(int(sys.argv[1])), int(sys.argv[2]))


if __name__ == "__main__":
    main()
