"""A class name has one meaning: no two classes of the simulator and the bridge share one."""

from class_names import classes_in, names_twice

SEAMS: frozenset[str] = frozenset()
"""Names that two classes share on purpose: the same thing on both sides of a boundary."""


def test_no_class_name_stands_twice_but_for_the_listed_seams() -> None:
    twice = names_twice(classes_in())
    assert twice.keys() == SEAMS, f"found {twice}, expected a name of its own for each class"
