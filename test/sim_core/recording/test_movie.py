"""Movies of a simulation: the sim time of each picture."""

from pathlib import Path

import numpy as np
import pytest
from pictures import needs_gl

from sim_core.base.errors import CommandError, ConfigError, DeviceError
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

av = pytest.importorskip("av", reason="needs the Python package av")
SPEED = 1.0
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 basicTimeStep 8 }
Viewpoint { position 0 0 10 orientation 0 1 0 1.5707963 fieldOfView 0.6 }
Background { skyColor 0 0 1 }
DEF BOX Robot { name "box"
  children [
    Shape {
      appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0 0 } }
      geometry Box { size 0.5 0.5 0.01 }
    }
    Camera { name "eye" translation 0.3 0 0 width 33 height 21 fieldOfView 1 }
  ]
  boundingObject Box { size 0.5 0.5 0.5 } physics Physics { }
}
"""
PIXELS_PER_METRE = 512.0 / np.tan(0.3) / 9.995
"""Of the box's upper side, in a picture of 1024 columns."""


def make() -> Simulation:
    """Return a box that slides along y, to the left in the picture."""
    sim = Simulation(parse_scene(WORLD, "w.wbt"))
    sim.supervisor.set_velocity("BOX", (0.0, SPEED, 0.0))
    return sim


def places(file: Path) -> np.ndarray:
    """Return the middle of the box in each picture: columns from the middle, to the left."""
    with av.open(str(file)) as video:
        pictures = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    reds = [picture[..., 0].astype(float) for picture in pictures]
    reds = [red.sum(axis=0) * (red.max(axis=0) > 60) for red in reds]
    found = [red @ np.arange(len(red)) / red.sum() for red in reds]
    return (len(reds[0]) - 1) / 2.0 - np.array(found)


@needs_gl
@pytest.mark.parametrize("speed", [1.0, 2.5])
def test_picture_k_shows_the_world_at_k_times_speed_over_fps(tmp_path: Path, speed: float) -> None:
    """Steps of 8 ms do not divide the time between pictures: each is less than one step late."""
    sim, file = make(), tmp_path / "m.mp4"
    sim.recordings.start_recording("movie", file, width=1024, height=96, fps=30, speed=speed, quality=95)
    sim.run(1.5)
    sim.recordings.stop_recording("movie")
    sim.close()
    found = places(file) / PIXELS_PER_METRE / SPEED
    times = np.arange(len(found)) * speed / 30.0
    assert len(found) == np.ceil(1.504 * 30.0 / speed)
    assert np.all(found - times > -0.01) and np.all(found - times < 0.008 + 0.01)


@needs_gl
def test_a_step_longer_than_a_picture_repeats_it_and_a_reset_goes_on(tmp_path: Path) -> None:
    sim, file = Simulation(parse_scene(WORLD.replace("Step 8", "Step 100"), "w.wbt")), tmp_path / "m.gif"
    sim.supervisor.set_velocity("BOX", (0.0, SPEED, 0.0))
    sim.recordings.start_recording("movie", file, width=1024, height=96, fps=20)
    sim.step(4)
    sim.reset()
    sim.step(3)
    sim.close()  # ends the movie
    found = places(file) / PIXELS_PER_METRE / SPEED
    assert found == pytest.approx([0, 0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0, 0], abs=0.005)


@needs_gl
def test_a_movie_does_not_disturb_the_run(tmp_path: Path) -> None:
    with_movie, without = make(), make()
    with_movie.recordings.start_recording("movie", tmp_path / "m.mp4", width=64, height=64)
    for sim in (with_movie, without):
        sim.run(0.4)
    assert with_movie.supervisor.pose("BOX") == without.supervisor.pose("BOX")
    snapshot = with_movie.snapshot()
    with_movie.run(0.2)
    there = with_movie.supervisor.pose("BOX")
    with_movie.restore(snapshot)
    with_movie.run(0.2)
    assert with_movie.supervisor.pose("BOX") == there
    assert with_movie.recordings.stop_recording("movie").endswith("20 pictures of 64x64")
    with_movie.close()
    without.close()
    assert without.watchers == [] == with_movie.watchers


@needs_gl
def test_a_movie_through_a_camera_of_odd_size(tmp_path: Path) -> None:
    """It shows as much of its own box as the camera does: nothing."""
    sim, file = make(), tmp_path / "m.mp4"
    sim.recordings.start_recording("movie", file, camera="box/eye")
    sim.run(0.1)
    assert sim.recordings.stop_recording("movie").endswith("34x22")
    with av.open(str(file)) as video:
        picture = next(video.decode(video=0)).to_ndarray(format="rgb24")
    assert (picture[..., 0] < 30).all() and (picture[..., 2] > 200).all()
    sim.close()


@needs_gl
def test_what_is_wrong_is_said_and_changes_nothing(tmp_path: Path) -> None:
    sim = make()
    with pytest.raises(CommandError, match="no movie"):
        sim.recordings.stop_recording("movie")
    with pytest.raises(DeviceError, match=r'no camera "box/eie", there are box/eye \(did you mean'):
        sim.recordings.start_recording("movie", tmp_path / "m.mp4", camera="box/eie")
    with pytest.raises(ConfigError, match="speed: found 0"):
        sim.recordings.start_recording("movie", tmp_path / "m.mp4", speed=0)
    sim.recordings.start_recording("movie", tmp_path / "m.mp4", width=64, height=64)
    with pytest.raises(CommandError, match=r"m\.mp4 is being recorded"):
        sim.recordings.start_recording("movie", tmp_path / "n.mp4")
    sim.recordings.stop_recording("movie")
    assert not (tmp_path / "n.mp4").exists()
    sim.close()


@needs_gl
def test_a_movie_that_cannot_be_written_ends_and_the_simulation_goes_on(tmp_path: Path) -> None:
    """The file system is full, simulated by a limit of the file size."""
    import resource
    import signal

    sim = make()
    heard: list[str] = []
    sim.recordings.warn = heard.append
    sim.recordings.start_recording("movie", tmp_path / "m.gif", width=512, height=256)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
        sim.run(2.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert sim.time == 2.0
    assert len(heard) == 1 and "m.gif: cannot be written" in heard[0]
    assert not sim.recordings.running
    sim.close()


@needs_gl
def test_images_of_the_viewpoint_and_of_a_camera(tmp_path: Path) -> None:
    from PIL import Image

    sim = make()
    sim.supervisor.export_image(tmp_path / "a.png", 1024, 256)
    sim.supervisor.export_image(tmp_path / "b.jpg", camera="box/eye", quality=50)
    picture = np.asarray(Image.open(tmp_path / "a.png"))
    assert (picture[..., 0] > 127).sum() == pytest.approx((0.5 * PIXELS_PER_METRE) ** 2, rel=0.03)
    assert Image.open(tmp_path / "b.jpg").size == (33, 21)
    with pytest.raises(ConfigError, match=r"expected \.png, \.jpg or \.jpeg"):
        sim.supervisor.export_image(tmp_path / "a.bmp")
    sim.close()
