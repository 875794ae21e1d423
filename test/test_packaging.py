"""setup.py, package.xml, the requirement files and the folders say the same."""

import ast
import importlib
import json
import os
import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
import setuptools  # noqa: F401  (before distutils, which it provides from Python 3.12 on)
from catkin_pkg.package import parse_package
from packaging.requirements import Requirement

from ros_bridge.controllers import SHIPPED

ROOT = Path(__file__).resolve().parents[1]

# Imports whose rosdep key is not their own name; None: installed by apt without a key (see package.xml).
ROSDEP_KEYS = {
    "argcomplete": "python3-argcomplete",
    "av": None,  # rosdep has no key: without it there are no movies, and one line says so
    "collada": "python3-collada",
    "llvmlite": "python3-numba",
    "mcap": None,  # rosdep has no key: a recording says what is missing
    "rosbags": None,  # likewise
    "lz4": None,  # comes with rosbags
    "lupa": None,  # rosdep has no key: procedural PROTO say what is missing
    "moderngl": None,  # rosdep has no key: without it there are no pictures, and one line says so
    "PIL": "python3-pil",
    "matplotlib": "python3-matplotlib",
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "ode": None,
    "odesim_ode": None,  # stands in where there is no PyODE
    "quickjs": None,
    "tqdm": "python3-tqdm",
    "transforms3d": "python3-transforms3d",
    "trimesh": "python3-trimesh-pip",
    "viser": None,  # rosdep has no key: the viewer says what is missing
    "yaml": "python3-yaml",
}
OPTIONAL = {
    "websockets",  # comes with viser
    "simulation_interfaces",
    "ackermann_msgs",
    "control_msgs",
    "nav2_common",
    "vision_msgs",
    "webots_ros2_msgs",
    "rosbag2_py",
    "distributed",
    "foxglove",
    "gymnasium",
    "pettingzoo",
    "pytest",
    "pyarrow",
}  # used where installed


@pytest.fixture
def distribution(monkeypatch: pytest.MonkeyPatch):
    """What setup.py hands to setuptools."""
    from distutils.core import run_setup

    monkeypatch.chdir(ROOT)
    return run_setup("setup.py", stop_after="init")


@pytest.fixture
def manifest():
    return parse_package(ROOT / "package.xml")


def requirement_names(file: str) -> set[str]:
    lines = (ROOT / "requirements" / file).read_text().splitlines()
    return {re.split(r"[\[<>=~! ]", line)[0] for line in lines if line and not line.startswith("#")}


def shipped_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
                yield path.relative_to(ROOT)


def imported_packages(*folders: str) -> set[str]:
    names = set()
    for path in shipped_files(*folders):
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - {"sim_core", "ros_bridge", "webots_api"}


def test_setup_and_manifest_agree(distribution, manifest):
    metadata = distribution.metadata
    assert metadata.name == manifest.name
    assert metadata.version == manifest.version
    assert [metadata.license] == [str(name) for name in manifest.licenses]
    (maintainer,) = manifest.maintainers
    assert (metadata.maintainer, metadata.maintainer_email) == (maintainer.name, maintainer.email)


def test_manifest_is_format_3_of_build_type_ament_python(manifest):
    assert ElementTree.parse(ROOT / "package.xml").getroot().get("format") == "3"
    assert manifest.get_build_type() == "ament_python"


def test_every_import_has_its_rosdep_key(manifest):
    keys = {dependency.name for dependency in manifest.exec_depends}
    needed = imported_packages("sim_core", "ros_bridge", "launch") - OPTIONAL
    missing = {name for name in needed if (key := ROSDEP_KEYS.get(name, name)) and key not in keys}
    assert missing == set()


def test_pip_installs_the_same_as_run_sh_and_no_ros_package(distribution):
    names = {Requirement(line).name for line in distribution.install_requires}
    assert requirement_names("run.txt") == names - {"setuptools", "odesim-ode"}  # run.sh has apt's PyODE
    assert not any(name.startswith("ros-") or name == "rclpy" for name in names)


@pytest.mark.parametrize(
    ("release", "tools", "expected"),
    [
        (True, (), ["odesim-ode"]),
        (False, ("cc", "ode-config"), [f"odesim-ode @ {(ROOT / 'packaging' / 'ode').as_uri()}"]),
        (False, ("cc",), []),
    ],
)
def test_a_checkout_builds_the_module_of_ode_where_it_can(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    release: bool,
    tools: tuple[str, ...],
    expected: list[str],
):
    from distutils.core import run_setup

    for tool in tools:
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if release:
        monkeypatch.setenv("ODESIM_RELEASE", "1")
    monkeypatch.chdir(ROOT)
    requires = run_setup("setup.py", stop_after="init").install_requires
    assert [line for line in requires if line.startswith("odesim-ode")] == expected


def test_colcon_finds_pytest_for_its_tests(distribution):
    assert "pytest" in distribution.extras_require["test"]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "--import-mode=importlib" in settings["tool"]["pytest"]["ini_options"]["addopts"]


@pytest.mark.parametrize("plugin", ["launch_testing", "launch_ros"])
def test_no_plugin_of_a_ros_installation_imports_test_files_by_their_bare_names(
    pytestconfig: pytest.Config, plugin: str
):
    assert pytestconfig.pluginmanager.is_blocked(plugin)


def test_every_console_script_has_its_main(distribution):
    for row in distribution.entry_points["console_scripts"]:
        module, function = row.split("=")[1].strip().split(":")
        assert callable(getattr(importlib.import_module(module), function)), row


def test_every_shared_file_is_installed(distribution):
    installed = {Path(file): Path(folder) for folder, files in distribution.data_files for file in files}
    assert all((ROOT / file).is_file() for file in installed)
    for file in shipped_files("launch", "worlds", "protos", "config", "include", "examples/my_robot"):
        assert installed[file] == Path("share/odesim") / file.parent
    assert installed[Path("package.xml")] == Path("share/odesim")
    assert installed[Path("resource/odesim")] == Path("share/ament_index/resource_index/packages")


def test_ros2_run_finds_the_command_and_each_controller_once(distribution):
    executables = dict(distribution.data_files)["lib/odesim"]
    names = {Path(file).name for file in executables}
    assert names == {"sim", "create", *SHIPPED}  # `odesim run`, `odesim spawn`
    for file in executables:
        assert os.access(ROOT / file, os.X_OK), file
        (module,) = re.findall(r"^from (\S+) import main$", (ROOT / file).read_text(), re.MULTILINE)
        assert callable(importlib.import_module(module).main)


def test_console_scripts_go_to_the_folder_that_colcon_puts_on_the_path(distribution):
    """The only one is `odesim`, since others with names of that kind have no business on everybody's path."""
    assert [row.split("=")[0].strip() for row in distribution.entry_points["console_scripts"]] == ["odesim"]
    assert not (ROOT / "setup.cfg").exists()  # nothing says another folder than bin


def test_every_package_and_every_data_file_in_it_is_installed(distribution):
    installed = set()
    for package in distribution.packages:
        installed |= {path.relative_to(ROOT) for path in (ROOT / package.replace(".", "/")).glob("*.py")}
    for package, patterns in distribution.package_data.items():
        for pattern in patterns:
            installed |= {path.relative_to(ROOT) for path in (ROOT / package).glob(pattern)}
    assert set(shipped_files("sim_core", "ros_bridge")) - installed == set()


PIN = re.compile(r"([a-z0-9-]+)==([^ ]+) --hash=sha256:[0-9a-f]{64}")


PINNED = ROOT / "requirements" / "pinned"
SETS = sorted(folder.name for folder in PINNED.iterdir() if folder.is_dir())
"""Pythons, `3.12` or `3.12-jazzy`."""


def pinned(file: str) -> dict[str, str]:
    lines = (PINNED / file).read_text().splitlines()
    found = [PIN.fullmatch(line) for line in lines if not line.startswith("#")]
    assert all(found), file
    return {match[1]: match[2] for match in found if match}


def test_there_are_pins_for_each_python_and_for_jazzy() -> None:
    assert {"3.11", "3.12", "3.13", "3.14", "3.12-jazzy"} <= set(SETS)


@pytest.mark.parametrize("name", SETS)
def test_what_is_pinned_is_what_the_ranges_allow(name: str) -> None:
    run, test = pinned(f"{name}/run.txt"), pinned(f"{name}/test.txt")
    python, _, wheels = name.partition("-")
    for file in ("run.txt", "test.txt"):
        assert f"for Python {python} on" in (PINNED / name / file).read_text().splitlines()[0]
    assert not run.keys() & test.keys()
    for files, pins in ((("run.txt", f"{wheels or 'ros'}.txt"), run), (("test.txt",), run | test)):
        lines = "".join((ROOT / "requirements" / file).read_text() for file in files).splitlines()
        for line in filter(None, (line.partition("#")[0].strip() for line in lines)):
            asked = Requirement(line)
            version = pins.get(asked.name.replace("_", "-").lower())
            assert version is not None and asked.specifier.contains(version), line


def test_the_bill_of_materials_lists_what_is_pinned() -> None:
    text = (PINNED / "sbom.cdx.json").read_text(encoding="utf-8")
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    version = ElementTree.parse(ROOT / "package.xml").getroot().findtext("version")
    assert bill["metadata"]["component"]["version"] == version
    hashes = {each["name"]: each["hashes"][0]["content"] for each in bill["components"] if "hashes" in each}
    versions = {each["name"]: each["version"] for each in bill["components"] if "hashes" in each}
    lines = (PINNED / "3.11/run.txt").read_text().splitlines()
    assert versions == pinned("3.11/run.txt") and hashes.keys() == versions.keys()
    assert all(any(line.endswith(f"sha256:{each}") for line in lines) for each in hashes.values())
    known = {each["bom-ref"] for each in [*bill["components"], bill["metadata"]["component"]]}
    assert len(known) == len(bill["components"]) + 1
    named = {ref for each in bill["dependencies"] for ref in (each["ref"], *each["dependsOn"])}
    assert named <= known


def test_the_bill_of_materials_is_installed(distribution) -> None:
    installed = {file: folder for folder, files in distribution.data_files for file in files}
    assert installed["requirements/pinned/sbom.cdx.json"] == "share/odesim"
