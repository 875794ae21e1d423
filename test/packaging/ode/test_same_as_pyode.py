"""odesim_ode and PyODE give the same bits, and have the same names.

Each runs in a process of its own: two libodes in one process would share their symbols.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCENES = Path(__file__).with_name("scenes.py")
NAMES = """
import importlib, json, sys
ode = importlib.import_module(sys.argv[1])
classes = {name: value for name, value in vars(ode).items() if isinstance(value, type)}
print(json.dumps({
    "names": [name for name in dir(ode) if not name.startswith("_")],
    "methods": {name: [m for m in dir(c) if not m.startswith("_")] for name, c in classes.items()},
    "bases": {name: [base.__name__ for base in c.__mro__] for name, c in classes.items()},
    "layouts": {name: classes[name].__basicsize__ for name in ("Contact",)},
}))
"""


def run(module: str, folder: Path, *arguments: str) -> Any:
    """What a program prints that is given a module's name."""
    done = subprocess.run(
        [sys.executable, *arguments, module],
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'ode'" in done.stderr:
        pytest.skip("PyODE is not installed")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_number_is_the_same_to_the_bit(built: Path) -> None:
    theirs, ours = (run(module, built.parent, str(SCENES)) for module in ("ode", "odesim_ode"))
    assert theirs.keys() == ours.keys()
    for scene, found in theirs.items():
        assert len(found) > 50, scene
        assert ours[scene] == found, scene


def test_everything_that_pyode_has_is_there(built: Path) -> None:
    theirs, ours = (run(module, built.parent, "-c", NAMES) for module in ("ode", "odesim_ode"))
    assert set(theirs["names"]) <= set(ours["names"])
    for name, methods in theirs["methods"].items():
        if not name.startswith("_"):
            assert set(methods) <= set(ours["methods"][name]), name
            assert ours["bases"][name] == theirs["bases"][name]
    assert ours["layouts"] == theirs["layouts"]
