"""Results by submission: a table as CSV, and a page for the browser."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from ros_bridge.testing.failed_runs import EXPLANATION, FILM, folder_of_failure
from sim_core.base.html_page import escaped, table, write_page

SUBMISSION = "submission"
"""Property of a test: the name of the submission."""
PASSED, NOT_RUN = "passed", "not run"


def reason_of(report: pytest.TestReport) -> str:
    """Return why a test failed, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return str(text).splitlines()[0].removeprefix("AssertionError: ")


class Grades:
    """Collects the results by submission, and writes them at the end."""

    def __init__(self, csv_file: Path | None, page: Path | None) -> None:
        """Collect none yet.

        Args:
            csv_file: the table to write; None: none.
            page: the page to write; None: none.
        """
        self._csv_file, self._page = csv_file, page
        self._results: dict[str, dict[str, tuple[str, str]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the result of a test; also one whose fixture failed."""
        if report.when != "call" and not report.failed:
            return
        submission = str(dict(report.user_properties).get(SUBMISSION, ""))
        test, _, parameters = report.nodeid.partition("[")
        others = parameters.removesuffix("]").replace(submission, "", 1).strip("-")
        test += f"[{others}]" if others else ""
        results = self._results.setdefault(submission, {})
        if results.get(test, (PASSED, ""))[0] == PASSED:  # the first failure counts
            results[test] = reason_of(report) if report.failed else PASSED, report.nodeid

    def pytest_sessionfinish(self) -> None:
        """Write the files."""
        tests = sorted({test for results in self._results.values() for test in results})
        if self._csv_file is not None:
            with self._csv_file.open("w", newline="", encoding="utf-8") as stream:
                writer = csv.writer(stream)
                writer.writerow(["submission", "passed", "of", *tests])
                writer.writerows(self._rows(tests, lambda reason, _: reason))
        if self._page is not None:
            place = self._page.resolve().parent
            columns = ["submission", "passed", "of", *(test.rpartition("::")[2] for test in tests)]
            write_page(
                self._page,
                "Grades",
                [table(columns, self._rows(tests, lambda reason, test: _cell(reason, test, place)))],
            )

    def _rows(self, tests: list[str], cell: Callable[[str, str], str]) -> list[list[str]]:
        """Return a row for each submission; `cell` takes the reason and the id of a test."""
        rows = []
        for name, results in sorted(self._results.items()):
            passed = sum(reason == PASSED for reason, _ in results.values())
            cells = [cell(*results.get(test, (NOT_RUN, ""))) for test in tests]
            rows.append([name, str(passed), str(len(tests)), *cells])
        return rows


def _cell(reason: str, test: str, place: Path) -> str:
    """Return the cell of a result as HTML, with what is kept of a failed run; `place`: folder of the page."""
    if reason == PASSED:
        return f'<span class="good">{PASSED}</span>'
    parts = [f'<span class="bad">{escaped(reason)}</span>']
    folder = folder_of_failure(test)
    if test and (folder / EXPLANATION).is_file():
        parts.append(f"<pre>{escaped((folder / EXPLANATION).read_text(encoding='utf-8'))}</pre>")
    if test and (folder / FILM).is_file():
        link = os.path.relpath(folder / FILM, place)
        parts.append(f'<a href="{quote(link)}">film</a>')
    return "".join(parts)
