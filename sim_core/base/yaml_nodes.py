"""Reading YAML as nodes that know their lines; errors name them."""

from __future__ import annotations

from pathlib import Path

import yaml

from sim_core.base.errors import ConfigError


def compose_file(path: str | Path, what: str) -> yaml.Node | None:
    """The top node of a YAML file; None: the file is empty.

    Raises:
        ConfigError: it cannot be read, or is no YAML; `what`: what was expected.
    """
    try:
        return yaml.compose(Path(path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: found bytes that are no UTF-8 text, expected {what}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{place}: {problem}") from None
