"""Prints the errors of all rows of the table in docs/physics.md, with the bounds that stand there.

PYTHONPATH=.:test/support python -m theory [PART OF A ROW'S NAME …]
"""

from __future__ import annotations

import sys

from theory.table import CASES, STEPS, bounds

for name, case in CASES.items():
    if not sys.argv[1:] or any(part in name for part in sys.argv[1:]):
        row = (f"{case(step):.3g} (≤ {bound:g})" for step, bound in zip(STEPS, bounds()[name], strict=True))
        print(f"{name}: {', '.join(row)}", flush=True)
