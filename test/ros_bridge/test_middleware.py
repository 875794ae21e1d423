import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from ros_bridge import middleware
from ros_bridge.controller_processes import Plan, environment
from sim_core.shipped import share_dir

PROFILE = str(share_dir() / "config" / "fast_dds.xml")
LIMIT = 20.0
BY_DEFAULT = 5 + 1 + round(LIMIT / 3.0)
"""Announcements that Fast DDS sends in the time limit if nobody asks it for more, at most."""
PARTICIPANT = 25
"""A number that no participant has here; those from 0 to 31 are announced to."""


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (middleware.TRANSPORTS, *middleware.PROFILES):
        monkeypatch.setenv(name, "")  # so that what is set here is undone
        monkeypatch.delenv(name)


def test_a_simulation_announces_itself_more_often_than_fast_dds_does_by_itself(
    world_file: Any, simulate: Any
) -> None:
    """On the port of a participant (RTPS, 9.6.2.3): PB + DG·domain + d1 + PG·participant."""
    port = 7400 + 250 * int(os.environ["ROS_DOMAIN_ID"]) + 10 + 2 * PARTICIPANT
    announcements = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", port))
        listener.settimeout(LIMIT)
        simulate(world_file(), mode="paused")
        end = time.monotonic() + LIMIT
        while announcements <= 2 * BY_DEFAULT and time.monotonic() < end:
            announcements += listener.recv(65536)[:4] == b"RTPS"
    assert announcements > 2 * BY_DEFAULT


def test_what_the_user_has_chosen_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(middleware.PROFILES[0], "mine.xml")
    monkeypatch.setenv(middleware.TRANSPORTS, "SHM")
    middleware.prepare()
    assert os.environ[middleware.PROFILES[0]] == "mine.xml"
    assert middleware.PROFILES[1] not in os.environ
    assert os.environ[middleware.TRANSPORTS] == "SHM"


def test_a_profile_in_the_current_folder_stays_in_force(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / middleware.LOCAL_PROFILES[0]).write_text("<dds/>")
    monkeypatch.chdir(tmp_path)
    middleware.prepare()
    assert not any(name in os.environ for name in middleware.PROFILES)


@pytest.mark.parametrize(("distribution", "name"), [("jazzy", 1), ("kilted", 0), ("", 0)])
def test_each_fast_dds_gets_the_variable_that_it_reads(
    monkeypatch: pytest.MonkeyPatch, distribution: str, name: int
) -> None:
    monkeypatch.setenv("ROS_DISTRO", distribution)
    middleware.prepare()
    assert os.environ[middleware.PROFILES[name]] == PROFILE
    assert middleware.PROFILES[1 - name] not in os.environ


@pytest.mark.parametrize("is_simulation", [False, True])
def test_controllers_have_the_transports_but_not_the_profile(
    monkeypatch: pytest.MonkeyPatch, is_simulation: bool
) -> None:
    middleware.prepare(is_simulation)
    plan = Plan("robot", "swarm", ["python"], None)
    made = environment(plan, None)
    assert made[middleware.TRANSPORTS] == "UDPv4"
    assert not any(name in made for name in middleware.PROFILES)
    monkeypatch.setenv(middleware.PROFILES[0], "mine.xml")
    assert environment(plan, None)[middleware.PROFILES[0]] == "mine.xml"
