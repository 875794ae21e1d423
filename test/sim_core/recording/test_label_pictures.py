"""Labels on pictures have their positions and sizes."""

import numpy as np

from sim_core.recording.label_pictures import Label, with_labels

GREY = np.full((200, 400, 3), 100, np.uint8)


def marked(picture: np.ndarray) -> tuple[int, int, int, int]:
    """Return first and last row, first and last column that differ from the grey."""
    rows, columns = np.nonzero((picture != GREY).any(axis=2))
    return rows.min(), rows.max(), columns.min(), columns.max()


def test_a_label_begins_at_its_place_and_is_as_high_as_it_says() -> None:
    picture = with_labels(GREY, [Label("HHH", x=0.25, y=0.5, size=0.2, colour=(1.0, 0.0, 0.0))])
    top, bottom, left, right = marked(picture)
    assert 100 <= top < bottom <= 100 + 1.3 * 40
    assert bottom - top > 0.5 * 40  # capitals are about 0.7 of the size of a font
    assert 100 <= left < 110 < right < 240
    assert (picture == (255, 0, 0)).all(axis=2).sum() > 100
    assert (GREY == 100).all()


def test_a_transparent_label_lets_the_picture_through_in_its_part() -> None:
    picture = with_labels(GREY, [Label("HHH", size=0.5, colour=(1.0, 1.0, 1.0), transparency=0.75)])
    assert abs(int(picture.max()) - (0.75 * 100 + 0.25 * 255)) <= 1
    assert (with_labels(GREY, [Label("HHH", size=0.5, transparency=1.0)]) == GREY).all()


def test_later_labels_lie_over_earlier_ones() -> None:
    labels = [Label("HHH", size=0.5, colour=(1.0, 0.0, 0.0)), Label("HHH", size=0.5, colour=(0.0, 0.0, 1.0))]
    picture = with_labels(GREY, labels)
    assert (picture == (0, 0, 255)).all(axis=2).sum() > 500
    assert not (picture == (255, 0, 0)).all(axis=2).any()
