"""What stands in comments of XML is not looked at; everything else stays where it is."""

from pathlib import Path

import pytest

from sim_core.base.errors import SceneErrors
from sim_core.scene import load_scene
from sim_core.scene.urdf.reader import parse_urdf, read_urdf
from sim_core.scene.xml_comments import without_comments

COMMENT = "<!-- run gz sim --levels -r\n -- and é -->"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a/>", "<a/>"),
        ("<!-- x --><a/>", "<!--   --><a/>"),
        ("<!-- x -- y\r\n --><a/>", "<!--       \r\n --><a/>"),
        ("<a><![CDATA[<!-- x -->]]></a>", "<a><![CDATA[<!-- x -->]]></a>"),
        ("<?p <!-- ?><!--x--><a/>", "<?p <!-- ?><!-- --><a/>"),
        ("<!-- a --->", "<!--    -->"),
        ("<a/><!-- x", "<a/><!-- x"),
        ("<![CDATA[ <!--x-->", "<![CDATA[ <!--x-->"),
    ],
)
def test_comments_become_blank_and_places_stay(text: str, expected: str) -> None:
    assert without_comments(text) == expected
    assert len(without_comments(text)) == len(text)


def test_many_comments_that_never_end_take_no_time() -> None:
    assert without_comments("<!--" * 1_000_000).endswith("<!--")
    assert "x" not in without_comments("<!--x-->" * 200_000)


def test_two_dashes_are_read_in_urdf_and_places_in_messages_stay() -> None:
    robot = f"{COMMENT}\n<robot name='r'>{COMMENT}<link name='a'/>\n<link/></robot>"
    model, _ = parse_urdf(robot.replace("<link/>", ""), "f")
    assert list(model.links) == ["a"]
    with pytest.raises(SceneErrors, match="f:5:1: <link> without name"):
        parse_urdf(robot, "f")
    with pytest.raises(SceneErrors, match="f:1:1: "):
        parse_urdf("<!-- x <robot name='r'/>", "f")


def test_two_dashes_are_read_in_xacro_and_in_what_it_includes(tmp_path: Path) -> None:
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    link = f"<robot {space}>{COMMENT}<link name='${{n}}'/></robot>"
    (tmp_path / "part.xacro").write_text(link, encoding="utf-8")
    include = f"<xacro:property name='n' value='body'/>{COMMENT}<xacro:include filename='part.xacro'/>"
    file = tmp_path / "r.urdf.xacro"
    file.write_text(f"{COMMENT}\n<robot name='r' {space}>{include}</robot>", encoding="utf-8")
    assert list(read_urdf(file)[0].links) == ["body"]
    (tmp_path / "part.xacro").write_text(f"{COMMENT}\n<robot>\n<link</robot>", encoding="utf-8")
    with pytest.raises(SceneErrors, match=r"part\.xacro:4:6: "):
        read_urdf(file)


def test_two_dashes_are_read_in_x3d(tmp_path: Path) -> None:
    text = f"{COMMENT}<X3D version='3.3'><Scene>{COMMENT}<Transform DEF='T'/></Scene></X3D>"
    (tmp_path / "s.x3d").write_text(text, encoding="utf-8")
    assert load_scene(tmp_path / "s.x3d").find_def("T") is not None
