"""Each name has one meaning: no two classes share one, and no more than five unrelated classes a method's."""

from class_names import ClassFound, classes_in, names_twice, unrelated_methods

SEAMS: frozenset[str] = frozenset()
"""Names that two classes share on purpose: the same thing on both sides of a boundary."""


def test_no_class_name_stands_twice_but_for_the_listed_seams() -> None:
    twice = names_twice(classes_in())
    assert twice.keys() == SEAMS, f"found {twice}, expected a name of its own for each class"


def test_no_method_name_stands_in_many_classes_that_share_no_base() -> None:
    found = unrelated_methods(classes_in())
    assert not found, f"found {found}, expected names that say what is added or found, or a common base"


def test_a_protocol_counts_only_for_classes_with_all_of_its_members() -> None:
    protocol = ClassFound("Engine", "", ("Protocol",), {"step": 0, "load": 1})
    halves = [ClassFound(f"Half{number}", "", (), {"step": 0}) for number in range(2)]
    wholes = [ClassFound(f"Whole{number}", "", (), {"step": 0, "load": 1}) for number in range(2)]
    derived = [ClassFound(f"Derived{number}", "", ("Whole0",), {"step": 0}) for number in range(2)]
    gyms = [ClassFound(f"Gym{number}", "", ("Env",), {"step": 1}) for number in range(2)]
    found = unrelated_methods([protocol, *halves, *wholes, *derived, *gyms], most=1)
    assert found == {"step": ["Half0", "Half1"]}


def test_methods_of_standard_protocols_have_their_arguments() -> None:
    closing = [ClassFound(f"Closing{number}", "", (), {"close": 0}) for number in range(2)]
    others = [ClassFound(f"Other{number}", "", (), {"close": 1}) for number in range(2)]
    assert unrelated_methods([*closing, *others], most=1) == {"close": ["Other0", "Other1"]}
