"""A disk that is full, a folder that is read-only, little of this and that: one line, and nothing is lost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from mcap.reader import make_reader
from processes import ODESIM, ReadProcess, below, command_of, started
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger
from surroundings import clock_library, mounted, no_shared_memory, unshare
from waiting import wait_until

from ros_bridge.recorder.bag import Bag
from ros_bridge.recorder.replay import replay

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120.0
GIGABYTE = 1 << 30
HOUR = 3600.0
needs_mounts = pytest.mark.skipif(not unshare(), reason="needs the right to mount")
FAST = ("--mode", "fast")
FULL = "No space left on device"
READ_ONLY = "Read-only file system"


def run(*words: str | Path, folder: Path = ROOT, limit: Callable[[], None] | None = None) -> tuple[int, str]:
    """Exit code and output of a command; without a traceback."""
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        preexec_fn=limit,
        check=False,
    )
    assert "Traceback" not in done.stdout, done.stdout
    return done.returncode, done.stdout


def lines_with(said: str, words: str) -> list[str]:
    return [line for line in said.splitlines() if words in line]


def count(bag: Path) -> int:
    """How many messages a bag holds that is opened."""
    with Bag(bag) as opened:
        return sum(1 for _ in opened.in_file_order())


@needs_mounts
def test_a_recording_that_fills_the_disk_keeps_what_it_has(tmp_path: Path) -> None:
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    for folder in (disk, kept):
        folder.mkdir()
    prepare = f"mount -t tmpfs -o size=400k none {disk}"
    code, said = run(
        *mounted(
            prepare,
            *(*ODESIM, "run", "wall_follower", "--mode", "realtime", "--duration", "30"),
            *("--record", disk / "bag"),
            after=f"cp -r {disk}/. {kept}",
        )
    )
    assert code == 2, said
    assert len(lines_with(said, FULL)) == 1, said
    assert count(kept / "bag") > 100


BUSY = "the simulation was busy"
"""Of an answer for which a slow machine had no time."""


class Standing(ReadProcess):
    """A world that stands, and whoever asks it for something."""

    def __init__(self, *command: str | Path) -> None:
        super().__init__(*command)
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node("asks", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def ask(self, name: str) -> tuple[bool, str]:
        """What comes of a service: whether it was done, and the line."""
        client = self._node.create_client(Trigger, f"/odesim/{name}")
        end, next_try, found = time.monotonic() + LIMIT, 0.0, list[Any]()

        def note(answer: Future) -> None:
            if BUSY not in answer.result().message:  # else the next try may find it idle
                found.append(answer.result())

        while not found:
            assert time.monotonic() < end and self.process.poll() is None, (name, self.lines)
            if client.service_is_ready() and time.monotonic() > next_try:  # DDS may lose the first answer
                client.call_async(Trigger.Request()).add_done_callback(note)
                next_try = time.monotonic() + 5.0
            self._executor.spin_once(0.05)
        return found[0].success, found[0].message

    def end(self) -> None:
        super().end()
        self._node.destroy_node()
        self._context.try_shutdown()


@pytest.fixture
def start() -> Iterator[Callable[..., Standing]]:
    yield from started(Standing)


SAVES = {"save": "save_file", "save_snapshot": "snapshot_file", "shot": "shot_file"}
"""Services, and the parameters that say into which file."""


@needs_mounts
def test_what_cannot_be_saved_is_refused_and_what_was_there_stays(
    start: Callable[..., Standing], tmp_path: Path
) -> None:
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    read_only = tmp_path / "read_only"
    for folder in (disk, kept, read_only):
        folder.mkdir()
    files = {"save": "w.wbt", "save_snapshot": "w.snapshot", "shot": "w.png"}
    words = [word for name, at in SAVES.items() for word in ("-p", f"{at}:={disk / files[name]}")]
    prepare = f"""
mount -t tmpfs -o size=64k none {disk}
for file in {" ".join(files.values())}; do echo before > {disk}/$file; done
dd if=/dev/zero of={disk}/large bs=4k 2> /dev/null || true
mount -t tmpfs none {read_only} && mount -o remount,ro {read_only}"""
    world = start(
        *mounted(
            prepare,
            *(*ODESIM, "run", "wall_follower", "--mode", "paused", "--no-controllers", "--ros-args", *words),
            after=f"rm {disk}/large; cp -r {disk}/. {kept}",
        )
    )
    for name in SAVES:
        done, said = world.ask(name)
        if name == "shot" and "OpenGL" in said:
            continue
        assert not done and FULL in said and str(disk / files[name]) in said and "\n" not in said
    assert world.ask("step")[0]  # the world goes on
    world.ask("quit")
    assert world.wait() == 0, world.lines
    assert not world.says("Traceback")
    assert sorted(path.name for path in kept.iterdir()) == sorted(files.values())  # nothing half is left
    assert all((kept / file).read_text(encoding="utf-8") == "before\n" for file in files.values())


@needs_mounts
def test_in_a_folder_that_is_read_only_a_world_runs_and_says_what_is_not_written(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    world = ROOT / "worlds" / "wall_follower.wbt"
    prepare = f"""
mount -t tmpfs none {place}
mkdir {place}/worlds {place}/home && cp {world} {place}/worlds/w.wbt
mount -o remount,ro {place} && cd {place}
export HOME={place}/home; unset ROS_LOG_DIR ROS_HOME XDG_CACHE_HOME XDG_CONFIG_HOME"""
    words = (*ODESIM, "run", "worlds/w.wbt", *FAST, "--duration", "0.2", "--no-controllers")
    code, said = run(*mounted(prepare, *words))
    assert code == 0, said
    (line,) = lines_with(said, READ_ONLY)
    assert line.startswith(f"{place}/home/.ros/log: ROS cannot write its logs there: ")
    code, said = run(*mounted(prepare, *words, "--record", "bag"))
    assert code == 2, said
    assert len(lines_with(said, f"bag: cannot be made: {READ_ONLY}")) == 1, said


@needs_mounts
def test_without_shared_memory_pictures_are_drawn_and_recorded(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    words = ("run", "devices/camera", *FAST, "--duration", "0.3", "--no-controllers")
    code, said = run(
        *mounted(no_shared_memory(tmp_path / "dev"), *ODESIM, *words, "--record", tmp_path / "bag")
    )
    assert code == 0, said
    assert count(tmp_path / "bag") > 100


def test_with_64_open_files_ten_robots_run_and_are_recorded(tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    words = ("run", "wall_avoiders", *FAST, "--duration", "0.3", "--record", tmp_path / "bag")
    code, said = run(*ODESIM, *words, limit=limit)
    assert code == 0, said
    assert count(tmp_path / "bag") > 100


def test_with_too_few_open_files_one_line_says_so() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))

    code, said = run(*ODESIM, "run", "wall_avoiders", *FAST, "--duration", "0.3", limit=limit)
    assert code == 2, said
    assert len(lines_with(said, "Too many open files")) == 1, said


def test_a_gigabyte_is_enough_for_cameras_and_a_recording(tmp_path: Path) -> None:
    def limit() -> None:  # of addresses, of which a process takes more than it uses
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE))

    words = ("run", "devices/camera", *FAST, "--duration", "0.3", "--no-controllers")
    code, said = run(*ODESIM, *words, "--record", tmp_path / "bag", limit=limit)
    assert code == 0, said
    assert count(tmp_path / "bag") > 100


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadProcess]:
    """A robot with a controller in lock-step, in real time and recorded; its clock can be set back."""
    monkeypatch.setenv("LD_PRELOAD", str(clock_library(tmp_path)))
    monkeypatch.setenv("CLOCK_SET_BACK", str(tmp_path / "an hour"))
    words = ("run", "wall_follower", "--mode", "realtime", "--duration", "3")
    start = started(ReadProcess)
    words = (*words, "--record", tmp_path / "bag", "--ros-args", "-p", "lockstep_timeout:=1.0")
    process = next(start)(*ODESIM, *words)
    monkeypatch.delenv("LD_PRELOAD")
    process.until_it_says("running, the first step", LIMIT)
    yield process
    next(start, None)


def ends_well(process: ReadProcess, bag: Path) -> None:
    """Nothing was lost: all of the time is in the bag, and a replay of it is the same."""
    assert process.wait(LIMIT) == 0, process.lines
    assert not process.says("Traceback")
    with Bag(bag) as opened:
        times = [item.log_time_ns for item in opened.in_file_order() if item.topic == "/robot2/joint_states"]
        assert times == sorted(times) and times[-1] - times[0] > 2.9e9
        assert replay(opened).difference is None


def test_a_clock_that_is_set_back_by_an_hour(recorded: ReadProcess, tmp_path: Path) -> None:
    (tmp_path / "an hour").touch()
    began = time.monotonic()
    ends_well(recorded, tmp_path / "bag")
    assert time.monotonic() - began < LIMIT / 2
    with (tmp_path / "bag" / "bag_0.mcap").open("rb") as stream:
        sent = [message.publish_time / 1e9 for _, _, message in make_reader(stream).iter_messages()]
    assert min(sent) < max(sent) - 0.9 * HOUR  # it has been set back


def test_a_controller_that_is_stopped_is_waited_for_and_goes_on(
    recorded: ReadProcess, tmp_path: Path
) -> None:
    (controller,) = [each for each in below(recorded.process.pid) if "wall_follower" in command_of(each)]
    late = "lock-step: no answer from robot2"
    before = len(recorded.says(late))  # a busy machine may have been late by itself
    os.kill(controller, signal.SIGSTOP)
    try:
        wait_until(lambda: len(recorded.says(late)) > before, "the line of the one who is stopped")
        assert len(recorded.says(late)) == before + 1, recorded.lines
    finally:
        os.kill(controller, signal.SIGCONT)
    ends_well(recorded, tmp_path / "bag")
