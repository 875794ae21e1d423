"""For all tests: a ROS domain of their own; no limit of time for an example of a property; long files first.

How long an example takes says nothing on a busy machine.
"""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from domains import free_domain
from hypothesis import settings

from ros_bridge.base import middleware
from ros_bridge.base.installed_ros import has_fast_dds_2

# launch's plug-in of pytest lets all loggers made from here on be of a kind that pytest hears nothing of
logging.setLoggerClass(logging.Logger)
settings.register_profile("odesim", deadline=None)
settings.load_profile("odesim")

ROOT = Path(__file__).resolve().parents[1]
LONGEST = (
    "test/ros_bridge/test_identical_twice.py",
    "test/siege/test_siege.py",
    "test/test_tutorial.py",
    "test/ros_bridge/node/test_sim_node.py",
    "test/ros_bridge/viewer/test_panels_in_browser.py",
    "test/ros_bridge/viewer/test_in_browser.py",
    "test/ros_bridge/viewer/test_book_in_browser.py",
    "test/sim_core/recording/test_animation.py",
    "test/siege/test_environment.py",
    "test/test_adding_a_device.py",
    "test/test_site.py",
    "test/test_without_ros.py",
    "test/test_migration_docs.py",
    "test/sim_core/recording/test_movie.py",
    "test/sim_core/session/test_snapshot.py",
    "test/sim_core/session/supervision/test_robots_that_go.py",
    "test/worlds/test_shipped_worlds.py",
    "test/sim_core/experiments/sweep/test_sweep.py",
    "test/sim_core/experiments/sweep/test_cluster.py",
    "test/ros_bridge/test_controller_api.py",
    "test/ros_bridge/test_demo_worlds.py",
    "test/ros_bridge/recorder/test_replay.py",
    "test/ros_bridge/test_controller_supervisor.py",
    "test/ros_bridge/operator/test_station.py",
    "test/ros_bridge/viewer/test_scene_in_browsers.py",
)
"""Files that take about half a minute or more: they begin, so that no worker is left with one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; all others stay in their order."""
    ranks = {ROOT / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.fixture(scope="module", autouse=True)
def own_domain() -> Iterator[None]:
    """No other ROS on this machine or its network is heard, and none hears us."""
    with free_domain() as number, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(number))
        # what a simulation with the range LOCALHOST sets for the nodes that it starts: no shared memory
        patch.setenv(middleware.RANGE, middleware.OF_PROFILE)
        # Fast DDS 2 reads only this one as it is
        profile = "fast_dds.xml" if has_fast_dds_2() else "fast_dds_controllers.xml"
        patch.setenv(middleware.PROFILES[has_fast_dds_2()], str(middleware.CONFIG_LOCALHOST / profile))
        patch.setenv("PYTHONFAULTHANDLER", "1")  # a process that crashes says where
        patch.delenv("PYTEST_ADDOPTS", raising=False)  # of colcon, for this run and none that tests start
        yield
