"""Sizes are held against limits before anything of that size is made, and said in one line."""

from __future__ import annotations

import re
import struct
import tracemalloc
import wave
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from ros_bridge.cli.__main__ import main
from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.limits import LIMITS, VARIABLE, limit
from sim_core.devices.sound.sound_file import read_clip
from sim_core.scene.meshes.picture_files import PictureError, read_picture

DOCS = Path(__file__).resolve().parents[3] / "docs"
DEVICES = {
    "camera_pixels": "Camera { width 8192 height 8192 }",
    "display_pixels": "Display { width 16384 height 16384 }",
    "distance_rays": "DistanceSensor { numberOfRays 5000000 aperture 1 }",
    "lidar_rays": "Lidar { horizontalResolution 100000000 numberOfLayers 1000 }",
    "grid_points": "Shape { geometry ElevationGrid { xDimension 100000 yDimension 100000 } }",
}


def header_of_a_picture(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says that it is as large as this."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("name", DEVICES)
def test_a_world_that_asks_for_too_much(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = tmp_path / "w.wbt"
    world.write_text(f"#VRML_SIM R2025a utf8\nRobot {{ children [\n{DEVICES[name]} ] }}\n", encoding="utf-8")
    main(["check", str(world)])
    said = [line for line in capsys.readouterr().err.splitlines() if f"at most {LIMITS[name]}" in line]
    assert len(said) == 1
    assert re.search(rf"{re.escape(str(world))}:[34]:\d+: .*{VARIABLE}={name}=NUMBER", said[0])


def test_a_picture_of_a_few_bytes_that_would_take_much_memory(tmp_path: Path) -> None:
    (tmp_path / "big.png").write_bytes(header_of_a_picture(9000, 9000))
    with pytest.raises(PictureError, match=f"9000 x 9000 pixels, .*{VARIABLE}=picture_pixels=NUMBER"):
        read_picture(tmp_path / "big.png")


@pytest.mark.parametrize("asked", ["seeds: 300000000", "sample: {count: 300000000}"])
def test_a_sweep_of_too_many_runs(asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(f"world: wall_follower\nduration: 1\nrobots: [none]\n{asked}\n", encoding="utf-8")
    assert main(["batch", str(file)]) == 2
    assert f"{VARIABLE}=runs=NUMBER" in capsys.readouterr().err


def test_a_sound_of_too_many_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(20))
    monkeypatch.setenv(VARIABLE, "sound_frames=9")
    with pytest.raises(CommandError, match=f"found 10 frames, .*{VARIABLE}=sound_frames"):
        read_clip(tmp_path / "a.wav")


def test_limits_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "runs=7 lidar_rays=8")
    assert (limit("runs"), limit("lidar_rays"), limit("grid_points")) == (7, 8, LIMITS["grid_points"])


@pytest.mark.parametrize("text", ["rnus=7", "runs", "runs=-1", "runs=0", "runs=x", "runs=" + "9" * 5000])
def test_what_raises_nothing_is_said(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ConfigError, match=f"{VARIABLE}: found"):
        limit("runs")


def test_the_table_in_the_docs_is_this_one() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", (DOCS / "security.md").read_text(encoding="utf-8"), re.M)
    assert {name: int(number) for name, number in rows} == LIMITS


def test_a_name_too_long_for_a_file_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sweep.yaml"
    for text in (f"world: {'w' * 300}", f"world: wall_follower\nrun: {'m' * 300}:f"):
        file.write_text(f"{text}\nduration: 1\n", encoding="utf-8")
        assert main(["batch", str(file)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_length_that_is_not_there_takes_no_memory(tmp_path: Path) -> None:
    whole = header_of_a_picture(64, 64)
    at = whole.index(b"IDAT")
    (tmp_path / "a.png").write_bytes(whole[: at - 4] + struct.pack(">I", 0x7FFFFFF0) + whole[at:])
    tracemalloc.start()
    with suppress(PictureError):
        read_picture(tmp_path / "a.png")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 << 20


def test_a_torn_tiff_is_refused_and_nothing_is_said_besides(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """libtiff writes to standard error by itself."""
    from PIL import Image

    file = tmp_path / "torn.tiff"
    Image.new("RGB", (300, 10), "red").save(file, compression="tiff_lzw")
    whole = file.read_bytes()
    at = whole.index(struct.pack("<HHI", 279, 4, 1))  # StripByteCounts: as many bytes as are not there
    file.write_bytes(whole[: at + 8] + struct.pack("<I", 1 << 20) + whole[at + 12 :])
    with pytest.raises(PictureError, match="no picture"):
        read_picture(file)
    assert capfd.readouterr().err == ""
