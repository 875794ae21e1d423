"""What is refused, each by one line with its place, and what is passed over with a warning."""

import pytest

from sim_core.base.errors import Mistake, SceneErrors
from sim_core.scene.urdf.reader import MAX_CHARACTERS, parse_urdf

TWO = '<link name="a"/><link name="b"/>'


def joint(kind: str = "fixed", inside: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def robot(*lines: str) -> str:
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


def inertial(mass: str = "1", ixx: str = "1") -> str:
    tensor = f'<inertia ixx="{ixx}" iyy="1" izz="1"/>'
    return f'<link name="a"><inertial><mass value="{mass}"/>{tensor}</inertial></link>'


def shape(text: str, tag: str = "visual") -> str:
    return robot(f'<link name="a"><{tag}><geometry>{text}</geometry></{tag}></link>')


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
BAD = {
    "unknown type": (
        robot(TWO, joint("screw")),
        'f:3:1: joint.type "screw", expected one of fixed, revolute',
    ),
    "no type": (robot(TWO, joint("")), 'f:3:1: joint.type "", expected one of'),
    "planar": (
        robot(TWO, joint("planar")),
        'f:3:1: joint "j" of type planar, expected a joint that is simulated',
    ),
    "floating": (
        robot(TWO, joint("floating")),
        'f:3:1: joint "j" of type floating, expected one below the root',
    ),
    "missing link": (
        robot(TWO, joint(child="c")),
        'f:3:1: child of joint "j" is the link "c", expected one of "a", "b"',
    ),
    "missing parent": (
        robot(TWO, '<joint name="j" type="fixed"><child link="b"/></joint>'),
        'f:3:1: joint "j" without <parent>, expected <parent …/>',
    ),
    "two roots": (robot(TWO), 'f:2:17: the links "a", "b" are children of no joint, expected one root'),
    "a cycle": (
        robot(TWO, joint(), joint(name="k", parent="b", child="a")),
        'f:3:1: a cycle through "b" – "a", expected a tree',
    ),
    "two parents": (
        robot(TWO, joint(), joint(name="k")),
        'f:4:1: link "b" is the child of the joints "j" and "k", expected one joint',
    ),
    "no links": (robot(), "f:1:1: a robot without links"),
    "a second link": (
        robot('<link name="a"/>', '<link name="a"/>'),
        'f:3:1: a second link "a", expected a name of its own (the first is at 2:1)',
    ),
    "a second joint": (robot(TWO, joint(), joint()), 'f:4:1: a second joint "j"'),
    "negative mass": (robot(inertial("-1")), 'f:2:26: mass.value "-1", expected 0 or more'),
    "mass NaN": (robot(inertial("nan")), 'f:2:26: mass.value "nan", expected 1 number'),
    "mass no number": (robot(inertial("heavy")), 'f:2:26: mass.value "heavy", expected 1 number'),
    "missing limit": (robot(TWO, joint("revolute")), 'f:3:1: joint "j" of type revolute without <limit>'),
    "limits swapped": (
        robot(TWO, joint("prismatic", '<limit lower="2" upper="1" effort="1" velocity="1"/>')),
        'limit.lower "2", expected no more than upper, 1',
    ),
    "negative effort": (
        robot(TWO, joint("revolute", '<limit lower="0" upper="1" effort="-1" velocity="1"/>')),
        'limit.effort "-1", expected 0 or more',
    ),
    "no axis": (
        robot(TWO, joint("revolute", f'<axis xyz="0 0 0"/>{LIMIT}')),
        'axis.xyz "0 0 0", expected a vector that is not zero',
    ),
    "origin of two": (
        robot(TWO, joint(inside='<origin xyz="1 2"/>')),
        'origin.xyz "1 2", expected 3 numbers',
    ),
    "a box without size": (shape("<box/>"), "f:2:34: <box> without size"),
    "a negative radius": (
        shape('<sphere radius="-1"/>', "collision"),
        'f:2:37: sphere.radius "-1", expected a length',
    ),
    "an unknown shape": (shape("<torus/>"), "visual with torus, expected one of box, sphere"),
    "not a robot": ("<world/>", "f:1:1: <world>, expected <robot name=…> as the root"),
    "no name": ('<robot><link name="a"/></robot>', "f:1:1: <robot> without name"),
    "not well-formed": ("<robot name='r'>\n<link", "f:2:"),
    "an entity": (
        '<!DOCTYPE r [<!ENTITY a "b">]>\n<robot name="r"/>',
        "f:1:25: an entity, expected a file that defines none",
    ),
    "too deep": ("<robot name='r'>" + "<a>" * 300, "nested more than 200 deep"),
    "a long chain": (
        robot(
            *(f'<link name="{i}"/>' for i in range(120)),
            *(joint(name=f"j{i}", parent=f"{i}", child=f"{i + 1}") for i in range(119)),
        ),
        "a chain of more than 100 joints",
    ),
}


@pytest.mark.parametrize(("text", "line"), BAD.values(), ids=list(BAD))
def test_what_is_wrong_is_one_line_with_its_place(text: str, line: str) -> None:
    with pytest.raises(SceneErrors) as caught:
        parse_urdf(text, "f")
    (problem,) = caught.value.problems
    assert line in str(problem)
    assert "\n" not in str(problem)


MISTAKES = {
    "negative inertia": (
        robot(inertial(ixx="-1")),
        'f:2:43: inertia of link "a" is impossible for 1 kg, that of its collisions is used',
    ),
    "inertia of 0": (
        robot(inertial(ixx="0")),
        'f:2:43: inertia of link "a" is impossible for 1 kg, that of its collisions is used',
    ),
    "inertia by rounding": (
        robot(inertial(ixx="1e-20")),
        'f:2:43: inertia of link "a" is impossible for 1 kg, that of its collisions is used',
    ),
    "a mimic of nothing": (
        robot(TWO, joint("continuous", '<mimic joint="x"/>')),
        'joint "j" mimics "x", it moves independently, expected another joint that moves',
    ),
}


@pytest.mark.parametrize(("text", "line"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_with_which_other_simulators_go_on_is_one_line(text: str, line: str) -> None:
    _, (mistake,) = parse_urdf(text, "f")
    assert isinstance(mistake, Mistake)
    assert line in str(mistake)


def test_all_problems_of_a_file_are_found_in_file_order() -> None:
    with pytest.raises(SceneErrors) as caught:
        parse_urdf(robot(TWO, joint("screw"), inertial("-1"), joint("revolute", name="k")))
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5]


def test_a_file_too_large_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(SceneErrors, match="expected at most"):
        parse_urdf(" " * (MAX_CHARACTERS + 1))


def test_xacro_in_a_comment_is_none() -> None:
    model, _ = parse_urdf(robot("<!-- <xacro:macro> ${x} -->", '<link name="a"/>'))
    assert model.root == "a"


def test_tags_of_gazebo_without_effect_are_named_in_one_warning() -> None:
    sonar = '<gazebo reference="a"><sensor type="sonar" name="c"/></gazebo>'
    _, warnings = parse_urdf(
        robot('<link name="a"/>', sonar, sonar, '<gazebo><plugin filename="x.so"/></gazebo>'), "f"
    )
    assert [str(warning) for warning in warnings] == [
        'f:3:23: <gazebo> tags without effect: sensor "sonar" (2 times), plugin "x.so"'
    ]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize(
    "geometry",
    [
        '<box size="0 0.0 0"/>',
        '<box size="1 1 0"/>',
        '<sphere radius="0"/>',
        '<cylinder radius="1" length="0"/>',
        '<capsule radius="0" length="1"/>',
        '<mesh filename="a.stl" scale="1 0 1"/>',
    ],
)
def test_a_shape_of_size_0_is_left_out_with_a_warning(tag: str, geometry: str) -> None:
    model, warnings = parse_urdf(shape(geometry, tag), "f")
    assert not model.links["a"].visuals and not model.links["a"].collisions
    kind = geometry[1:].split()[0]
    assert f'f:2:16: {tag} of link "a" is a {kind} of size 0: left out' in [str(each) for each in warnings]


def test_an_unknown_material_is_a_warning() -> None:
    link = (
        '<link name="a"><visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual></link>'
    )
    _, warnings = parse_urdf(robot(link), "f")
    assert 'material "m" is not defined' in str(warnings[0])


def test_a_material_is_known_by_its_name_wherever_it_is_defined() -> None:
    visual = '<visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual>'
    model, _ = parse_urdf(
        robot(f'<link name="a">{visual}</link>', '<material name="m"><color rgba="1 0 0 0.5"/></material>')
    )
    assert model.links["a"].visuals[0].look.colour == (1.0, 0.0, 0.0, 0.5)


def test_base_link_becomes_the_root() -> None:
    """X_base_foot is the inverse of what the file says; the file's root is where `start` counts from."""
    lines = [
        '<link name="foot"/><link name="base_link"/>',
        joint(parent="foot", child="base_link", inside='<origin xyz="0 0 0.3"/>'),
    ]
    model, _ = parse_urdf(robot(*lines))
    assert (model.root, model.joints["j"].parent, model.joints["j"].child) == (
        "base_link",
        "base_link",
        "foot",
    )
    assert model.joints["j"].origin.position == (0.0, 0.0, -0.3)
    assert model.start.position == (0.0, 0.0, 0.3)


def test_a_mimic_of_a_mimic_follows_the_first() -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    lines = [
        joint("continuous", name="j"),
        joint("continuous", '<mimic joint="j" multiplier="2" offset="1"/>', "k", "b", "c"),
    ]
    model, _ = parse_urdf(
        robot(
            links, *lines, joint("continuous", '<mimic joint="k" multiplier="3" offset="1"/>', "l", "c", "d")
        )
    )
    mimic = model.joints["l"].mimic  # 3·(2·q + 1) + 1
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", 6.0, 4.0)
