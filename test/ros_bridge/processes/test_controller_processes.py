import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import wait_until

from ros_bridge.processes.controller_plans import plan
from ros_bridge.processes.controller_processes import ControllerProcesses, describe_exit
from sim_core.base.trust import permission_of_world
from sim_core.session.load_world import load_world
from sim_core.session.robot import Robot

LIMIT = 60.0

IGNORES_ALL = """
import signal, sys
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
print("ready")
while True:
    signal.pause()
"""


class Project:
    """Make a project folder as for Webots, with a world whose robots have given controllers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = folder / "worlds" / "world.wbt"
        self.world.parent.mkdir()
        self.lines: list[str] = []
        self.processes: ControllerProcesses | None = None

    def add(self, controller: str, text: str, ending: str = ".py") -> Path:
        path = self.folder / "controllers" / controller / f"{controller}{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def robots(self, **controllers: str) -> list[Robot]:
        """Return robots by name; `name arg…` gives a controller arguments."""
        nodes = [
            f'Robot {{ name "{name}" controller "{words.split()[0] if words else ""}" '
            f"controllerArgs [ {' '.join(f'{chr(34)}{word}{chr(34)}' for word in words.split()[1:])} ] }}"
            for name, words in controllers.items()
        ]
        self.world.write_text("\n".join(["#VRML_SIM R2025a utf8", *nodes]))
        return list(load_world(self.world).robots.values())

    def start(self, **controllers: str) -> ControllerProcesses:
        robots = self.robots(**controllers)
        self.processes = ControllerProcesses(
            robots, permission_of_world(self.world), self.world, self.lines.append
        )
        self.processes.start_all()
        return self.processes

    def wait_for(self, condition: Callable[[], object]) -> None:
        wait_until(condition, lambda: f"more than {self.lines}")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    if made.processes:
        made.processes.end_all()


def test_a_python_controller_gets_its_arguments_and_its_namespace(project: Project) -> None:
    project.add("mine", "import sys\nprint(sys.argv[1:])\nprint('to stderr', file=sys.stderr)\n")
    processes = project.start(**{"left robot": "mine --goal 2", "b": "mine"})
    project.wait_for(lambda: len(project.lines) == 4)
    ros = ["--ros-args", "-r", "__ns:=/{}", "-p", "use_sim_time:=true"]
    for name, namespace, own in (("left robot", "left_robot", ["--goal", "2"]), ("b", "b", [])):
        words = [*own, *(word.format(namespace) for word in ros)]
        assert [line for line in project.lines if line.startswith(name)] == [
            f"{name}: {words}",
            f"{name}: to stderr",
        ]
    ended = []
    project.wait_for(lambda: ended.extend(processes.poll()) or len(ended) == 2)
    assert set(ended) == {(name, "mine", "exit code 0", "to stderr") for name in ("left robot", "b")}
    assert processes.poll() == []


def test_a_program_goes_before_a_python_file_of_the_same_name(project: Project) -> None:
    project.add("both", "print('python')")
    program = project.add("both", "#!/bin/sh\necho program\n", ending="")
    program.chmod(0o755)
    project.start(r="both")
    project.wait_for(lambda: project.lines)
    assert project.lines == ["r: program"]


def test_our_own_controllers_come_last(project: Project) -> None:
    ((_, _, command, folder, *_),) = plan(project.robots(r="wall_avoider"), project.world, pytest.fail)
    assert command[:3] == [sys.executable, "-m", "ros_bridge.controllers.wall_avoider"] and folder is None
    mine = project.add("wall_avoider", "")
    ((_, _, command, folder, *_),) = plan(project.robots(r="wall_avoider"), project.world, pytest.fail)
    assert command[:2] == [sys.executable, str(mine)] and folder == mine.parent


@pytest.mark.parametrize("none", ["", "void", "<none>", "<generic>", "<extern>"])
def test_some_names_start_nothing(project: Project, none: str) -> None:
    assert plan(project.robots(r=none), project.world, pytest.fail) == []
    project.start(r=none).end_all()


@pytest.mark.parametrize("name", ["/bin/sh", "../w/w", "..", ".", "mine/mine", "mine/../mine", "..\\\\mine"])
def test_a_controller_is_no_path(project: Project, name: str) -> None:
    project.add("mine", "#!/bin/sh\n", ending="").chmod(0o755)
    assert plan(project.robots(r=name), project.world, project.lines.append) == []
    (line,) = project.lines
    assert line.startswith("r: found controller ") and f"a folder in {project.folder.resolve()}" in line


@pytest.mark.parametrize("link", ["file", "folder", "script"])
def test_a_controller_is_no_link_out_of_its_folder(project: Project, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside" / "mine"
    outside.parent.mkdir()
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    folder = project.folder / "controllers" / "mine"
    folder.parent.mkdir()
    if link == "folder":
        folder.symlink_to(outside.parent)
    else:
        folder.mkdir()
        (folder / ("mine" if link == "file" else "mine.py")).symlink_to(outside)
    assert plan(project.robots(r="mine"), project.world, project.lines.append) == []
    (line,) = project.lines
    assert line.startswith(f'r: controller "mine" is a link to {outside}, expected a file in')


def test_links_within_the_folder_of_controllers_are_followed(project: Project) -> None:
    mine = project.add("mine", "")
    (project.folder / "controllers" / "other").mkdir()
    link = project.folder / "controllers" / "other" / "other.py"
    link.symlink_to(mine)
    (one,) = plan(project.robots(r="other"), project.world, pytest.fail)
    assert one.command[:2] == [sys.executable, str(link)]


def test_a_name_too_long_for_a_file_is_not_there(project: Project) -> None:
    assert plan(project.robots(r="n" * 300), project.world, project.lines.append) == []
    assert project.lines[0].startswith('r: no controller "nnn')


def test_missing_controllers_are_one_line_each_and_the_others_are_started(project: Project) -> None:
    project.add("there", "print('started')")
    processes = project.start(a="there", b="wall_avoidr", c="wall_avoidr", d="gone")
    assert processes.left_out == ["b", "c", "d"]
    project.wait_for(lambda: len(project.lines) == 3)
    first, second, started = project.lines
    folder = project.folder.resolve() / "controllers"
    assert first.startswith(
        f'b, c: no controller "wall_avoidr", looked for {folder}/wall_avoidr/wall_avoidr, '
    )
    assert 'did you mean "wall_avoider"?' in first
    assert second.startswith('d: no controller "gone"') and second.endswith('; using "void" instead')
    assert started == "a: started"


def test_a_killed_controller_is_reported_and_the_others_run_on(project: Project) -> None:
    project.add("waits", "import os, signal\nprint(os.getpid())\nsignal.pause()\n")
    processes = project.start(a="waits", b="waits")
    project.wait_for(lambda: len(project.lines) == 2)
    ids = dict(line.split(": ") for line in project.lines)
    assert processes.poll() == []
    os.kill(int(ids["a"]), signal.SIGKILL)
    ended = []
    project.wait_for(lambda: ended.extend(processes.poll()) or ended)
    assert ended == [("a", "waits", "killed by signal 9 (SIGKILL)", ids["a"])]
    os.kill(int(ids["b"]), 0)


def test_stop_ends_soon_even_those_that_do_not_want_to(project: Project) -> None:
    project.add("stubborn", IGNORES_ALL)
    project.add(
        "parent",
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '1000'])\n"
        "print(child.pid)\n"
        "try:\n    child.wait()\nexcept KeyboardInterrupt:\n    print('asked to end')\n",
    )
    processes = project.start(a="stubborn", b="parent")
    project.wait_for(lambda: len(project.lines) == 2)
    child = int(next(line for line in project.lines if line.startswith("b")).split()[1])
    begin = time.monotonic()
    processes.end_all()
    assert time.monotonic() - begin < 2.0
    project.wait_for(lambda: not Path(f"/proc/{child}").exists() or "Z" in _state(child))
    processes.end_all()  # again: no harm


def test_a_controller_is_asked_first_and_given_its_time(project: Project) -> None:
    project.add(
        "polite",
        "import time\nprint('ready')\n"
        "try:\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    print('asked to end')\n",
    )
    processes = project.start(a="polite")
    project.wait_for(lambda: project.lines)
    begin = time.monotonic()
    processes.end_all()
    asked = "a: asked to end" in project.lines
    assert asked or time.monotonic() - begin >= 0.8  # on a busy machine it may not have come to say so


def test_a_controller_runs_in_its_own_folder(project: Project) -> None:
    script = project.add("mine", "import os\nprint(os.getcwd())\n")
    project.start(r="mine")
    project.wait_for(lambda: project.lines)
    assert project.lines == [f"r: {script.parent.resolve()}"]


def test_output_without_end_of_line_and_bytes_that_are_no_text(project: Project) -> None:
    project.add("odd", "import os\nos.write(1, b'caf\\xc3\\xa9 \\xff\\nlast')\n")
    project.start(r="odd")
    project.wait_for(lambda: len(project.lines) == 2)
    assert project.lines == ["r: café \ufffd", "r: last"]


def test_exit_codes_in_words() -> None:
    assert describe_exit(3) == "exit code 3"
    assert describe_exit(-signal.SIGSEGV) == "killed by signal 11 (SIGSEGV)"
    assert describe_exit(-40).startswith("killed by signal 40")


def _state(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "Z"


def test_a_controller_that_is_ended_is_not_reported_and_can_be_started_again(project: Project) -> None:
    project.add("waits", "import os, signal\nprint(os.getpid())\nsignal.pause()\n")
    processes = project.start(a="waits", b="waits")
    project.wait_for(lambda: len(project.lines) == 2)
    (ended,) = (int(line.removeprefix("a: ")) for line in project.lines if line.startswith("a"))
    assert (
        processes.end_controller("a")
        and not processes.end_controller("a")
        and not processes.end_controller("c")
    )
    project.wait_for(lambda: _state(ended) == "Z")
    assert processes.poll() == []
    processes.start_again("a")
    processes.start_again("b")  # was not ended
    project.wait_for(lambda: len(project.lines) == 3)
    pids = [int(line.removeprefix("a: ")) for line in project.lines if line.startswith("a")]
    assert len(set(pids)) == 2
    processes.end_all()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_without_permission_nothing_is_started(project: Project) -> None:
    """They are not started, neither at the start nor later, and no one waits for such a robot."""
    project.add("mine", "print('here')")
    robots = project.robots(r="mine")
    processes = ControllerProcesses(robots, None, project.world, project.lines.append)
    project.processes = processes
    processes.start_all()
    assert processes.left_out == ["r"] and processes.start_for(robots, may_be_new=True) == []
    assert processes.folder("r") is None and project.lines == []
