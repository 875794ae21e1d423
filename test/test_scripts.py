"""run.sh, test.sh and the set-up they share: syntax, what counts as set up, which world is run."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from processes import cpu_time_of_children

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ["run.sh", "test.sh", ".ci/run", "scripts/setup_env.sh"]
FIRST_STEP_LIMIT = 3.0  # s of the processor, for a start with everything installed

# A stand-in for a finished set-up: what the steps leave behind, without installing anything.
FINISHED = """
source scripts/setup_env.sh
choose_python
version="$("$BASE_PYTHON" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')"
mkdir -p "$VENV/bin" "$VENV/lib/python$version/site-packages"
ln -sf "$BASE_PYTHON" "$VENV/bin/python"
echo "home = $(dirname "$BASE_PYTHON")" >"$VENV/pyvenv.cfg"
packages_key run >"$VENV/odesim-run.stamp"
kernels_key >"$VENV/odesim-kernels.stamp"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that the set-up looks at, in a folder whose name has a blank."""
    copy = tmp_path / "two words"
    for folder in ("scripts", "requirements", "sim_core/sensing/raycast"):
        shutil.copytree(ROOT / folder, copy / folder)
    (copy / "sim_core/base").mkdir()
    for file in ("run.sh", "sim_core/base/compiled.py"):
        shutil.copy2(ROOT / file, copy / file)
    return copy


ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
"""Without a choice of ROS."""


def bash(script: str, folder: Path) -> str:
    """Output of a bash script run in a folder, as run.sh is: any command that fails ends it."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def pins_of(checkout: Path) -> Path:
    """The folder of pins for this machine's Python."""
    folder = Path(bash("source scripts/setup_env.sh; choose_python; pinned_folder", checkout).strip())
    folder.mkdir(exist_ok=True)
    return folder


def test_the_scripts_are_valid_bash():
    for script in SCRIPTS:
        subprocess.run(["bash", "-n", ROOT / script], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "-x", *SCRIPTS], check=True, cwd=ROOT)


def test_the_scripts_are_executable():
    for script in ("run.sh", "test.sh", ".ci/run"):
        assert (ROOT / script).stat().st_mode & 0o111 == 0o111, script


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("", "current"),
        ("echo extra >>requirements/run.txt", "stale"),
        ("echo extra >>requirements/test.txt", "current"),  # not needed for running
        ("touch -d @1 sim_core/sensing/raycast/kernels.py", "stale"),
        ('rm "$VENV/bin/python"', "stale"),
        ('rm "$VENV/odesim-kernels.stamp"', "stale"),
    ],
)
def test_a_set_up_is_current_until_something_it_was_made_from_changes(checkout, change, expected):
    script = f"{FINISHED}\n{change}\nif is_current run; then echo current; else echo stale; fi"
    assert bash(script, checkout).split() == [expected]


def test_the_requirements_of_the_tests_are_asked_for_by_the_tests_only(checkout):
    script = f"{FINISHED}\nif is_current test; then echo current; else echo stale; fi; requirement_files test"
    state, *files = bash(script, checkout).splitlines()
    assert state == "stale"
    assert [Path(file).name for file in files] == ["run.txt", "ros.txt", "test.txt"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["WORLD"]),
        (["--duration", "10"], ["WORLD", "--duration", "10"]),
        (["my.wbt", "--seed", "1"], ["my.wbt", "--seed", "1"]),
        (["--seed", "1", "my.wbt"], ["--seed", "1", "my.wbt"]),
        (["my world.x3d"], ["my world.x3d"]),
    ],
)
def test_run_sh_runs_the_wall_avoiders_unless_a_world_is_named(checkout, arguments, expected):
    # The interpreter is replaced by one that prints its arguments; a stamped set-up leaves it alone.
    bash(FINISHED, checkout)
    python = checkout / ".venv/bin/python"
    python.unlink()
    python.write_text('#!/bin/bash\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    output = subprocess.run(
        [checkout / "run.sh", *arguments],
        capture_output=True, text=True, check=True, cwd="/", env=ENVIRONMENT,
    )  # fmt: skip
    sim, command, *rest = output.stdout.splitlines()
    assert (Path(sim), command) == (checkout / "scripts/lib/sim", "run")
    assert rest == [
        str(checkout / "worlds/wall_avoiders.wbt") if word == "WORLD" else word for word in expected
    ]


def test_a_second_start_reaches_its_first_step_in_time():
    command = [ROOT / "run.sh", "--duration", "0.001", "--mode", "fast", "--no-controllers"]
    subprocess.run(command, check=True, cwd="/")  # sets up what is missing
    begin = cpu_time_of_children()
    subprocess.run(command, check=True, cwd="/")
    assert cpu_time_of_children() - begin < FIRST_STEP_LIMIT


def test_a_step_of_the_set_up_shows_that_it_goes_on_and_nothing_else(checkout: Path):
    said = bash(f"{FINISHED}\nquietly bash -c 'seq 200; echo warning >&2; sleep 2.5'\necho end", checkout)
    assert re.fullmatch(r"\.+ \d s\nend\n", said)


def test_a_step_that_fails_shows_the_end_of_what_was_said(checkout: Path):
    said = bash(f"{FINISHED}\nif ! quietly bash -c 'seq 200; exit 3' 2>&1; then echo failed; fi", checkout)
    assert said.splitlines()[1:] == [*map(str, range(181, 201)), "failed"]


PIP = """#!/bin/bash
if [[ "$*" == *"pip install"* ]]; then echo "$*" >&3; fi
if [[ "$*" == *--require-hashes*/run.txt* ]]; then
    echo "ANSWER"
    [[ "ANSWER" == fine ]]
fi
"""
"""Instead of the environment's Python: notes what it is asked, and answers so to pinned packages."""


@pytest.mark.parametrize(
    ("answer", "said", "asked"),
    [
        ("fine", "", ["--require-hashes"]),
        ("No matching distribution", "the pinned packages cannot be had", ["--require-hashes", "run.txt"]),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "another than the one", ["--require-hashes"]),
        (
            "connection broken by 'ProxyError(' (from versions: none)",
            "index (ProxyError)",
            ["--require-hashes"],
        ),
    ],
)
def test_pinned_packages_are_installed_where_they_can_be_had(
    checkout: Path, answer: str, said: str, asked: list[str]
) -> None:
    about = bash("source scripts/setup_env.sh; choose_python; python_and_machine", checkout)
    for file in ("run.txt", "test.txt"):
        pins = f"# What, for {about.strip()}.\na==1 --hash=x\n"
        (pins_of(checkout) / file).write_text(pins)
    pip = checkout / ".venv/bin/python"
    pip.parent.mkdir(parents=True)
    pip.write_text(PIP.replace("ANSWER", answer))
    pip.chmod(0o755)
    script = "source scripts/setup_env.sh; choose_python; install_requirements run 3>asked 2>&1 && echo done"
    told = bash(f"({script}) || true", checkout)
    assert said in told and ("done" in told) == (asked[-1] == "run.txt" or answer == "fine")
    first, *calls = (checkout / "asked").read_text().splitlines()
    assert "--no-deps" in first  # what the kernels need, so that they are compiled beside the rest
    assert [word for call, word in zip(calls, asked, strict=True) if word not in call] == []


@pytest.mark.parametrize(("end", "then"), [("exit 1", "kept"), ("kill -KILL $$", "making")])
def test_a_step_that_failed_keeps_what_is_installed_and_one_that_was_killed_begins_anew(
    checkout: Path, end: str, then: str
) -> None:
    python = checkout / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/bash\nif [[ "$*" == *install* ]]; then {end}; fi\n')
    python.chmod(0o755)
    packages = checkout / ".venv/lib/python3.11/site-packages"
    (packages / "whole.dist-info").mkdir(parents=True)
    (packages / "whole.dist-info/RECORD").touch()
    (packages / "half.dist-info").mkdir()
    failing = 'source scripts/setup_env.sh; choose_python; BASE_PYTHON="$VENV/bin/python"'
    said = bash(f"({failing}; install_requirements run) 2>&1 || true", checkout)
    assert "start again" in said
    left = sorted(path.name for path in packages.iterdir())
    assert left == (["whole.dist-info"] if then == "kept" else ["half.dist-info", "whole.dist-info"])
    assert f"{then} .venv" in bash(f"({failing}; make_venv) 2>&1 || true", checkout)


@pytest.mark.parametrize(("version", "said"), [("3, 10, 12", "3.10.12"), ("3, 11, 0", ""), ("3, 14, 0", "")])
def test_a_python_that_is_too_old_is_named_before_anything_is_installed(
    checkout: Path, version: str, said: str
) -> None:
    assert "OLDEST_PYTHON=3.11 " in (checkout / "scripts/setup_env.sh").read_text()
    assert 'python_requires=">=3.11"' in (ROOT / "setup.py").read_text()
    python = checkout / "python3"
    python.write_text(
        f"""#!/bin/bash
if [[ "$1" == --version ]]; then echo Python {version.replace(", ", ".")}; exit; fi
exec /usr/bin/python3 "$1" "import sys; sys.version_info = ({version}); ${{2#import sys;}}"
"""
    )
    python.chmod(0o755)
    steps = "install_apt_packages make_venv install_requirements compile_kernels"
    script = f"""
source scripts/setup_env.sh
choose_python
BASE_PYTHON="$PWD/python3"
for step in {steps}; do eval "$step() {{ echo $step; }}"; done
make_environment run
"""
    (checkout / "start.sh").write_text(script)
    told = bash("bash -euo pipefail start.sh 2>&1 || true", checkout)
    if not said:
        assert told.split() == steps.split()
        return
    (line,) = told.splitlines()
    assert f"Python {said}" in line and "Python 3.11 or later" in line and "Ubuntu 24.04" in line


def test_where_there_are_no_pins_what_is_allowed_is_installed_and_said(checkout: Path) -> None:
    (pins_of(checkout) / "run.txt").write_text("# What, for Python 3.1 on abacus-cpm.\n")
    script = f"{FINISHED}\npinned_files test; install_pinned run 2>&1 || echo ranges"
    assert bash(script, checkout).splitlines()[0].startswith("odesim: no pinned packages for Python 3.")
    ros = f"{FINISHED}\nWHEELS=''; INSTALLED_ROS=jazzy; install_pinned run 2>&1 || echo ranges"
    assert bash(ros, checkout) == "ranges\n"  # a ROS 2 installation brings its own


def test_a_processor_that_ros_has_no_packages_for_is_set_up_without_ros(checkout: Path) -> None:
    script = f"HOSTTYPE=aarch64\n{FINISHED}\n"
    assert bash(script + "requirement_files run", checkout).split("/")[-1] == "run.txt\n"
    said = bash(script + "say_without_ros run 2>&1", checkout)
    assert "x86-64 only" in said and said.endswith("all works but topics, bags and controllers\n")
    assert "need one from apt" in bash(script + "(say_without_ros test) 2>&1 || true", checkout)


def test_the_command_and_the_packages_are_found_from_any_folder(checkout: Path, tmp_path: Path):
    bash(FINISHED + "odesim_setup run", checkout)
    (checkout / "ros_bridge" / "cli").mkdir(parents=True)
    for folder in ("ros_bridge", "ros_bridge/cli"):
        (checkout / folder / "__init__.py").touch()
    stub = "import os, sys\ndef main():\n    print(os.getcwd(), *sys.argv[1:], sep='|')\n    return 0\n"
    (checkout / "ros_bridge" / "cli" / "__main__.py").write_text(stub)
    said = bash(f"'{checkout}/.venv/bin/odesim' run 'a b.wbt'", tmp_path)
    assert said == f"{tmp_path}|run|a b.wbt\n"
    moved = checkout.rename(tmp_path / "moved")
    said = bash(f"'{moved}/.venv/bin/python' -c 'import ros_bridge; print(ros_bridge.__file__)'", tmp_path)
    assert said == f"{moved}/ros_bridge/__init__.py\n"
