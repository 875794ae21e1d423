"""Labels: texts shown over the world."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim_core.base.errors import CommandError
from sim_core.base.state import State, Stateful
from sim_core.recording.label_pictures import Label

COUNT = 100
"""Number of labels; they are numbered from 0."""


@dataclass(eq=False)
class LabelsState(State):
    """Labels by number."""

    labels: dict[int, Label] = field(default_factory=dict)


class WorldLabels(Stateful):
    """Labels of a world by number; a label replaces the one with the same number."""

    state: LabelsState

    def __init__(self) -> None:
        self.state = LabelsState()

    def set_label(self, number: int, label: Label | None) -> None:
        """Show a label with a number; None or an empty text removes it.

        Raises:
            CommandError: a value is out of range.
        """
        if not 0 <= number < COUNT:
            raise CommandError(f"label: found number {number}, expected 0 to {COUNT - 1}")
        if label is None or not label.text:
            self.state.labels.pop(number, None)
            return
        if not _is_text(label.text + label.font):
            raise CommandError(f"label {number}: found {label.text!r} in {label.font!r}, expected a text")
        if not (math.isfinite(label.x) and math.isfinite(label.y) and 0.0 < label.size <= 1.0):
            found = f"place {label.x} {label.y} and size {label.size}"
            raise CommandError(f"label {number}: found {found}, expected finite numbers and a size up to 1")
        if len(label.colour) != 3 or not all(
            0.0 <= each <= 1.0 for each in (*label.colour, label.transparency)
        ):
            found = f"colour {label.colour} and transparency {label.transparency}"
            raise CommandError(f"label {number}: found {found}, expected numbers from 0 to 1")
        self.state.labels[number] = label

    def remove_labels(self) -> None:
        """Remove all labels."""
        self.state.labels.clear()

    def items(self) -> list[tuple[int, Label]]:
        """Return numbers and labels, sorted by number."""
        return sorted(self.state.labels.items())


def _is_text(text: str) -> bool:
    """Return whether a text can be encoded: half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
