"""What one sees at a terminal: what to do next, colours unless NO_COLOR says no, words that are completed."""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from ros_bridge.base.terminal import has_colours, painted
from ros_bridge.cli.__main__ import main
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
    assert said.index("Press Ctrl-C to stop") < said.index("end at 0.1")


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


STEERING = """#VRML_SIM R2025a utf8
WorldInfo { title "t\x1b]0;title\x07" }
Robot { name "a\x1b[2Jb\rc\u202ed
FAKE: 1 robot" controller "\x1b[31mnone" children [ GPS { name "g\x9bh\x7f" } ] }
Shape { appearance Appearance { texture ImageTexture { url "no\x1b]52;c;aGk=\x07.png" } } }
P { }
"""
PRINTS = """#VRML_SIM R2025a utf8
# template language: javascript
PROTO P [ ] { %< print("\\u001b[2Jall is well\\r1 good file") >% Group { } }
"""


@pytest.mark.parametrize("command", ["check", "info", "shot"])
def test_no_text_of_a_world_steers_the_terminal(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    world = tmp_path / "w\x1b[31m.wbt"
    world.write_text(STEERING.replace("WorldInfo", 'EXTERNPROTO "P.proto" WorldInfo', 1), encoding="utf-8")
    (tmp_path / "P.proto").write_text(PRINTS, encoding="utf-8")
    main([command, str(world), *([str(tmp_path / "picture.png")] if command == "shot" else [])])
    said = "".join(capfd.readouterr())
    assert said
    assert not [each for each in said if unicodedata.category(each) == "Cc" and each != "\n"]
    assert "\u202e" not in said
    assert "\nFAKE" not in said
    if command == "check":
        assert "says: \\u001b[2Jall is well" in said and "no\\u001b]52;c;aGk=\\u0007.png" in said


def test_at_a_terminal_colours_are_ours_alone(tmp_path: Path) -> None:
    world = tmp_path / "w\x1b[5m.wbt"
    world.write_text("#VRML_SIM R2025a utf8\nSolid { \x1b[32mx 1 }", encoding="utf-8")
    said = seen(["check", str(world)])
    assert set(re.findall(r"\x1b[^a-zA-Z]*[a-zA-Z]", said)) == {RED, "\x1b[0m"}
    assert "w\\u001b[5m.wbt" in said
