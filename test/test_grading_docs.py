"""The exercise of docs/grading.md is graded as the page says."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from processes import ODESIM, ROOT, finished

from ros_bridge.cli.arguments import make_parser

PAGE = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- test: (\S+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
CI = ROOT / "examples" / "grading" / "ci"
CREATE, WRITE, RUN = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, as the commands and files of the page create it."""
    folder = tmp_path_factory.mktemp("grading")
    create, enter = map(shlex.split, CREATE.splitlines())
    assert finished(*ODESIM, *create[1:], folder=folder).returncode == 0
    project = folder / enter[1]
    for name, text in FILES.items():
        (project / name).parent.mkdir()
        (project / name).write_text(text, encoding="utf-8")
    assert finished("bash", "-c", WRITE, folder=project).returncode == 0
    return project


@pytest.mark.parametrize(("speed", "code"), [("4.0", 0), ("0.5", 1)])
def test_the_exit_code_is_the_grade(project: Path, speed: str, code: int) -> None:
    """A robot that drives 1 m passes, one that drives 0.12 m does not."""
    solution = FILES["controllers/student/student.py"]
    (project / "controllers/student/student.py").write_text(solution.replace("4.0", speed), encoding="utf-8")
    done = finished(*ODESIM, *shlex.split(RUN)[1:], folder=project)
    assert done.returncode == code, done.stdout + done.stderr
    distance = re.search(r"distance (\d+\.\d+) m", done.stdout + done.stderr)
    assert distance and float(distance[1]) == pytest.approx(0.05 * float(speed) * 5.0, rel=0.1)


@pytest.mark.parametrize("file", ["github.yml", "gitlab-ci.yml"])
def test_the_files_for_ci_are_yaml_and_their_commands_are_understood(file: str) -> None:
    text = (CI / file).read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict) and f"examples/grading/ci/{file}" in PAGE
    commands = re.findall(r"(?:- |run: )(odesim .*)", text)
    assert len(commands) == 2
    for command in commands:
        make_parser().parse_args(shlex.split(command)[1:])
        assert f"    {command}\n" in PAGE
