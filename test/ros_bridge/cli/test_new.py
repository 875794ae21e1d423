"""`odesim new`: the package that it makes is named as asked, runs, and passes its own test."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from catkin_pkg.package import parse_package
from nav_msgs.msg import Odometry
from processes import ODESIM, ReadProcess

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.new_package import EXAMPLE, new_package
from sim_core.base.errors import ConfigError
from sim_core.base.shipped import share_dir


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_package("rover_lab", tmp_path_factory.mktemp("ws") / "src")


def files(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if not any(part.startswith((".", "__")) for part in path.parts)}


def test_every_file_is_there_under_the_new_name(package: Path) -> None:
    assert files(package) == {
        file.replace(EXAMPLE, "rover_lab") for file in files(share_dir() / "examples" / EXAMPLE)
    }
    assert not any(EXAMPLE in (package / file).read_text() for file in files(package))


def test_ros_takes_it_for_a_package_and_finds_its_files_in_share(package: Path, monkeypatch) -> None:
    from distutils.core import run_setup

    monkeypatch.chdir(package)
    setup = run_setup("setup.py", stop_after="init")
    manifest = parse_package(package / "package.xml")
    assert (setup.metadata.name, setup.metadata.version) == (manifest.name, manifest.version)
    shared = {f"{place}/{Path(file).name}": file for place, names in setup.data_files for file in names}
    for file in files(package):
        if file.split("/")[0] in ("worlds", "protos", "controllers", "config", "launch"):
            assert shared[f"share/rover_lab/{file}"] == file
    assert shared["share/ament_index/resource_index/packages/rover_lab"] == "resource/rover_lab"


def test_its_own_test_passes(package: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test"]
    ended = subprocess.run(command, cwd=package, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_its_world_is_good_and_its_node_drives_its_robot(package: Path, client, capfd) -> None:
    assert main(["check", str(package)]) == 0
    world, record = package / "worlds/rover_lab.wbt", package.parent / "bag"
    run = ReadProcess(
        *ODESIM, "run", world, "--trust", "--record", record, "--record-topic", "/rover/ground_truth"
    )
    try:
        truth = client.listen(Odometry, "/rover/ground_truth")
        client.until(lambda: truth and truth[-1].pose.pose.position.x > -1.2, "the rover driving from -1.4 m")
        run.send(signal.SIGINT)
        assert run.wait() == 0 and not run.says("[WARN]"), run.lines
    finally:
        run.end()
    capfd.readouterr()
    assert main(["bag", "csv", str(record), "/rover/ground_truth", "--out", str(package.parent / "csv")]) == 0
    (table,) = (package.parent / "csv").glob("*.csv")
    header, *rows = [line.split(",") for line in table.read_text().splitlines()]
    x = header.index("pose.pose.position.x")
    assert float(rows[-1][x]) - float(rows[0][x]) > 0.1


@pytest.mark.parametrize(
    "name", ["", "a", "My_Robot", "my-robot", "my__robot", "robot_", "1robot", "class", "../x"]
)
def test_a_name_that_is_none_for_a_package_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no name for a ROS package, expected"):
        new_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_touched(tmp_path: Path, capsys) -> None:
    (tmp_path / "lab").mkdir()
    assert main(["new", "lab", "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said == f"{tmp_path}/lab exists, expected a new folder; choose another name\n"
    assert list((tmp_path / "lab").iterdir()) == []
