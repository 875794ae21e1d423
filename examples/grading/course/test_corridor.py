"""The exercise: drive along the corridor, and stop in front of the wall without touching it."""

import pytest

pytestmark = pytest.mark.world("worlds/corridor.wbt", wall_limit=20.0)


def test_it_comes_near_the_wall(world):
    world.run_until(lambda: world.pose("ROBOT").position[0] > 0.7, within=20.0, what="it is near the wall")


def test_it_stops_without_touching_the_wall(world):
    world.run_until(lambda: world.pose("ROBOT").position[0] > 0.7, within=20.0, what="it is near the wall")
    world.run_for(3.0)
    assert "wall" not in world.touched("e-puck")
    before = world.pose("ROBOT").position
    world.run_for(1.0)
    assert world.pose("ROBOT").position == pytest.approx(before, abs=1e-3), "it has not stopped"
