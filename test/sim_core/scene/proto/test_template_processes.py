"""The process of templates that stays between loads: it knows nothing of them, is replaced, and ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from processes import ROOT, below, is_there

from sim_core.base.errors import SceneErrors
from sim_core.scene import Scene, parse_scene
from sim_core.scene.assets import Assets
from sim_core.scene.loader import expanded
from sim_core.scene.proto.templates.processes import release_worker, take_worker

HEADS = {"javascript": "# template language: javascript\n", "lua": ""}
MARKS = {"javascript": "%<= {} >%", "lua": "%{{= {} }}%"}
STATEMENTS = {"javascript": "%< {} >%", "lua": "%{{ {} }}%"}
LIMIT = 20.0
"""s in which a process must have ended."""


def write(folder: Path, statement: str, value: str = "1", language: str = "javascript") -> Path:
    """A world whose only solid is named by a template."""
    text, name = STATEMENTS[language].format(statement), MARKS[language].format(value)
    body = f'{text} Solid {{ name "{name}" }}'
    proto = f"#VRML_SIM R2025a utf8\n{HEADS[language]}PROTO P [ field SFFloat f 1 ] {{ {body} }}"
    folder.mkdir(exist_ok=True)
    (folder / "P.proto").write_text(proto, encoding="utf-8")
    (folder / "w.wbt").write_text('#VRML_SIM R2025a utf8\nEXTERNPROTO "P.proto"\nP { }', encoding="utf-8")
    return folder / "w.wbt"


def load(folder: Path, statement: str, value: str = "1", language: str = "javascript") -> Scene:
    world = write(folder, statement, value, language)
    return parse_scene(world.read_text(encoding="utf-8"), str(world), Assets(cache=folder))


def name_of(scene: Scene) -> str:
    name: str = scene.nodes[0]["name"]
    return name


def processes_of_templates() -> set[int]:
    """The processes of templates that this one has."""
    commands = {each: Path(f"/proc/{each}/cmdline") for each in below(os.getpid()) if is_there(each)}
    return {each for each, file in commands.items() if b"templates/worker.py" in file.read_bytes()}


LEFT = [
    ("javascript", "globalThis.left = 5;", "typeof left", "undefined"),
    ("javascript", "Object.prototype.left = 5;", "({}).left", "undefined"),
    ("javascript", "Array.prototype.map = undefined; fields.f.value = 7;", "fields.f.value", "1"),
    ("javascript", "console.log = undefined;", "typeof console.log", "function"),
    ("javascript", "import * as r from 'wbrandom.js'; r.seed(9); r.real();", "Math.random() < 1", "true"),
    ("javascript", "wbfile.writeTextFile('left', 'x');", "wbfile.fileExists('left')", "false"),
    ("lua", "left = 5", "tostring(left)", "nil"),
    ("lua", "_G.left = 5 string.len = nil", "tostring(left) .. string.len('ab')", "nil2"),
    ("lua", "math.random = function() return 9 end", "math.random() < 1 and 1 or 0", "1"),
    ("lua", "local m = require('wbmath') m.round = nil", "require('wbmath').round(2)", "2"),
]


@pytest.mark.parametrize(("language", "statement", "value", "expected"), LEFT, ids=[row[1] for row in LEFT])
def test_nothing_is_left_of_a_template(
    tmp_path: Path, language: str, statement: str, value: str, expected: str
) -> None:
    """What the next load sees is what it sees in a fresh process; and it has the same one."""
    load(tmp_path, statement, language=language)
    before = processes_of_templates()
    assert name_of(load(tmp_path, "", value, language)) == expected
    assert processes_of_templates() == before and len(before) == 1


def test_a_process_in_which_a_template_failed_is_not_used_again(tmp_path: Path) -> None:
    load(tmp_path, "")
    before = processes_of_templates()
    for hostile in ("throw new Error('no');", "let s = 'x'.repeat(1e9);"):
        with pytest.raises(SceneErrors):
            load(tmp_path, hostile)
        assert not processes_of_templates()
    assert name_of(load(tmp_path, "")) == "1"
    assert len(processes_of_templates()) == 1 and processes_of_templates() != before


def test_a_process_that_died_is_replaced(tmp_path: Path) -> None:
    load(tmp_path, "")
    (died,) = processes_of_templates()
    os.kill(died, signal.SIGKILL)
    os.waitid(os.P_PID, died, os.WEXITED | os.WNOWAIT)
    assert name_of(load(tmp_path, "")) == "1"
    assert died not in processes_of_templates() and len(processes_of_templates()) == 1


def test_who_loads_at_the_same_time_has_another_process_and_one_stays() -> None:
    workers = [take_worker() for _ in range(3)]
    assert len(processes_of_templates()) == 3
    for worker in workers:
        release_worker(worker)
    assert len(processes_of_templates()) == 1


def test_bodies_made_anew_in_two_worlds_in_turn_are_each_of_their_own(tmp_path: Path) -> None:
    folders = [tmp_path / each for each in "ab"]
    scenes = [load(each, "", "context.world + fields.f.value") for each in folders]
    before = processes_of_templates()
    for value in (2.5, 3.5):
        for scene in scenes:
            made = expanded(scene, scene.nodes[0], {"f": value})
            assert made["name"] == f"{scene.file}{value}"
    assert processes_of_templates() == before


PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from processes import below
from sim_core.scene import load_scene
load_scene(sys.argv[1])
print(*below(os.getpid()), flush=True)
"""
ENDS = {
    "SIGINT amid a template": "load_scene(sys.argv[2])",
    "SIGKILL amid a template": "load_scene(sys.argv[2])",
    "SIGINT twice": "time.sleep(60)",
    "SIGKILL": "time.sleep(60)",
    "os._exit": "os._exit(3)",
    "its end": "",
}
ENDLESS = "string.find(string.rep('a', 30000), string.rep('.-', 12) .. 'b')"
"""One call of C, which no limit on steps of Lua ends."""


def run(code: str, *worlds: Path) -> subprocess.Popen[str]:
    """A program that loads the first world, and says which processes it has then."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + code, *map(str, worlds)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'test/support'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def test_no_process_is_left_however_its_owner_ends(tmp_path: Path) -> None:
    """Signals go to the whole group of processes, as Ctrl-C at a terminal does; nothing is said of it."""
    worlds = write(tmp_path / "idle", ""), write(tmp_path / "endless", ENDLESS, language="lua")
    programs = {end: run(code, *worlds) for end, code in ENDS.items()}
    left = []
    for end, program in programs.items():
        assert program.stdout is not None and program.stderr is not None
        (worker,) = map(int, program.stdout.readline().split())
        left.append(worker)
        kind, _, rest = end.partition(" ")
        if rest.startswith("amid"):
            wait_for(partial(is_busy, worker))
        for _ in range(kind.startswith("SIG") + (rest == "twice")):
            os.killpg(program.pid, getattr(signal, kind))
        said = program.stderr.read()
        program.communicate(timeout=LIMIT)
        assert ("KeyboardInterrupt" in said) == (kind == "SIGINT"), end
        # the second one may reach Python's own end, which tells of it ("Exception ignored in")
        assert said.count("Traceback") <= 1 + said.count("Exception ignored") <= 2, said
    wait_for(lambda: not any(map(is_there, left)))


def is_busy(process: int) -> bool:
    """Whether a processor works on it, or would."""
    return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "R"


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_fork_leaves_the_process_to_its_parent(tmp_path: Path) -> None:
    fork = """
child = os.fork()
load_scene(sys.argv[1])
own = below(os.getpid())
if not child:
    print(*own, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(*below(os.getpid()), flush=True)
"""
    program = run(fork, write(tmp_path, ""))
    said, mistakes = program.communicate(timeout=LIMIT)
    first, child, parent = said.splitlines()
    assert first == parent and child not in ("", first) and not mistakes
    wait_for(lambda: not any(is_there(int(each)) for each in (first, child)))
