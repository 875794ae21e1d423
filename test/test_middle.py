"""The middle of the simulator does not grow: members of its seam, functions on the path of a change."""

from middle_counts import seam_members, translation_path


def test_the_seam_between_session_and_engines_is_small() -> None:
    assert len(seam_members()) <= 74


def test_moving_a_solid_by_its_name_passes_few_functions() -> None:
    functions, files = translation_path()
    assert len(functions) <= 40 and len(files) <= 21
