"""Copies of a world in worker processes, several in each."""

from __future__ import annotations

import math
import mmap
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from sim_core.base.arrays import Float32Array, FloatArray, IntArray
from sim_core.base.errors import ConfigError, OdesimError
from sim_core.base.machine import processors, shared_memory
from sim_core.experiments.learning.task import Start, WorldSetup
from sim_core.experiments.learning.world_copy import WorldCopy
from sim_core.experiments.learning.worlds import SimulatedWorlds
from sim_core.experiments.sweep.workers import start_worker


class WorldProcesses:
    """Simulations in several processes, each with a part of the rows; implements `Worlds`.

    Readings and commands are in shared memory; a line through a socket starts a step.
    """

    def __init__(self, spec: WorldSetup, count: int, processes: int | None = None) -> None:
        """Start the processes; None: the number of cores, but no more than copies.

        Raises:
            OdesimError: as `WorldCopy`.
        """
        first = WorldCopy(spec)
        self.read_space, self.command_space = first.read_space, first.command_space
        self.seconds = first.seconds
        first.close()
        processes = min(count, processes or processors())
        readings, commands = (math.prod(space.shape) for space in (self.read_space, self.command_space))
        sizes = (count, readings, commands, len(spec.bodies))
        memory = shared_memory("odesim")
        os.ftruncate(memory, _bytes(sizes))
        self.readings, self._commands, self.poses = _arrays(memory, sizes)
        self._ends = np.linspace(0, count, processes + 1).astype(int)
        self._workers: list[tuple[subprocess.Popen[bytes], Connection]] = []
        for low, high in zip(self._ends[:-1].tolist(), self._ends[1:].tolist(), strict=True):
            self._workers.append(start_worker(__name__, memory, [memory]))
            self._workers[-1][1].send_bytes(pickle.dumps((spec, low, high, sizes)))
        os.close(memory)
        self._request([(worker, None) for worker in range(processes)])

    def begin(self, rows: IntArray, seeds: Sequence[int | None], starts: Sequence[Start]) -> None:
        """See `Worlds.begin`."""
        requests: list[tuple[int, Any]] = []
        for worker, part in self._rows_by_worker(rows):
            requests.append((worker, (rows[part], [seeds[k] for k in part], [starts[k] for k in part])))
        self._request(requests)

    def step(self, rows: IntArray, commands: Float32Array) -> None:
        """See `Worlds.step`."""
        self._commands[:] = commands
        self._request([(worker, rows[part]) for worker, part in self._rows_by_worker(rows)])

    def close(self) -> None:
        """End the processes."""
        for process, link in self._workers:
            link.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10.0)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._workers = []

    def __del__(self) -> None:
        if getattr(self, "_workers", None):
            self.close()

    def _rows_by_worker(self, rows: IntArray) -> list[tuple[int, list[int]]]:
        """Return the rows of each worker, by their indices among all rows."""
        owners = np.searchsorted(self._ends, rows, side="right") - 1
        return [(int(worker), np.flatnonzero(owners == worker).tolist()) for worker in np.unique(owners)]

    def _request(self, requests: Sequence[tuple[int, Any]]) -> None:
        """Send requests to workers at once, and wait for all answers.

        Raises:
            OdesimError: a worker has returned an error, or ended.
        """
        for worker, what in requests:
            if what is not None:
                self._workers[worker][1].send_bytes(pickle.dumps(what))
        problem: OdesimError | None = None
        for worker, _ in requests:
            process, link = self._workers[worker]
            try:
                answer = pickle.loads(link.recv_bytes())
            except (EOFError, OSError):
                answer = ConfigError(f"a process of the environments ended, exit code {process.wait()}")
            problem = problem or answer
        if problem is not None:
            raise problem


def _bytes(sizes: tuple[int, int, int, int]) -> int:
    count, readings, commands, bodies = sizes
    return count * (4 * (readings + commands) + 8 * (1 + 4 * bodies)) + 64


def _arrays(memory: int, sizes: tuple[int, int, int, int]) -> tuple[Float32Array, Float32Array, FloatArray]:
    """Return readings (n, r), commands (n, c), poses (n, b, 4) in shared memory, by its file descriptor."""
    count, readings, commands, bodies = sizes
    shared = mmap.mmap(memory, _bytes(sizes))
    poses: FloatArray = np.ndarray((count, bodies, 4), np.float64, shared)
    at = 32 * count * bodies
    read: Float32Array = np.ndarray((count, readings), np.float32, shared, at)
    command_rows: Float32Array = np.ndarray((count, commands), np.float32, shared, at + 4 * count * readings)
    return read, command_rows, poses


def main() -> int:
    """Simulate one part of the rows until the other end closes."""
    link = Connection(int(sys.argv[1]))
    spec, low, high, sizes = pickle.loads(link.recv_bytes())
    readings, commands, poses = _arrays(int(sys.argv[2]), sizes)
    try:
        worlds = SimulatedWorlds(spec, high - low)
    except OdesimError as error:
        link.send_bytes(pickle.dumps(error))
        return 1
    worlds.readings, worlds.poses = readings[low:high], poses[low:high]
    commands = commands[low:high]
    link.send_bytes(pickle.dumps(None))
    while True:
        try:
            request = pickle.loads(link.recv_bytes())
        except (EOFError, OSError):
            worlds.close()
            return 0
        answer: OdesimError | None = None
        try:
            if isinstance(request, tuple):
                rows, seeds, starts = request
                worlds.begin(rows - low, seeds, starts)
            else:
                worlds.step(request - low, commands)
        except OdesimError as error:
            answer = error
        link.send_bytes(pickle.dumps(answer))


if __name__ == "__main__":
    sys.exit(main())
