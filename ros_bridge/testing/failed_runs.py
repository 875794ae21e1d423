"""What is kept of a run that failed: its bag, its explanation, and a film of its last seconds."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ros_bridge.parameters.options import RecordingOptions
from sim_core.base.errors import OdesimError

FAILURES = "odesim-failures"
"""Folder below the current one, for what is kept of runs that failed."""
FILM, EXPLANATION, OUTPUT = "last.mp4", "why.txt", "output.txt"
"""Besides the bag, what is in the folder of a failed run."""
FILM_SECONDS, FILM_SIZE = 10.0, "640x360"
"""Simulated seconds before the failure that are filmed, and pixels."""
LINES = 20
"""Lines of the output of controllers that are shown of a failed run."""


def last_lines(output: Path) -> str:
    """Return the end of a file with the output of controllers."""
    if not output.is_file():
        return "the controllers have written nothing"
    lines = output.read_text(encoding="utf-8").splitlines()
    title = f"output of the controllers, the last {min(LINES, len(lines))} of {len(lines)} lines:"
    return "\n".join([title, *lines[-LINES:]])


def keep(bag: Path, output: Path, test: str, end: float) -> str:
    """Keep what there is of a failed run.

    Args:
        bag: of the run.
        output: file with the output of its controllers, if they have written any.
        test: the id of the test.
        end: sim time in seconds at which it failed.

    Returns:
        Lines that say why it failed, and where everything is.
    """
    from ros_bridge.recorder.bag import Bag
    from ros_bridge.recorder.explain import KEPT_BAG, explain, explanation_text
    from ros_bridge.recorder.replay import Film

    folder = folder_of_failure(test)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(bag, folder / KEPT_BAG)
    if output.is_file():
        shutil.copyfile(output, folder / OUTPUT)
    film = Film(RecordingOptions(str(folder / FILM), FILM_SIZE), max(end - FILM_SECONDS, 0.0))
    try:
        with Bag(folder / KEPT_BAG) as recorded:
            # its programs have just run
            text = explanation_text(explain(recorded, decide_trust=lambda issues: None, film=film))
    except OdesimError as error:
        text = str(error)
    (folder / EXPLANATION).write_text(text + "\n", encoding="utf-8")
    return f"{text}\nkept: {folder}"


def folder_of_failure(test: str) -> Path:
    """Return the folder for what is kept of a failed test; `test` is its id."""
    return Path(FAILURES) / re.sub(r"[^\w.-]+", "_", test)
