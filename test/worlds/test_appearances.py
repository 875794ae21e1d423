"""The PROTO files of appearances: those that the script makes of its table."""

import importlib.util

from sim_core.base.shipped import CODE, share_dir


def test_the_files_are_those_of_the_table() -> None:
    script = CODE / "scripts" / "make_appearances.py"
    spec = importlib.util.spec_from_file_location("make_appearances", script)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    files = sorted((share_dir() / "protos" / "appearances").glob("*.proto"))
    assert {file.stem: file.read_text("utf-8") for file in files} == {
        name: made.proto_text(name, look) for name, look in made.LOOKS.items()
    }
