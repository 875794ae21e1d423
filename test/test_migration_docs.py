"""What docs/from_webots_ros2.md, docs/from_gazebo.md and docs/sdf.md show runs as it is printed."""

import ast
import re
import shlex
from pathlib import Path

import pytest
from processes import ODESIM, finished

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    for name in ("from_webots_ros2", "from_gazebo", "sdf")
}


def files(page: str) -> dict[str, str]:
    """The marked blocks of a page."""
    return dict(re.findall(r"<!-- test: (\S+) -->\n```\w*\n(.*?)```", PAGES[page], re.DOTALL))


def commands_of(page: str) -> list[str]:
    """The commands of a page that end by themselves."""
    return re.findall(r"^    odesim (run .*--duration.*)$", PAGES[page], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_example_runs_in_place(page: str, tmp_path: Path) -> None:
    for name, text in files(page).items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (command,) = commands_of(page)
    run = shlex.split(command)
    patient = ["--ros-args", "-p", "lockstep_timeout:=60.0"]  # a busy machine starts a controller slowly
    for words in ([*run, *patient], ["info", *run[1 : run.index("--duration")]]):
        done = finished(*ODESIM, *words, folder=tmp_path)
        seen = done.stdout + done.stderr
        assert done.returncode == 0, seen
        assert not [line for line in seen.splitlines() if "[WARN]" in line or "Traceback" in line], seen


def test_the_launch_file_has_arguments_that_there_are() -> None:
    text = files("from_webots_ros2")["launch"]
    tree = ast.parse("def generate():\n" + re.sub("^", "    ", text, flags=re.MULTILINE))
    (arguments,) = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    launch = (ROOT / "launch" / "simulation.launch.py").read_text(encoding="utf-8")
    for key in arguments.keys:
        assert isinstance(key, ast.Constant) and f'"{key.value}"' in launch


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for file, anchor in re.findall(r"\]\(([\w.]*)(?:#([\w-]+))?\)", PAGES[page]):
        text = (ROOT / "docs" / file).read_text(encoding="utf-8") if file else PAGES[page]
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}
        assert not anchor or anchor in anchors, (file, anchor)
