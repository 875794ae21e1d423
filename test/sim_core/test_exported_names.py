import sim_core
from sim_core.base import errors


def test_every_public_name_is_there() -> None:
    for name in sim_core.__all__:
        assert getattr(sim_core, name).__name__ == name


def test_every_error_is_public() -> None:
    raised = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.OdesimError)
    }
    assert raised <= set(sim_core.__all__)
