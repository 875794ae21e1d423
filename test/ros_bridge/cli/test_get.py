"""`odesim get libcontroller`: what is kept of an archive, and what is refused."""

import io
import re
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ros_bridge.cli.__main__ import main
from ros_bridge.cli.get_libcontroller import digest, get_libcontroller
from ros_bridge.controller_api.libcontroller import find_libcontroller
from sim_core.base.errors import ConfigError

OF_LIBCONTROLLER = {
    "lib/linux-gnu/libController.so": "lib/controller/libController.so",
    "lib/linux-gnu/python/controller/wb.py": "lib/controller/python/controller/wb.py",
    "lib/msys/Controller.dll": None,
    "include/c/webots/robot.h": "include/controller/c/webots/robot.h",
    "include/cpp/webots/Robot.hpp": "include/controller/cpp/webots/Robot.hpp",
    "include/c/../../../../away.h": None,
    "README.md": None,
}
OF_WEBOTS = {
    "lib/controller/libController.so": "lib/controller/libController.so",
    "include/controller/c/webots/robot.h": "include/controller/c/webots/robot.h",
    "resources/version.txt": "resources/version.txt",
    "lib/webots/libQt6Core.so.6": None,
}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEBOTS_HOME", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server on this machine with the files of a folder."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def archive(file: Path, names: dict[str, str | None]) -> Path:
    """Of files whose content is their name; in "folder/", as both archives have it."""
    with tarfile.open(file, "w:gz") as made:
        for name in names:
            member = tarfile.TarInfo(f"folder/{name}")
            member.size = len(name)
            made.addfile(member, io.BytesIO(name.encode()))
        link = tarfile.TarInfo("folder/include/c/webots/link.h")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    return file


@pytest.mark.parametrize("names", [OF_LIBCONTROLLER, OF_WEBOTS])
def test_what_is_kept_of_an_archive(tmp_path: Path, names: dict[str, str | None]) -> None:
    home = get_libcontroller(str(archive(tmp_path / "a.tar.gz", names)))
    kept = {path.relative_to(home).as_posix(): path.read_text() for path in home.rglob("*") if path.is_file()}
    assert kept == {target: name for name, target in names.items() if target}
    found = find_libcontroller()
    assert found is not None and found.home == home
    assert [path.name for path in home.parent.iterdir()] == ["libcontroller"]


def test_a_second_one_takes_the_place_of_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive(tmp_path / "a.tar.gz", OF_LIBCONTROLLER)
    archive(tmp_path / "R2023a.tar.gz", {"lib/linux-gnu/libController.so": None})
    for name in ("a.tar.gz", "R2023a.tar.gz"):
        assert main(["get", "libcontroller", "--from", str(tmp_path / name)]) == 0
    home = tmp_path / "data/odesim/libcontroller"
    said = capsys.readouterr()
    assert said.out.splitlines()[1] == f"{home}: libController R2023a"
    assert "Apache License 2.0" in said.err
    assert not (home / "include").exists()


def test_the_network_must_give_what_was_released(tmp_path: Path, address: str) -> None:
    home = get_libcontroller(str(archive(tmp_path / "R2023a.tar.gz", OF_LIBCONTROLLER)))
    (home / "resources/version.txt").unlink()
    (home / "resources").rmdir()
    contents = digest(home)
    assert get_libcontroller(None, f"{address}/R2023a.tar.gz", contents) == home
    assert find_libcontroller().version == "R2023a"  # type: ignore[union-attr]
    archive(tmp_path / "R2023a.tar.gz", OF_WEBOTS)
    with pytest.raises(ConfigError, match=rf"SHA-256 [0-9a-f]{{64}}, expected {contents}: not used"):
        get_libcontroller(None, f"{address}/R2023a.tar.gz", contents)
    assert (home / "include/controller/cpp").is_dir()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing.tar.gz", "No such file"),
        ("text.tar.gz", "could not be opened"),
        ("cut.tar.gz", "end"),
        ("empty.tar.gz", "found no lib/controller/libController.so, expected one"),
    ],
)
def test_archives_of_no_use(tmp_path: Path, name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.tar.gz").write_text("a text\n" * 1000)
    whole = archive(tmp_path / "whole.tar.gz", OF_WEBOTS).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    archive(tmp_path / "empty.tar.gz", {"README.md": None})
    assert main(["get", "libcontroller", "--from", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 2 and re.search(said, error[1]) and str(tmp_path / name) in error[1]
    assert find_libcontroller() is None


def test_no_network(address: str) -> None:
    with pytest.raises(ConfigError, match=f"{address}/none.tar.gz: File not found; .* --from FILE"):
        get_libcontroller(None, f"{address}/none.tar.gz", "")
