"""Searches names for a regular expression, as a separate program: some take endless time and must be killed.

It reads `[expression, [name, …]]` in JSON from standard input, and writes whether each name contains a match,
or why the expression is invalid. It is limited to `SECONDS` of processor time and `MEMORY`, and ends when it
exceeds them.
"""

import json
import re
import resource
import sys

SECONDS = 1
MEMORY = 512 << 20
"""Address space, bytes."""


def main() -> None:
    """Answer one request."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    expression, names = json.load(sys.stdin)
    answer: str | list[bool]
    try:
        pattern = re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        answer = str(error)
    else:
        answer = [pattern.search(name) is not None for name in names]
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
