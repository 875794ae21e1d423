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
from sim_core.base.limits import limit, within
from sim_core.scene.meshes.node_files import FileReference
from sim_core.scene.meshes.quiet import hush_libtiff, quiet

FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TGA", "TIFF", "WEBP")
"""What is read; of others, such as EPS, Pillow may start a program."""
REFUSED = "refused"
"""Where a stand-in says why the picture is not there."""
_reading = threading.RLock()


class PictureError(Exception):
    """A file is no picture that can be used; never leaves this package."""


def open_picture(data: bytes | BinaryIO) -> Any:
    """Open a picture by Pillow, which has read its head only: each picture that we read goes through here.

    Raises:
        PictureError: it is of another format than FORMATS, broken, or has too many pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        # From memory: of a file Pillow asks for as many bytes as a broken length says, and takes them first.
        image = Image.open(io.BytesIO(data) if isinstance(data, bytes) else data, formats=FORMATS)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        raise PictureError(f"no picture, expected one of {', '.join(FORMATS)}") from None
    except Exception as error:  # Pillow's readers raise many kinds
        raise _no_picture(error) from None
    width, height = image.size
    if width * height > limit("picture_pixels"):
        image.close()
        raise PictureError(f"{width} x {height} pixels, expected {within('picture_pixels')}")
    return image


@contextmanager
def readers_open_pictures_so() -> Iterator[None]:
    """Within it whatever this thread reads opens its pictures as `open_picture` does.

    For readers that call Pillow themselves. A picture that is refused is a stand-in of one pixel, of which
    `decoded` says why.
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


class _Held:
    """How many pixels of pictures this process holds: each picture counts until nobody has it any more."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # what is collected while it is held gives back at once
        self._pixels = 0

    def make_room(self, pixels: int) -> None:
        """Make room for a picture.

        Raises:
            PictureError: with those that are held it would be too many.
        """
        most = limit("all_picture_pixels")
        if self._pixels + pixels > most:  # perhaps they are kept for nobody but the next who asks
            _read.cache_clear()
            gc.collect()
        with self._lock:
            if self._pixels + pixels > most:
                raise PictureError(
                    f"{pixels} pixels besides {self._pixels} of other pictures, "
                    f"expected {within('all_picture_pixels')}"
                )
            self._pixels += pixels

    def give_back(self, pixels: int) -> None:
        """A picture has gone."""
        with self._lock:
            self._pixels -= pixels


_held = _Held()


class MeshPicture:
    """The picture on a part of a mesh, decoded when it is first asked for.

    Attributes:
        name: as the mesh file calls it; for messages.
    """

    def __init__(self, name: str, source: Any, is_opaque: bool = False) -> None:
        """Note where it is.

        Args:
            name: see above.
            source: the path of a file, None if it is nowhere; or, opened by Pillow, a picture that is within
                the mesh file.
            is_opaque: the file says that its opacity does not count.
        """
        self.name = name
        self._source = source
        self._is_opaque = is_opaque
        self._pixels: NDArray[np.uint8] | None = None

    def pixels(self) -> NDArray[np.uint8]:
        """(height, width, 4) red, green, blue and opacity, the top row first; the same array each time.

        Raises:
            PictureError: its file is nowhere, too large or no picture.
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
    """The picture that a node names, as `read_picture` has it.

    Raises:
        SceneError: its file is nowhere or no picture.
    """
    try:
        return read_picture(file.find())
    except PictureError as error:
        raise SceneError(*file.source, f'{file.what} "{file.url}": {error}') from None


def read_picture(path: Path) -> NDArray[np.uint8]:
    """(height, width, 4) red, green, blue and opacity of a picture file, the top row first; read once.

    Raises:
        PictureError: it is of no format that is read, too large, or broken.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror}") from None
    return _read(path, found.st_mtime_ns, found.st_size)


def decoded(image: Any) -> NDArray[np.uint8]:
    """The same of a picture that Pillow has opened.

    Raises:
        PictureError: it was refused, there are too many pictures, or it is broken.
    """
    if REFUSED in image.info:
        raise PictureError(image.info[REFUSED])
    width, height = image.size
    if image.format == "TIFF":
        hush_libtiff()
    _held.make_room(width * height)
    try:
        with quiet():
            pixels = np.array(image.convert("RGBA"))
    except MemoryError:
        _held.give_back(width * height)
        raise
    except Exception as error:  # Pillow's readers raise many kinds
        _held.give_back(width * height)
        raise _no_picture(error) from None
    pixels.flags.writeable = False
    weakref.finalize(pixels, _held.give_back, width * height)
    return pixels


@lru_cache(maxsize=64)
def _read(path: Path, _modified: int, size: int) -> NDArray[np.uint8]:
    if size > limit("picture_bytes"):
        raise PictureError(f"{size} bytes, expected {within('picture_bytes')}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror}") from None
    with quiet(), open_picture(data) as image:
        return decoded(image)


def _no_picture(error: Exception) -> PictureError:
    text = " ".join(str(error).split()) or type(error).__name__
    return PictureError(f"no picture ({text[:120]})")
