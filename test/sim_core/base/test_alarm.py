from sim_core.base.alarm import NEVER, Alarm, TimedCalls


def test_calls_are_due_when_the_first_of_them_is() -> None:
    first, second, made = Alarm(), Alarm(), []
    calls = TimedCalls([(first, lambda now: made.append(("first", now))), (second, made.append)])
    assert calls.next_ns == NEVER == TimedCalls().next_ns
    second.set(7)
    assert calls.next_ns == 7
    first.set(5)
    assert calls.next_ns == 5
    calls.make(5)
    assert made == [("first", 5)]
    first.set(NEVER)
    calls.make(5)
    assert made == [("first", 5)] and calls.next_ns == 7
    first.set(8)
    calls.make(9)
    assert made == [("first", 5), ("first", 9), 9]


def test_a_call_may_set_its_own_alarm_and_others() -> None:
    first, second, made = Alarm(), Alarm(), []

    def act(now: int) -> None:
        made.append(now)
        first.set(now + 10)
        second.set(now)

    calls = TimedCalls([(first, act), (second, lambda now: (made.append(-now), second.set(NEVER)))])
    first.set(0)
    calls.make(0)
    assert made == [0, 0] and calls.next_ns == 10
    calls.make(10)
    assert made == [0, 0, 10, -10] and calls.next_ns == 20


def test_an_alarm_belongs_to_the_calls_that_were_created_last() -> None:
    alarm = Alarm()
    before, after = (TimedCalls([(alarm, print)]) for _ in range(2))
    alarm.set(3)
    assert (before.next_ns, after.next_ns) == (NEVER, 3)
