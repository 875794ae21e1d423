from pathlib import Path

from setuptools import setup

NAME = "my_robot"
SHARED = ("worlds", "protos", "controllers", "config", "launch")


def shared_files() -> list[tuple[str, list[str]]]:
    """Every file of the shared folders, where ROS looks for it: share/my_robot."""
    files = [path for folder in SHARED for path in sorted(Path(folder).rglob("*"))]
    files = [path for path in files if path.is_file() and "__pycache__" not in path.parts]
    return [(f"share/{NAME}/{path.parent}", [str(path)]) for path in files]


setup(
    name=NAME,
    version="0.1.0",
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *shared_files(),
    ],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
)
