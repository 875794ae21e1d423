"""The undo stack of edits."""

from functools import partial

from ros_bridge.viewer.tree.history import MAX_CHANGES, EditHistory


def test_the_latest_change_is_taken_back_first() -> None:
    history, done = EditHistory(), []
    assert (history.latest, history.undo_last()) == ("", "")
    for number in range(MAX_CHANGES + 2):
        history.add_change(f"change {number}", lambda number=number: done.append(number))
    history.drop_latest()
    assert history.latest == f"change {MAX_CHANGES}"
    while history.undo_last():
        pass
    assert done == list(range(MAX_CHANGES, 1, -1))  # the oldest are dropped


def test_a_node_that_has_come_back_has_its_name_of_now() -> None:
    history = EditHistory()
    history.add_change("older", list)
    history.is_waiting = True  # until the name is known
    assert (history.latest, history.undo_last()) == ("", "")
    history.record_new_name("#3", "#7")
    assert history.latest == "older"
    history.record_new_name("#7", "#9")
    assert [history.current_name(each) for each in ("#3", "#7", "#9", "#1")] == ["#9", "#9", "#9", "#1"]
    history.clear_history()
    assert history.current_name("#3") == "#3"


def test_what_was_undone_is_made_again_until_there_is_another_change() -> None:
    history, done = EditHistory(), []
    for what in ("a", "b"):
        history.add_change(what, *(partial(done.append, f"{sign}{what}") for sign in "-+"))
    assert (history.latest_undone, history.redo_last()) == ("", "")
    assert [history.undo_last(), history.undo_last(), history.redo_last()] == ["b", "a", "a"]
    assert done == ["-b", "-a", "+a"]
    assert (history.latest, history.latest_undone) == ("a", "b")
    history.add_change("c", lambda: done.append("-c"))
    assert history.latest_undone == ""
    history.undo_last()
    assert history.latest_undone == "", "nobody knows how to make it again"
