"""Video files contain the pictures that were added, at the given rate."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import ConfigError
from sim_core.recording.video_file import VideoFile

av = pytest.importorskip("av", reason="needs the Python package av")
ROOT = Path(__file__).resolve().parents[3]
COLOURS = [(200, 30, 60), (20, 180, 240), (128, 128, 128), (250, 250, 5)]


def picture(index: int) -> np.ndarray:
    """Return two colours side by side, different in each picture."""
    found = np.zeros((48, 64, 3), np.uint8)
    found[:, :32], found[:, 32:] = COLOURS[index % 4], COLOURS[(index + 1) % 4]
    return found


def decoded(file: Path) -> list[np.ndarray]:
    with av.open(str(file)) as video:
        return [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]


@pytest.mark.parametrize("ending", [".mp4", ".webm", ".gif"])
def test_colours_and_times_come_back(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"m{ending}"
    video = VideoFile(file, 64, 48, 20.0, 90)
    for index in range(30):
        video.add_picture(picture(index // 5))
    video.close()
    frames = decoded(file)
    assert len(frames) == video.count == 30
    for index, frame in enumerate(frames):
        for column in (16, 48):
            difference = frame[24, column].astype(int) - picture(index // 5)[24, column]
            assert np.abs(difference).max() <= 6
    with av.open(str(file)) as read:
        assert read.duration == pytest.approx(1.5e6, abs=1.0e5)
        times = [float(frame.pts * frame.time_base) for frame in read.decode(video=0)]
    assert np.allclose(np.diff(times), 0.05, atol=1e-3)


def test_a_movie_whose_maker_was_killed_can_be_played(tmp_path: Path) -> None:
    """All but the seconds that the encoder still held are playable."""
    file = tmp_path / "m.mp4"
    code = (
        "import os, sys, numpy as np\n"
        "from sim_core.recording.video_file import VideoFile\n"
        "video = VideoFile(sys.argv[1], 64, 48, 25.0)\n"
        "noise = np.random.default_rng(1)\n"
        "for k in range(200):\n"
        "    video.add_picture(noise.integers(0, 256, (48, 64, 3), dtype=np.uint8))\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(file)], cwd=ROOT).returncode == 9
    assert len(decoded(file)) >= 100


@pytest.mark.parametrize(
    ("name", "how", "text"),
    [
        ("m.mov", {}, "expected .mp4, .webm, .avi or .gif"),
        ("m.mp4", {"width": 63}, "even number"),
        ("m.mp4", {"rate": 0.0}, "1 to 240"),
        ("m.mp4", {"rate": float("nan")}, "1 to 240"),
        ("m.mp4", {"quality": 101}, "1 to 100"),
        ("nowhere/m.mp4", {}, "there is no folder"),
    ],
)
def test_what_is_not_possible_is_refused_in_one_line(
    tmp_path: Path, name: str, how: dict[str, float], text: str
) -> None:
    with pytest.raises(ConfigError, match=text) as refusal:
        VideoFile(tmp_path / name, **({"width": 64, "height": 48, "rate": 25.0} | how))  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".mp4", ".webm", ".gif"])
def test_a_full_disk_is_an_error_and_no_end_of_the_process(tmp_path: Path, ending: str) -> None:
    """FFmpeg ends the process if a file is closed after a failed write."""
    code = """
import resource, sys
import numpy as np
from sim_core.base.errors import ConfigError
from sim_core.recording.video_file import VideoFile
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
noise = np.random.default_rng(1)
file = VideoFile(sys.argv[1], 96, 72, 25.0)
said = []
for _ in range(60):
    try:
        file.add_picture(noise.integers(0, 255, (72, 96, 3), np.uint8))
    except ConfigError as error:
        said.append(str(error))
try:
    file.close()
except ConfigError as error:
    said.append(str(error))
del file
print(set(said))
"""
    file = tmp_path / f"movie{ending}"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{{'{file}: cannot be written: File too large'}}\n"
    assert file.stat().st_size <= 20_000
