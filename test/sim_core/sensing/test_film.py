"""Values of pictures for light."""

import numpy as np
import pytest

from sim_core.sensing.picture_view import GAMMA, film


@pytest.mark.filterwarnings("error")
def test_light_below_none_is_dark_however_far_below() -> None:
    """A Background may have a luminosity below 0."""
    assert film(np.array([-1e9, -1e-3, 0.0]), 2.0).tolist() == [0.0, 0.0, 0.0]


def test_light_is_shown_as_by_the_formula_and_never_above_white() -> None:
    half = -np.log1p(-(0.5**GAMMA))  # shown as half of white
    assert film(np.array([half, 1e9]), 1.0) == pytest.approx([127.5, 255.0])
