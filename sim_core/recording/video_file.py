"""A video file to which pictures are appended (PyAV, that is FFmpeg)."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import ConfigError
from sim_core.recording.targets import checked_target

ENDINGS = (".mp4", ".webm", ".avi", ".gif")
MAX_RATE = 240.0
BT_709 = 1
LIMITED_RANGE = 1
"""Codes of ITU-T H.273: the colours of HDTV, which players assume."""
_CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9", ".avi": "libx264", ".gif": "gif"}


class VideoFile:
    """An .mp4 or .avi (H.264), .webm (VP9) or .gif file (256 colours, chosen for each picture).

    An .mp4 file can be played at any time up to the last whole second, even if it is never closed.

    Args:
        file: its extension selects the format.
        width, height: pixels; even, except for .gif.
        rate: pictures per second.
        quality: 1 to 100; ignored for .gif.

    Attributes:
        path: the file.
        count: pictures in it.

    Raises:
        ConfigError: an argument is not possible, or PyAV is missing.
    """

    def __init__(self, file: str | Path, width: int, height: int, rate: float, quality: int = 75) -> None:
        self.path = checked_target(file, ENDINGS)
        self.count = 0
        ending = self.path.suffix.lower()
        check_format(ending, width, height, rate, quality)
        try:
            import av
        except ImportError as error:
            raise ConfigError(f"movies need the Python package av: pip install av ({error})") from None
        self._av: Any = av
        self._errors = (OSError, av.FFmpegError)
        self._tick = 1 / Fraction(rate).limit_denominator(1000)
        self._size = (width, height)
        try:
            self._open(ending, quality)
        except self._errors as error:
            raise ConfigError(f"{self.path}: cannot be written: {_why(error)}") from None

    def add_picture(self, picture: NDArray[np.uint8]) -> None:
        """Append a picture: (height, width, 3) red, green, blue, sRGB.

        Raises:
            ConfigError: the file cannot be written any more.
        """
        frame = self._av.VideoFrame.from_ndarray(picture, "rgb24")
        frame.pts, frame.time_base = self.count, self._tick
        self.count += 1
        try:
            self._put(frame)
        except self._errors as error:
            raise ConfigError(f"{self.path}: cannot be written: {_why(error)}") from None
        self._check()

    def close(self) -> None:
        """Finish the file.

        Raises:
            ConfigError: it cannot be written.
        """
        try:
            self._put(None)
            self._container.close()
        except self._errors as error:
            raise ConfigError(f"{self.path}: cannot be written: {_why(error)}") from None
        finally:
            self._sink.close()
        self._check()

    def _check(self) -> None:
        if self._sink.error is not None:
            raise ConfigError(f"{self.path}: cannot be written: {_why(self._sink.error)}")

    def _open(self, ending: str, quality: int) -> None:
        options = {"movflags": "hybrid_fragmented"} if ending == ".mp4" else {}
        self._sink = UnbufferedFile(self.path)
        options["flush_packets"] = "1"
        self._container: Any = self._av.open(self._sink, "w", format=ending[1:], options=options)
        self._stream: Any = self._container.add_stream(_CODECS[ending], rate=1 / self._tick)
        self._stream.width, self._stream.height = self._size
        self._filters: Any = None
        if ending == ".gif":
            self._stream.pix_fmt = "pal8"
            # Otherwise the encoder skips pixels with the same index as before, though the palette has
            # changed.
            self._stream.options = {"gifflags": "0"}
            self._filters = self._palette_filters()
            return
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = _quality_options(ending, quality)
        context = self._stream.codec_context
        context.gop_size = max(1, round(1 / self._tick))
        context.colorspace = context.color_primaries = context.color_trc = BT_709
        context.color_range = LIMITED_RANGE

    def _put(self, frame: Any) -> None:
        """Encode a picture; None: there are no more."""
        if self._filters is None:
            if frame is not None:
                colours = {"dst_colorspace": BT_709, "dst_color_range": LIMITED_RANGE}
                time_base, pts = frame.time_base, frame.pts
                frame = frame.reformat(*self._size, "yuv420p", **colours)
                frame.time_base, frame.pts = time_base, pts
            self._container.mux(self._stream.encode(frame))
            return
        self._filters.push(frame)
        while True:
            try:
                done = self._filters.pull()
            except (self._av.BlockingIOError, self._av.EOFError):
                break
            self._container.mux(self._stream.encode(done))
        if frame is None:
            self._container.mux(self._stream.encode(None))

    def _palette_filters(self) -> Any:
        """Return filters that find the best 256 colours of each picture."""
        graph = self._av.filter.Graph()
        width, height = self._size
        source = graph.add_buffer(width=width, height=height, format="rgb24", time_base=self._tick)
        halves, palette = graph.add("split"), graph.add("palettegen", "stats_mode=single")
        use, sink = graph.add("paletteuse", "new=1"), graph.add("buffersink")
        source.link_to(halves)
        halves.link_to(use, 0, 0)
        halves.link_to(palette, 1, 0)
        palette.link_to(use, 0, 1)
        use.link_to(sink)
        graph.configure()
        return graph


def check_format(ending: str, width: int, height: int, rate: float, quality: int) -> None:
    """Raise ConfigError for values that a video file of this format cannot have."""
    if ending != ".gif":
        for name, size in (("width", width), ("height", height)):
            if size < 2 or size % 2:
                raise ConfigError(f"{name}: found {size}, expected an even number, as {ending} needs")
    if not 1.0 <= rate <= MAX_RATE:
        raise ConfigError(f"fps: found {rate:g}, expected 1 to {MAX_RATE:g} pictures per second")
    if not 1 <= quality <= 100:
        raise ConfigError(f"quality: found {quality}, expected 1 to 100")


def check_speed(speed: float) -> None:
    """Raise ConfigError if a value cannot be the seconds of sim time in one second of a recording."""
    if not 0.0 < speed < math.inf:
        raise ConfigError(f"speed: found {speed}, expected a number above 0")


def _quality_options(ending: str, quality: int) -> dict[str, str]:
    """Return the encoder's options: quality 100 is nearly lossless (CRF 8), 75 good (CRF 20), 1 coarse."""
    crf = str(round(8 + (100 - quality) * 0.42))
    if ending != ".webm":
        return {"crf": crf, "preset": "veryfast"} | ({"bf": "0"} if ending == ".avi" else {})
    return {"crf": str(min(63, int(crf) + 10)), "b": "0", "deadline": "realtime", "cpu-used": "6"}


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


class UnbufferedFile:
    """A new file, written without buffering.

    FFmpeg's muxers may end the process when they are closed after a failed write. So this accepts all data,
    and the user must check `error`.

    Args:
        path: the file; an existing one is overwritten.

    Attributes:
        error: the first error; nothing is written after it.

    Raises:
        OSError: it cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._file = path.open("wb", buffering=0)
        self._place = self._size = 0

    def write(self, data: bytes) -> int:
        """Write at the present position; return the number of bytes, always all."""
        if self.error is None:
            try:
                self._file.seek(self._place)
                rest = memoryview(data)
                while len(rest):
                    rest = rest[self._file.write(rest) :]
            except OSError as error:
                self.error = error
        self._place += len(data)
        self._size = max(self._size, self._place)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the position, as for files; return it."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        """Return the present position."""
        return self._place

    def seekable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as error:
            self.error = self.error or error
