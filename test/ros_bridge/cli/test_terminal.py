"""What one sees at a terminal: what to do next, colours unless NO_COLOR says no, words that are completed."""

import io
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ros_bridge.base.terminal import has_colours, painted
from ros_bridge.cli.completion import shell_code

ROOT = Path(__file__).resolve().parents[3]
ODESIM = [sys.executable, "-m", "ros_bridge.cli"]
RED = "\x1b[31m"


def seen(arguments: list[str], **environment: str) -> str:
    """What a command writes to a terminal, which is its standard output and its standard error."""
    ours, theirs = pty.openpty()
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [*ODESIM, *arguments],
        cwd=ROOT,
        env={**plain, "TERM": "xterm", **environment},
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:  # the last of those who wrote has ended
        pass
    finally:
        os.close(ours)
        process.wait(60.0)
    return b"".join(parts).decode()


def test_an_error_is_red_at_a_terminal_unless_no_color_is_set() -> None:
    assert seen(["run", "nowhere"]).startswith(RED)
    without = seen(["run", "nowhere"], NO_COLOR="1")
    assert "nowhere" in without
    assert RED not in without


def test_a_file_gets_no_colours() -> None:
    assert not has_colours(io.StringIO())
    assert painted("text", "red", io.StringIO()) == "text"


def test_a_run_says_first_what_to_do_next() -> None:
    said = seen(["run", "office", "--mode", "fast", "--duration", "0.1", "--no-controllers"], NO_COLOR="1")
    assert "\x1b[" not in said.split("100%")[0].split("%|")[0]
    for line in (
        "odesim view",
        "odesim topic list",
        "odesim topic echo /turtlebot3/LDS_01 ",
        "odesim teleop turtlebot3",
    ):
        assert line in said
    assert said.index("Ctrl-C ends it") < said.index("end at 0.1")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["run", "wareh"], ["warehouse"]),
        (["ani"], ["animate"]),
        (["run", "office", "--no-con"], ["--no-controllers"]),
        (["run", "--mode", "fa"], ["fast", "fast2d"]),
        (["run", "devices/li"], ["devices/lidar", "devices/light_sensor", "devices/linear_motor"]),
    ],
)
def test_bash_completes_commands_options_and_worlds(
    words: list[str], found: list[str], tmp_path: Path
) -> None:
    """The shell's own function, called as the shell calls it."""
    pytest.importorskip("argcomplete")
    bash = shutil.which("bash")
    assert bash
    command = tmp_path / "odesim"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ros_bridge.cli "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    line = " ".join(["odesim", *words])
    script = (
        f'{shell_code("bash")}\nCOMP_WORDS=({line})\nCOMP_CWORD={len(words)}\nCOMP_LINE="{line}"\n'
        "COMP_POINT=${#COMP_LINE}\nCOMP_TYPE=9\n"
        "spec=$(complete -p odesim)\nfunction=${spec##*-F }\nfunction=${function%% *}\n"
        f'"$function" odesim "{words[-1]}" ""\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        [bash, "--norc", "-c", script],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert [each.strip() for each in result.stdout.splitlines()] == found


def test_zsh_is_told_to_read_what_is_written_for_bash() -> None:
    assert "bashcompinit" in shell_code("zsh")
    assert shell_code("zsh").endswith(shell_code("bash"))
