"""Error classes: their tree, and texts with one line per problem."""

import inspect

import pytest

from sim_core.base import errors


def test_everything_derives_from_one_class() -> None:
    classes = [
        each
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if each.__module__ == errors.__name__ and issubclass(each, Exception)
    ]
    assert len(classes) >= 7
    assert all(issubclass(each, errors.OdesimError) for each in classes)
    assert issubclass(errors.StateNotFiniteError, errors.PhysicsError)


def test_the_docstring_lists_every_class() -> None:
    names = {
        name for name, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, Exception)
    }
    assert all(name in (errors.__doc__ or "") for name in names)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("w.wbt", 3, 7, '"abc"'), 'w.wbt:3:7: "abc"'),
        (("w.wbt", 3, 7, '"abc"', "a number"), 'w.wbt:3:7: "abc", expected a number'),
        (("w.wbt", 3, 7, "x", "y", 'did you mean "y"?'), 'w.wbt:3:7: x, expected y (did you mean "y"?)'),
        (("w.wbt", 0, 0, "no such file"), "w.wbt: no such file"),
    ],
)
def test_a_scene_error_gives_place_found_and_expected(arguments: tuple, text: str) -> None:
    error = errors.SceneError(*arguments)
    assert str(error) == text
    assert (error.file, error.line, error.column, error.found) == arguments[:4]


def test_scene_errors_hold_one_line_per_problem() -> None:
    problems = [errors.SceneError("f", line, 1, "x") for line in (1, 2)]
    error = errors.SceneErrors(problems)
    assert error.problems == tuple(problems)
    assert str(error).splitlines() == ["f:1:1: x", "f:2:1: x"]


def test_a_state_that_is_not_finite_names_solid_and_time() -> None:
    error = errors.StateNotFiniteError("DEF ROBOT1", 1_500_000_000)
    assert error.solid == "DEF ROBOT1" and error.time_ns == 1_500_000_000
    assert str(error).startswith("DEF ROBOT1: ") and "1.500000 s" in str(error)


@pytest.mark.parametrize("kind", [errors.ConfigError, errors.CommandError, errors.PhysicsError])
def test_quoted_text_adds_no_line(kind: type[errors.OdesimError]) -> None:
    text = 'found no device "pose\n  b\r\n", expected one  of ds'
    assert str(kind(text)) == 'found no device "pose; b; ", expected one of ds'
    assert str(kind('"a  b"')) == '"a  b"'
    problem = errors.SceneError("a\nb.wbt", 1, 2, "1\n2")
    assert str(problem) == "a; b.wbt:1:2: 1; 2"
    assert str(errors.SceneErrors([problem, problem])).count("\n") == 1


@pytest.mark.parametrize("kind", [errors.ConfigError, errors.CommandError, errors.PhysicsError])
def test_quoted_text_does_not_make_a_line_too_long(kind: type[errors.OdesimError]) -> None:
    text = str(kind(f"w.yaml:18: metrics: found {['x'] * 10_000}, expected a list of names"))
    assert text.startswith("w.yaml:18: metrics: found ['x', 'x'")
    assert text.endswith("], expected a list of names")
    assert len(text) < errors.LONGEST + 5
