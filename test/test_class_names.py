"""Each name has one meaning: no two classes share one, and no more than five unrelated classes a method's."""

from class_names import classes_in, names_twice, unrelated_methods

SEAMS: frozenset[str] = frozenset()
"""Names that two classes share on purpose: the same thing on both sides of a boundary."""


def test_no_class_name_stands_twice_but_for_the_listed_seams() -> None:
    twice = names_twice(classes_in())
    assert twice.keys() == SEAMS, f"found {twice}, expected a name of its own for each class"


def test_no_method_name_stands_in_many_classes_that_share_no_base() -> None:
    found = unrelated_methods(classes_in())
    assert not found, f"found {found}, expected names that say what is added or found, or a common base"
