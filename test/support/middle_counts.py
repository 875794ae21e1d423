"""Counts how large the middle of the simulator is: its seam, the path of a supervisor's change, its code.

`PYTHONPATH=. python test/support/middle_counts.py` prints the numbers.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

CORE = Path(__file__).parents[2] / "sim_core"
FOLDERS = ("session", "engines", "model")
SEAM = ("engine", "capabilities", "world_view", "rolling")
SOLID = 'DEF S{0} Solid {{ name "s{0}" translation {0} 0 1 boundingObject Box {{ }} physics Physics {{ }} }}'


def seam_members() -> list[str]:
    """Return the public members of the protocols between session or devices and engines."""
    found = []
    for file in SEAM:
        for kind in ast.parse((CORE / "engines" / f"{file}.py").read_text()).body:
            if isinstance(kind, ast.ClassDef) and any("Protocol" in ast.unparse(base) for base in kind.bases):
                found += [f"{kind.name}.{name}" for name in _members(kind)]
    return found


def _members(kind: ast.ClassDef) -> list[str]:
    names: dict[str, None] = {}
    for each in kind.body:
        if isinstance(each, ast.FunctionDef):
            names[each.name] = None
        elif isinstance(each, ast.AnnAssign):
            names[ast.unparse(each.target)] = None
    return [name for name in names if not name.startswith("_")]


def translation_path() -> tuple[set[str], set[str]]:
    """Return the named functions, and the files, of session, model and engines that run when a supervisor
    moves a free solid by its DEF name."""
    solids = "\n".join(SOLID.format(k) for k in range(10))
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\n{solids}"))
    sim.step()
    sim.supervisor.set("S5", "translation", (1.0, -1.0, 2.0))
    functions, files = set[str](), set[str]()

    def profile(frame: object, event: str, arg: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        path = Path(code.co_filename)
        if event == "call" and any((CORE / each) in path.parents for each in FOLDERS):
            files.add(str(path.relative_to(CORE)))
            if not code.co_name.startswith("<"):
                functions.add(f"{path.relative_to(CORE)}:{code.co_qualname}")

    sys.setprofile(profile)
    try:
        sim.supervisor.set("S5", "translation", (1.0, -1.0, 3.0))
    finally:
        sys.setprofile(None)
        sim.close()
    return functions, files


def code_lines(*folders: str) -> int:
    """Return the lines of code of folders, without docstrings, comments and empty lines."""
    return sum(_code_lines(file) for folder in folders for file in (CORE / folder).rglob("*.py"))


def _code_lines(file: Path) -> int:
    text = file.read_text()
    lines = {n for n, line in enumerate(text.split("\n"), 1) if line.strip() and line.strip()[0] != "#"}
    for each in ast.walk(ast.parse(text)):
        match each:
            case ast.Expr(value=ast.Constant(value=str())):
                lines -= set(range(each.lineno, (each.end_lineno or each.lineno) + 1))
    return len(lines)


if __name__ == "__main__":
    members = seam_members()
    print(len(members), "members:", *members)
    functions, files = translation_path()
    print(len(functions), "functions in", len(files), "files:", *sorted(functions), sep="\n  ")
    print("lines of code:", {each: code_lines(each) for each in FOLDERS}, code_lines(*FOLDERS))
