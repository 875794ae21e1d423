"""A file that libraries in C write to without ever hearing of an error."""

from __future__ import annotations

import os
from pathlib import Path


class Sink:
    """A new file, written through at once.

    FFmpeg's muxers may end the process when they are closed after a failed write. So this takes whatever
    comes, and who uses it looks at `error`.

    Args:
        path: the file; what is there is written over.

    Attributes:
        error: the first that happened; nothing is written after it.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._file = path.open("wb", buffering=0)
        self._place = self._size = 0

    def write(self, data: bytes) -> int:
        """Write at the present place; returns the number of bytes, always all."""
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
        """Go to a place, as files do; returns it."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        """The present place."""
        return self._place

    def seekable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as error:
            self.error = self.error or error
