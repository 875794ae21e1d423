"""For all tests: a ROS domain of their own; no limit of time for an example of a property.

How long an example takes says nothing on a busy machine.
"""

from collections.abc import Iterator

import pytest
from domains import free_domain
from hypothesis import settings

settings.register_profile("odesim", deadline=None)
settings.load_profile("odesim")


@pytest.fixture(scope="module", autouse=True)
def own_domain() -> Iterator[None]:
    """No other ROS on this machine or its network is heard, and none hears us."""
    with free_domain() as number, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(number))
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        yield
