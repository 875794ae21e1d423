from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.alarm import NEVER
from sim_core.base.schedule import Schedule


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.integers(1, 60))
def test_each_item_comes_at_the_multiples_of_its_period(periods: list[int], end: int) -> None:
    schedule: Schedule[str] = Schedule()
    names = [f"item{i}" for i in range(len(periods))]
    for name, period in zip(names, periods, strict=True):
        schedule.add(name, period)
    seen: dict[str, list[int]] = {name: [] for name in names}
    for time in range(1, end + 1):
        due = schedule.due(time)
        assert due == sorted(due, key=names.index), "items come in the order in which they were added"
        for name in due:
            seen[name].append(time)
    for name, period in zip(names, periods, strict=True):
        assert seen[name] == list(range(period, end + 1, period))


def test_next_ns_is_the_earliest_due_time() -> None:
    schedule: Schedule[str] = Schedule()
    assert schedule.next_ns == NEVER
    schedule.add("slow", 7)
    schedule.add("fast", 3)
    assert schedule.next_ns == 3
    schedule.due(3)
    assert schedule.next_ns == 6
    schedule.remove("fast")
    assert schedule.next_ns == 7


def test_an_item_added_later_counts_from_then() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.add("a", 10, start_ns=4)
    assert [t for t in range(40) if schedule.due(t)] == [14, 24, 34]


def test_restart_counts_from_zero_again() -> None:
    schedule: Schedule[str] = Schedule()
    schedule.add("a", 10)
    for time in range(25):
        schedule.due(time)
    schedule.restart_periods()
    assert schedule.next_ns == 10
