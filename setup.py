"""Packaging for ament_python (colcon) and pip. Dependencies on ROS packages stand in package.xml alone."""

import os
import shutil
from pathlib import Path

from setuptools import find_packages, setup

NAME = "odesim"
ODE_MODULE = Path(__file__).resolve().parent / "packaging" / "ode"


def tree(folder: str, destination: str) -> list[tuple[str, list[str]]]:
    """Every file below `folder` as data_files rows, its sub-folders kept under `destination`."""
    rows: dict[str, list[str]] = {}
    for path in sorted(Path(folder).rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith((".", "__pycache__")) for part in relative.parts)
        if path.is_file() and not hidden:
            rows.setdefault(str(Path(destination) / relative.parent), []).append(str(path))
    return list(rows.items())


def ode_module() -> list[str]:
    """The requirement for the module that stands in for PyODE, which apt has and the package index has not.

    A release (scripts/build_wheels.sh) names its wheels. A checkout builds it, where a compiler and libode's
    headers are. Elsewhere it is left to the user: apt's PyODE or a wheel of a release.
    """
    if "ODESIM_RELEASE" in os.environ:
        return ["odesim-ode"]
    can_build = shutil.which("cc") and shutil.which("ode-config")
    return [f"odesim-ode @ {ODE_MODULE.as_uri()}"] if can_build else []


setup(
    name=NAME,
    version="0.1.0",
    description="Mobile robot simulator on the Open Dynamics Engine, with every device as ROS 2 topics",
    license="Apache-2.0",
    maintainer="odesim maintainers",
    maintainer_email="maintainers@odesim.org",
    python_requires=">=3.11",
    packages=find_packages(
        include=["sim_core", "sim_core.*", "ros_bridge", "ros_bridge.*", "webots_api", "webots_api.*"]
    ),
    package_data={
        "sim_core": [
            *("scene/schema/*.yaml", "scene/proto/templates/*.js", "scene/proto/templates/*.lua"),
            *("sensing/render/glsl/*", "recording/page/*"),
        ],
        "ros_bridge": ["viewer/page/*.js", "viewer/page/*.css"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml", "LICENSE", "requirements/pinned/sbom.cdx.json"]),
        *tree("launch", f"share/{NAME}/launch"),
        *tree("worlds", f"share/{NAME}/worlds"),
        *tree("protos", f"share/{NAME}/protos"),
        *tree("controllers", f"share/{NAME}/controllers"),
        *tree("include", f"share/{NAME}/include"),
        *tree("config", f"share/{NAME}/config"),
        *tree("examples/my_robot", f"share/{NAME}/examples/my_robot"),
        # ros2 run and ros2 launch look here
        *tree("scripts/lib", f"lib/{NAME}"),
        # takes the place of Gazebo's packages for launch files of others, where AMENT_PREFIX_PATH has it
        *tree("scripts/ros_gz", f"share/{NAME}/ros_gz"),
    ],
    install_requires=[
        "argcomplete",
        "av",
        "lupa",
        "matplotlib",
        "mcap",
        "moderngl",
        "numba",
        "numpy",
        *ode_module(),
        "pillow",
        "pycollada",
        "pyyaml",
        "quickjs-ng",
        "rosbags",
        "setuptools",
        "tqdm",
        "transforms3d",
        "trimesh",
        "viser",
        "xacro",
    ],
    # colcon test runs pytest only if it stands here
    extras_require={
        "test": ["hypothesis", "opencv-python-headless", "pytest", "selenium"],
        "cluster": ["distributed"],
        "cuda": ["gymnasium", "numba-cuda[cu12]"],
        "foxglove": ["foxglove-sdk"],
        "learning": ["gymnasium", "pettingzoo"],
        "parquet": ["pyarrow"],
    },
    entry_points={
        # for the folder bin: of a wheel, and in a colcon workspace, which puts it on the path
        "console_scripts": ["odesim = ros_bridge.cli.__main__:main"],
        "gymnasium.envs": ["odesim = sim_core.experiments.learning:register_environments"],
    },
    zip_safe=False,
)
