"""Domains that processes of odesim take."""

import fcntl
import os
from pathlib import Path

import pytest

from ros_bridge.base import ros_domain
from sim_core.base.errors import ConfigError


def test_processes_share_no_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ros_domain.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ros_domain, "_domain", None)
    with (tmp_path / f"odesim-{os.getuid()}-domain-90").open("ab") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        assert ros_domain.take_domain(90) == 91 == ros_domain.take_domain(90)
    ros_domain._domain[1].close()
    monkeypatch.setattr(ros_domain, "_domain", None)
    with (tmp_path / f"odesim-{os.getuid()}-domain-101").open("ab") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match="all from 101 to 101 taken"):
            ros_domain.take_domain(101)
