"""Header lines and the order of versions."""

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene.wbt.header import Header, parse_header

ORDER = [
    "V3.0",
    "V5.0",
    "V6.0",
    "V7.4.3",
    "V8.0",
    "V8.6",
    "R2018a",
    "R2019a",
    "R2019b",
    "R2021b",
    "R2022a",
    "R2025a",
]


def test_versions_are_ordered() -> None:
    for index, older in enumerate(ORDER):
        assert not Header(older).is_before(older)
        for newer in ORDER[index + 1 :]:
            assert Header(older).is_before(newer) and not Header(newer).is_before(older)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("#VRML_SIM R2025a utf8", "R2025a"),
        ("#VRML_SIM V6.0 utf8", "V6.0"),
        ("#VRML_SIM  R2022a   utf8  ", "R2022a"),
        ("#VRML_SIM R2020b revision 1 utf8", "R2020b"),
        ("# VRML_SIM R2022b utf8", "R2022b"),
    ],
)
def test_header_lines(line: str, version: str) -> None:
    header, end = parse_header(line + "\nRobot { }", "f")
    assert header.version == version and header.raw == line.rstrip()
    assert end == len(line)


@pytest.mark.parametrize(
    "text", ["", "#VRML_SIM utf8", "#VRML_SIM R2025a", "#VRML_SIM R2025a utf16", "#X3D", "VRML_SIM R1"]
)
def test_other_first_lines_are_refused(text: str) -> None:
    with pytest.raises(SceneErrors, match=r'^f:1:1: .*"#VRML_SIM R2025a utf8"'):
        parse_header(text, "f")
