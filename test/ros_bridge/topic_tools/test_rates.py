"""Output of `hz` and `bw` for received messages."""

from ros_bridge.topic_tools.rates import Rate, Times, _table


def filled(gaps: list[float], window: int = 100, size: int = 100) -> Times:
    times, now = Times(window), 10.0
    times.add_message(now, size)
    for gap in gaps:
        now += gap
        times.add_message(now, size)
    return times


def test_a_rate_is_that_of_the_window() -> None:
    rate = filled([1.0, 0.25, 0.5, 0.25], window=3).rate()
    assert rate is not None and rate.window == 3
    assert rate.rate == 3.0 and (rate.least, rate.most) == (0.25, 0.5)
    assert abs(rate.deviation - (2 / 9 * 0.25**2) ** 0.5) < 1e-12


def test_nothing_is_said_twice_or_of_one_message() -> None:
    assert filled([]).rate() is None
    times = filled([0.5])
    assert times.rate() is not None and times.rate() is None


def test_where_time_goes_back_all_begins_anew() -> None:
    times = filled([1.0, 1.0])
    for now in (0.0, 0.5):
        times.add_message(now, 1)
    rate = times.rate()
    assert rate is not None and (rate.rate, rate.window) == (2.0, 1)


def test_bytes_have_the_unit_that_fits() -> None:
    assert filled([1.0]).bandwidth(12.0) == (
        "100 B/s from 2 messages\n\tMessage size mean: 100 B min: 100 B max: 100 B"
    )
    assert filled([1.0], size=1_500_000).bandwidth(12.0) == (
        "1.50 MB/s from 2 messages\n\tMessage size mean: 1.50 MB min: 1.50 MB max: 1.50 MB"
    )
    assert filled([]).bandwidth(12.0) is None


def test_several_topics_are_a_table() -> None:
    text = _table({"/a": Rate(10.0, 0.1, 0.1, 0.0, 9), "/longer": Rate(2.5, 0.4, 0.4, 0.0, 2)})
    head, rule, first, second, end = text.split("\n")
    assert head.split() == ["topic", "rate", "min_delta", "max_delta", "std_dev", "window"]
    assert set(rule) == {"="} and len(rule) == len(first) == len(second) and end == ""
    assert second.split() == ["/longer", "2.500", "0.400", "0.400", "0.00000", "2"]
