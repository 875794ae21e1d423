"""Schedule of periodic items, in integer nanoseconds of sim time."""

from __future__ import annotations

from typing import Generic, TypeVar

from sim_core.base.alarm import NEVER, Alarm
from sim_core.base.clock import SampleTimer

T = TypeVar("T")


class Schedule(Alarm, Generic[T]):
    """Items that are due at the multiples of their periods, in the order in which they were added.

    Items with the same period share a timer, so that one comparison tells whether anything is due, and three
    hundred sensors add no cost beyond their samples.
    """

    def __init__(self) -> None:
        super().__init__()
        self._order: dict[int, int] = {}
        self._groups: dict[tuple[int, int], tuple[SampleTimer, list[T]]] = {}
        self._count = 0

    def add(self, item: T, period_ns: int, start_ns: int = 0) -> None:
        """Add an item that is due at `start_ns` + 1, 2, 3… periods."""
        key = (period_ns, start_ns % period_ns)
        timer, items = self._groups.setdefault(key, (SampleTimer(period_ns, start_ns), []))
        items.append(item)
        self._order[id(item)] = self._count
        self._count += 1
        self.set(min(self.next_ns, timer.next_ns))

    def remove(self, item: T) -> None:
        """Remove an item; an unknown one is ignored."""
        for key, (_, items) in list(self._groups.items()):
            if item in items:
                items.remove(item)
                del self._order[id(item)]
                if not items:
                    del self._groups[key]
        self._find_next()

    def due(self, time_ns: int) -> list[T]:
        """Return the items due at a time; each once, however late this is called."""
        if time_ns < self.next_ns:
            return []
        lists = []
        next_ns = NEVER
        for timer, items in self._groups.values():
            if timer.due(time_ns):
                lists.append(items)
            if timer.next_ns < next_ns:
                next_ns = timer.next_ns
        self.set(next_ns)
        if len(lists) == 1:
            return list(lists[0])
        return sorted((item for items in lists for item in items), key=lambda item: self._order[id(item)])

    def timers(self) -> dict[tuple[int, int], int]:
        """Return the next due time of each period and phase, all in ns."""
        return {key: timer.next_ns for key, (timer, _) in self._groups.items()}

    def set_timers(self, timers: dict[tuple[int, int], int], time_ns: int) -> None:
        """Continue with the timers of a sim time; periods added since then are counted from that time."""
        for key, (timer, _) in self._groups.items():
            period_ns, phase_ns = key
            before_ns = time_ns - (time_ns - phase_ns) % period_ns
            timer.next_ns = timers.get(key, before_ns + period_ns)
        self._find_next()

    def clear(self) -> None:
        """Remove all items."""
        self._groups.clear()
        self._order.clear()
        self._find_next()

    def restart_periods(self) -> None:
        """Count all periods from time 0 again."""
        for (_, phase_ns), (timer, _) in self._groups.items():
            timer.start_at(phase_ns)
        self._find_next()

    def _find_next(self) -> None:
        self.set(min((timer.next_ns for timer, _ in self._groups.values()), default=NEVER))
