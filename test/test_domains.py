"""The domains that tests take."""

import fcntl
import os
import socket
from pathlib import Path

import domains
import pytest


def test_a_domain_is_taken_once_and_not_where_somebody_has_its_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domains.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(domains, "LAST", 3)
    monkeypatch.setattr(domains, "FIRST_PORT", 20_000)
    with (
        (tmp_path / f"odesim-{os.getuid()}-domain-1").open("ab") as locked,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard,
    ):
        fcntl.flock(locked, fcntl.LOCK_EX)
        heard.bind(("127.0.0.1", 20_000 + 2 * domains.PORTS + 10))
        for _ in range(5):
            with domains.free_domain() as number:
                assert number == 3
        heard.close()
        with domains.free_domain() as one, domains.free_domain() as other:
            assert {one, other} == {2, 3}
