"""xacro is evaluated in a process of its own, which does nothing but calculate and include files."""

import os
import re
import time
from pathlib import Path

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene.urdf import xacro_text
from sim_core.scene.urdf.reader import read_urdf
from sim_core.scene.urdf.xacro_text import expand_xacro

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
CLASSES = "().__class__.__base__.__subclasses__()"
SYSTEM = f"[c for c in {CLASSES} if c.__name__ == '_wrap_close'][0].__init__.__globals__"
"""The module `os`, by a way that xacro does not bar: names within a generator are not looked at."""


def robot(folder: Path, name: str = "", inside: str = "") -> Path:
    file = folder / "r.urdf"
    file.write_text(f'<robot name="r" {XACRO}>{inside}<link name="{name}"/></robot>', encoding="utf-8")
    return file


def escape(code: str) -> str:
    return f"${{list({SYSTEM}{code} for _ in [1])}}"


REFUSED = {
    "a program": (escape("['system']('touch MARK')"), "found os.system"),
    "another program": (
        escape("['posix_spawn']('/bin/touch', ['touch', 'MARK'], dict())"),
        "found os.posix_spawn",
    ),
    "a signal": (escape("['kill'](1, 0)"), "found os.kill"),
    "a file to write": (escape("['open']('MARK', 0o101)"), "may only read files"),
    "a file that goes": (escape("['unlink']('HERE')"), "found os.remove"),
    "a connection": (
        escape("['__builtins__']['__import__']('socket').socket()"),
        "only calculate and include files",
    ),
    "a pipe": ("${xacro.load_yaml('PIPE')}", "a folder, a device or a pipe, expected a file"),
    "a device": ("${xacro.load_yaml('/dev/zero')}", "a folder, a device or a pipe, expected a file"),
    "a folder": ("${xacro.load_yaml('/')}", "a folder, a device or a pipe, expected a file"),
    "memory": ("${[0] * 10**10}", "took more than 1024 MiB"),
    "an end": (escape("['_exit'](0)"), "its process ended"),
}


@pytest.mark.parametrize(("name", "says"), REFUSED.values(), ids=REFUSED)
def test_what_xacro_is_not_for_is_refused(name: str, says: str, tmp_path: Path) -> None:
    mark, pipe = tmp_path / "mark", tmp_path / "pipe"
    os.mkfifo(pipe)
    file = robot(tmp_path, name.replace("MARK", str(mark)).replace("PIPE", str(pipe)))
    file.write_text(file.read_text().replace("HERE", str(file)), encoding="utf-8")
    with pytest.raises(SceneErrors) as caught:
        read_urdf(file)
    (line,) = str(caught.value).splitlines()
    assert says in line
    assert not mark.exists() and file.exists()


def test_an_include_of_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    file = robot(tmp_path, "a", '<xacro:include filename="pipe"/>')
    with pytest.raises(SceneErrors, match="pipe is a folder, a device or a pipe, expected a file"):
        read_urdf(file)


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("${9**9**9}", ""),
        ("${sum(1 for _ in python.range(10**12))}", ""),
        ("a", '<xacro:macro name="m" params=""><xacro:m/><xacro:m/></xacro:macro><xacro:m/>'),
    ],
    ids=["a power", "a sum", "macros"],
)
def test_what_takes_for_ever_is_ended(
    name: str, inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xacro_text, "CPU_SECONDS", 1)
    begin = time.monotonic()
    with pytest.raises(SceneErrors) as caught:
        read_urdf(robot(tmp_path, name, inside))
    assert len(str(caught.value).splitlines()) == 1
    assert time.monotonic() - begin < xacro_text.TIME_LIMIT


def test_yaml_that_grows_by_its_anchors_is_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(SceneErrors) as caught:
        read_urdf(robot(tmp_path, "${str(xacro.load_yaml('bomb.yaml'))}"))
    assert len(str(caught.value).splitlines()) == 1


def test_the_environment_packages_and_yaml_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What xacro files may ask for."""
    package = tmp_path / "parts"
    package.mkdir()
    (package / "package.xml").touch()
    (package / "sizes.yaml").write_text("wheel: {radius: !millimeters 50, names: [front, back]}\n")
    monkeypatch.setenv("SIDE", "left")
    name = "${xacro.load_yaml('$(find parts)/sizes.yaml').wheel.radius * 2}"
    more = f'<link name="{name}"/><link name="$(find parts)"/><link name="$(eval 2 * 3)"/>'
    text, _ = expand_xacro(robot(tmp_path, "$(env SIDE)", more), {})
    assert re.findall('link name="(.*?)"', text) == ["0.1", str(package), "6", "left"]
