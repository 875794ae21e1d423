"""Looks for a regular expression in names: a program of its own, as some take for ever and cannot be stopped.

It reads `[expression, [name, …]]` in JSON from standard input, and writes whether it stands in each name, or
why it is no regular expression. It may take `SECONDS` of a processor and `MEMORY`, and ends where it would
take more.
"""

import json
import re
import resource
import sys

SECONDS = 1
MEMORY = 512 << 20
"""Bytes of addresses."""


def main() -> None:
    """Answer, once."""
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
