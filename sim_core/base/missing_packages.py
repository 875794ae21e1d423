"""Messages for missing Python packages, with the command that installs them."""

from __future__ import annotations

from sim_core.base.errors import MissingPackageError

OURS = ("sim_core", "ros_bridge", "webots_api", "controller")
ODE = (
    "PyODE (Python module ode) is not installed, nor odesim-ode in its place: pip install odesim-ode (a "
    "wheel of odesim's release), or apt install python3-pyode, in an environment made by python3 -m venv "
    "--system-site-packages"
)
ROS = (
    "ROS 2 for Python (rclpy and its messages) is not installed: source the setup.bash of a ROS 2 "
    'installation, or pip install "ros-rclpy[fastrtps]" ros-common-interfaces ros-rosgraph-msgs'
)
OTHER = "the Python package {name} is not installed: pip install {distribution}"
DISTRIBUTIONS = {
    "PIL": "pillow",
    "collada": "pycollada",
    "foxglove": "foxglove-sdk",
    "llvmlite": "numba",
    "quickjs": "quickjs-ng",
    "yaml": "pyyaml",
}
"""Distribution names of modules, where they differ from the module's name."""


def missing_package(error: ModuleNotFoundError) -> MissingPackageError | None:
    """Return the error to raise in place of Python's own; None: the module is part of odesim."""
    name = (error.name or "").partition(".")[0]
    if not name or name in OURS:
        return None
    if name in ("ode", "odesim_ode"):
        return MissingPackageError(ODE)
    if is_ros(name):
        return MissingPackageError(ROS)
    return MissingPackageError(OTHER.format(name=name, distribution=DISTRIBUTIONS.get(name, name)))


def is_ros(module: str) -> bool:
    """Return whether a top-level module belongs to ROS 2."""
    return module in ("rclpy", "ament_index_python") or module.endswith(("_msgs", "_srvs", "_interfaces"))
