"""User code: functions and classes `module:name`; the module is a file beside the spec or an installed
one."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from os.path import isfile  # unlike Path.is_file, returns false for names that are too long
from pathlib import Path
from typing import Any

from sim_core.base.errors import ConfigError, OdesimError, hint
from sim_core.base.trust import require_trust, trust_issues_of_modules


def find_code(name: str, folder: Path) -> Callable[..., Any]:
    """Return the function or class `module:name`.

    Args:
        name: the module (`avoider`, `pkg.avoider`) and the name in it.
        folder: folder that is searched first.

    Raises:
        ConfigError: there is no such module or name, it is not trusted, it raises when it is imported, or it
            cannot be called.
    """
    module_name, colon, attribute = name.partition(":")
    if not (colon and module_name and attribute):
        raise ConfigError(f'found "{name}", expected module:function')
    module = _module(module_name, folder)
    found = getattr(module, attribute, None)
    if not callable(found):
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise ConfigError(
            f'found no function "{attribute}" in {module.__file__}, expected one of '
            f"{', '.join(names) or 'none'}{hint(attribute, names)}"
        )
    return found


def check_call(name: str, code: Callable[..., Any], positional: int, keywords: Mapping[str, Any]) -> None:
    """Check that a function can be called with these arguments.

    Raises:
        ConfigError: it has other arguments.
    """
    try:
        signature = inspect.signature(code)
    except (TypeError, ValueError):  # the signature of compiled code is not known
        return
    try:
        signature.bind(*([None] * positional), **keywords)
    except TypeError as error:
        raise ConfigError(f"{name}{signature}: {error}") from None


def with_seed(code: Callable[..., Any], own: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the arguments, with the run's seed if the function has an argument `seed`."""
    try:
        takes_seed = "seed" in inspect.signature(code).parameters
    except (TypeError, ValueError):
        takes_seed = False
    return ({"seed": seed} if takes_seed else {}) | dict(own)


def one_line(error: BaseException) -> str:
    """Return a one-line description of an exception, with the last line of the user's own code in its
    traceback."""
    text = " ".join(str(error).split())
    if isinstance(error, OdesimError):
        return text
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    here = str(Path(__file__).parents[2])
    places = [
        place
        for place in traceback.extract_tb(error.__traceback__)
        if not place.filename.startswith(here) and "/lib/python" not in place.filename
    ]
    return f"{message} ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else message


def _module(name: str, folder: Path) -> Any:
    """Return a module: a file beside the spec takes precedence."""
    file = folder.joinpath(*name.split(".")).with_suffix(".py").resolve()
    require_trust(trust_issues_of_modules(file))
    known = sys.modules.get(name)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))  # so that it can import modules beside it
    try:
        if not isfile(file):
            return known or importlib.import_module(name)
        if known is not None and Path(getattr(known, "__file__", None) or "").resolve() == file:
            return known
        if "." in name:
            return importlib.import_module(name)
        made = importlib.util.spec_from_file_location(name, file)
        assert made is not None and made.loader is not None  # it is a Python file
        module = importlib.util.module_from_spec(made)
        if known is None:  # another module of this name is kept
            sys.modules[name] = module
        made.loader.exec_module(module)
        return module
    except ModuleNotFoundError as error:
        if error.name == name:
            raise ConfigError(f'found no module "{name}", expected {file}, or an installed one') from None
        raise ConfigError(f"{name}: {one_line(error)}") from None
    except Exception as error:  # the user's module may raise anything when it is imported
        sys.modules.pop(name, None)
        raise ConfigError(f"{name}: {one_line(error)}") from None
