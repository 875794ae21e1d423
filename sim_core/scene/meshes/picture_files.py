"""Picture files and the pictures that mesh files name or hold, read through Pillow."""

from __future__ import annotations

import gc
import io
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sim_core.base.errors import SceneError
from sim_core.base.limits import limit, limit_text
from sim_core.scene.meshes.node_files import FileReference
from sim_core.scene.meshes.silenced_readers import quiet, silence_libtiff

FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TGA", "TIFF", "WEBP")
"""Formats that are read; for others, such as EPS, Pillow may start a program."""
REFUSED = "refused"
"""Key under which a replacement picture stores why the picture was refused."""
_reading = threading.RLock()


class PictureError(Exception):
    """A file is not a usable picture; never leaves this package."""


def open_picture(data: bytes | BinaryIO) -> Any:
    """Open a picture with Pillow, which reads only its header; all pictures are opened by this function.

    Raises:
        PictureError: the format is not in FORMATS, the file is invalid, or it has too many pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        # In memory: from a file Pillow would allocate as many bytes as an invalid length field states.
        image = Image.open(io.BytesIO(data) if isinstance(data, bytes) else data, formats=FORMATS)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        raise PictureError(f"no picture, expected one of {', '.join(FORMATS)}") from None
    except Exception as error:  # Pillow's readers raise exceptions of many types
        raise _picture_error(error) from None
    width, height = image.size
    if width * height > limit("picture_pixels"):
        image.close()
        raise PictureError(f"{width} x {height} pixels, expected {limit_text('picture_pixels')}")
    return image


@contextmanager
def checked_picture_readers() -> Iterator[None]:
    """Make readers that call Pillow themselves open pictures by `open_picture`, in this thread.

    A context manager. A picture that is refused is replaced by one pixel, for which
    `decoded` raises the reason.
    """
    from PIL import Image

    def open_here(fp: Any, mode: Any = "r", formats: Any = None) -> Any:
        if formats is not None or threading.get_ident() != thread:
            return opens(fp, mode, formats)
        try:
            return open_picture(fp)
        except PictureError as error:
            image = Image.new("RGB", (1, 1), "white")
            image.info[REFUSED] = str(error)
            return image

    with _reading:
        thread, opens = threading.get_ident(), Image.open
        Image.open = open_here
        try:
            yield
        finally:
            Image.open = opens


class _PixelBudget:
    """Number of pixels of the pictures in the memory of this process; a picture counts until it is
    collected."""

    def __init__(self) -> None:
        # re-entrant: a picture may be collected, and released, while the lock is held
        self._lock = threading.RLock()
        self._pixels = 0

    def reserve(self, pixels: int) -> None:
        """Reserve pixels for a picture.

        Raises:
            PictureError: the limit for all pictures would be exceeded.
        """
        most = limit("all_picture_pixels")
        if self._pixels + pixels > most:  # cached pictures that nothing else uses can be released
            _read.cache_clear()
            gc.collect()
        with self._lock:
            if self._pixels + pixels > most:
                raise PictureError(
                    f"{pixels} pixels besides {self._pixels} of other pictures, "
                    f"expected {limit_text('all_picture_pixels')}"
                )
            self._pixels += pixels

    def release(self, pixels: int) -> None:
        """Release the pixels of a picture that has been collected."""
        with self._lock:
            self._pixels -= pixels


_pixel_budget = _PixelBudget()


class MeshPicture:
    """The picture on a part of a mesh, decoded when it is first needed.

    Attributes:
        name: name in the mesh file; for messages.
    """

    def __init__(self, name: str, source: Any, is_opaque: bool = False) -> None:
        """Store the source of the picture.

        Args:
            name: see above.
            source: path of a file, or None if it is missing; or a picture within the mesh file,
                opened by Pillow.
            is_opaque: the file states that opacity is ignored.
        """
        self.name = name
        self._source = source
        self._is_opaque = is_opaque
        self._pixels: NDArray[np.uint8] | None = None

    def pixels(self) -> NDArray[np.uint8]:
        """Return (height, width, 4) red, green, blue and opacity, the top row first; the same array each
        time.

        Raises:
            PictureError: its file is missing, too large or not a picture.
        """
        if self._pixels is None:
            if self._source is None:
                raise PictureError("no such file")
            is_file = isinstance(self._source, Path)
            pixels = read_picture(self._source) if is_file else decoded(self._source)
            if self._is_opaque and (pixels[..., 3] < 255).any():
                pixels = pixels.copy()
                pixels[..., 3] = 255
                pixels.flags.writeable = False
            self._pixels = pixels
        return self._pixels


def picture_of(file: FileReference) -> NDArray[np.uint8]:
    """Return the picture that a node names, in the form of `read_picture`.

    Raises:
        SceneError: its file is missing or not a picture.
    """
    try:
        return read_picture(file.find_file())
    except PictureError as error:
        raise SceneError(*file.source, f'{file.what} "{file.url}": {error}') from None


def read_picture(path: Path) -> NDArray[np.uint8]:
    """Return (height, width, 4) red, green, blue and opacity of a picture file, the top row first; cached.

    Raises:
        PictureError: the format is not supported, or the file is too large or invalid.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror}") from None
    return _read(path, found.st_mtime_ns, found.st_size)


def decoded(image: Any) -> NDArray[np.uint8]:
    """Return the pixels of a picture opened by Pillow, in the form of `read_picture`.

    Raises:
        PictureError: it was refused, there are too many pictures, or it is invalid.
    """
    if REFUSED in image.info:
        raise PictureError(image.info[REFUSED])
    width, height = image.size
    if image.format == "TIFF":
        silence_libtiff()
    _pixel_budget.reserve(width * height)
    try:
        with quiet():
            pixels = np.array(image.convert("RGBA"))
    except MemoryError:
        _pixel_budget.release(width * height)
        raise
    except Exception as error:  # Pillow's readers raise exceptions of many types
        _pixel_budget.release(width * height)
        raise _picture_error(error) from None
    pixels.flags.writeable = False
    weakref.finalize(pixels, _pixel_budget.release, width * height)
    return pixels


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int, size: int) -> NDArray[np.uint8]:
    if size > limit("picture_bytes"):
        raise PictureError(f"{size} bytes, expected {limit_text('picture_bytes')}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror}") from None
    with quiet(), open_picture(data) as image:
        return decoded(image)


def _picture_error(error: Exception) -> PictureError:
    text = " ".join(str(error).split()) or type(error).__name__
    return PictureError(f"no picture ({text[:120]})")
