"""A module has at most 400 lines; longer ones are listed with the reason."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST = 400
FOLDERS = ("sim_core", "ros_bridge", "webots_api")
ONE_FILE = "compiled functions call functions of their own file only, because numba's cache checks no other"
LONGER = {
    "sim_core/engines/ode/contacts/mesh_kernels.py": ONE_FILE,
    "sim_core/engines/planar/motion_kernels.py": ONE_FILE,
    "sim_core/sensing/raycast/kernels.py": ONE_FILE,
    "sim_core/scene/proto/proto_parser.py": "the parser and the state of a load make each other",
}
"""Modules with more lines, and why they stay in one piece."""


def test_modules_are_short_but_for_those_with_a_reason() -> None:
    longer = {
        str(file.relative_to(ROOT)): lines
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        if (lines := file.read_text(encoding="utf-8").count("\n")) > MOST
    }
    assert longer.keys() == LONGER.keys(), (
        f"found {longer}, expected only {sorted(LONGER)} above {MOST} lines"
    )
