"""Reads bags: rosbag2 folders and .mcap files, written by odesim or by `ros2 bag record`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from ros_bridge.recorder import bag_metadata, repair
from ros_bridge.recorder.bag_limits import limit_readers
from ros_bridge.recorder.facts import METADATA_NAME
from ros_bridge.topics.cdr import parse
from sim_core.base.errors import ConfigError, RecordingError, hint, in_one_line
from sim_core.base.yaml_nodes import read_yaml_file

Table = TypeVar("Table", dict[str, Any], list[Any])

ENDINGS = (".mcap", ".db3", ".mcap.zstd", ".db3.zstd")
"""Endings of the files of a bag; the last two are for `ros2 bag record --compression-mode file`."""
LARGEST = 2**63 - 1
"""Largest value of a time or a count in a bag."""
LONGEST = 200
"""Maximum length of a reader's error message, in characters."""


class BagTopic(NamedTuple):
    """A topic of a bag."""

    name: str
    type_name: str
    messages: int


class Raw(NamedTuple):
    """A message as it was recorded."""

    topic: str
    type_name: str
    log_time_ns: int
    data: bytes


@dataclass(frozen=True)
class LogSpan:
    """Log times of the first and the last message, ns; both 0 if there is no message."""

    start_ns: int
    end_ns: int


class Bag(AbstractContextManager["Bag"]):
    """An open bag; a context manager.

    A recording that was interrupted is repaired first (see `repair.py`).

    Attributes:
        path: the path that was given.
        rows: topics by name.
        facts: description of the recording; empty for most bags from other programs.
        span: times of the first and the last message.
        size: size on disk in bytes.
        repaired: number of messages of an interrupted recording; None: it was not interrupted.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a bag.

        Raises:
            RecordingError: the bag does not exist or cannot be read.
        """
        self.path = Path(path)
        if not self.path.exists():
            raise RecordingError(f"{path}: not found, expected the folder of a bag or an .mcap file")
        self.files = self._files()
        self.repaired = self._repair()
        limit_readers()
        try:
            self.facts = self._read_facts()  # before rosbags, which has no limits, reads the same YAML
            has_metadata = (self.path / bag_metadata.FILE).is_file()
            self._reader = AnyReader(
                [self.path] if has_metadata else self.files,
                default_typestore=get_typestore(Stores.ROS2_KILTED),
            )
            self._reader.open()
            self._open_files()
        except ConfigError as error:  # names the file
            raise RecordingError(str(error)) from None
        except Exception as error:  # whatever damaged bytes lead its readers to
            raise self._unreadable(self.path, error) from None

    def _open_files(self) -> None:
        """Open the files and read the topics and facts."""
        rows: dict[str, BagTopic] = {}
        for each in self._reader.connections:
            if not (isinstance(each.topic, str) and isinstance(each.msgtype, str)):
                raise ValueError(f"found the topic {each.topic} of type {each.msgtype}, expected names")
            before = rows[each.topic].messages if each.topic in rows else 0
            rows[each.topic] = BagTopic(each.topic, each.msgtype, before + each.msgcount)
        self.rows = dict(sorted(rows.items()))
        some = self._reader.message_count > 0
        self.span = LogSpan(self._reader.start_time, self._reader.end_time - 1) if some else LogSpan(0, 0)
        numbers = (self.span.start_ns, self.span.end_ns, *(row.messages for row in rows.values()))
        if any(abs(number) > LARGEST for number in numbers):
            raise ValueError(f"found a time or a count above {LARGEST}, expected numbers of 64 bits")
        self.size = sum(file.stat().st_size for file in self.files)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def choose(self, patterns: Sequence[str]) -> list[str]:
        """Return the names of the topics that match patterns with `*` and `?`; without patterns, all topics.

        Raises:
            RecordingError: a pattern matches no topic; the message names the closest topic.
        """
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.rows):
                near = hint(pattern, self.rows)
                raise RecordingError(f'{self.path}: no topic "{pattern}"{near}; see odesim bag info')
        return [name for name in self.rows if not patterns or any(fnmatchcase(name, p) for p in patterns)]

    def messages(self, topics: Sequence[str]) -> Iterator[tuple[str, int, Any]]:
        """Iterate over topic, log time in ns and message, ordered by log time.

        Raises:
            RecordingError: a message cannot be read.
        """
        chosen = [each for each in self._reader.connections if each.topic in topics]
        if not chosen:
            return
        try:
            for connection, time_ns, data in self._reader.messages(chosen):
                yield connection.topic, time_ns, self.decode(data, connection.msgtype)
        except RecordingError:
            raise
        except Exception as error:  # as above
            raise self._unreadable(self.path, error) from None

    def in_file_order(self) -> Iterator[Raw]:
        """Iterate over all messages of a bag written by odesim, in the order in which they were written.

        Raises:
            RecordingError: the file is not a complete MCAP file.
        """
        for file in self.files:
            if file.suffix != ".mcap":
                raise RecordingError(f"{file}: found no .mcap file, expected a bag of odesim run --record")
            try:
                with file.open("rb") as stream:
                    reader = make_reader(stream)
                    for schema, channel, message in reader.iter_messages(log_time_order=False):
                        kind = schema.name if schema is not None else ""
                        yield Raw(channel.topic, kind, message.log_time, message.data)
            except Exception as error:  # as above
                raise self._unreadable(file, error) from None

    def defines(self, type_name: str) -> bool:
        """Return whether messages of a type can be read; events of services cannot."""
        return type_name in self._reader.typestore.fielddefs

    def decode(self, data: bytes, type_name: str) -> Any:
        """Return a message, an object of rosbags, from its bytes.

        Raises:
            RecordingError: the bytes are not a message of this type.
        """
        try:
            if not self._reader.is2:
                return self._reader.deserialize(data, type_name)
            if not self.defines(type_name):
                raise RecordingError(f"{self.path}: found no definition of {type_name} in it")
            return parse(self._reader.typestore, data, type_name)[0]
        except RecordingError:
            raise
        except Exception as error:  # as above
            raise self._unreadable(self.path, error) from None

    def table(self, key: str, kind: type[Table], default: str | None = None) -> Table:
        """Return a fact that is a table or a list in JSON; `default`: returned if the fact is missing.

        Raises:
            RecordingError: the fact has another type, or it is missing and there is no default.
        """
        text = self.facts.get(key, default)
        if text is None:
            raise RecordingError(f"{self.path}: found no {key}, expected a bag of odesim run --record")
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, kind):
            what = "an object" if kind is dict else "a list"
            raise RecordingError(f"{self.path}: {key}: found {text[:LONGEST]!r}, expected {what} in JSON")
        return found

    def canonical(self, data: bytes, type_name: str) -> bytes:
        """Return the same message with zeros in the padding, where serializers leave arbitrary bytes."""
        return bytes(self._reader.typestore.serialize_cdr(self.decode(data, type_name), type_name))

    @staticmethod
    def _unreadable(place: Path, error: Exception) -> RecordingError:
        text = in_one_line(error)[:LONGEST]
        return RecordingError(f"{place}: cannot be read: {text}; odesim bag repair saves what is whole")

    def _files(self) -> list[Path]:
        if self.path.is_file():
            if self.path.suffix not in (".mcap", ".db3"):
                raise RecordingError(f"{self.path}: found no bag, expected its folder or an .mcap file")
            return [self.path]
        found = sorted(file for ending in ENDINGS for file in self.path.glob(f"*{ending}"))
        if not found:
            raise RecordingError(f"{self.path}: found no .mcap or .db3 file, expected the folder of a bag")
        return found

    def _read_facts(self) -> dict[str, str]:
        """Read the facts from metadata.yaml, or, if there is no such file, from the MCAP file."""
        metadata = self.path / bag_metadata.FILE
        if metadata.is_file():
            root = read_yaml_file(metadata, "the metadata of a bag")
            custom = root[bag_metadata.ROOT].get("custom_data") or {}
            return {str(key): str(value) for key, value in custom.items()}
        if self.files[0].suffix != ".mcap":
            return {}
        with self.files[0].open("rb") as stream:
            for record in make_reader(stream).iter_metadata():
                if record.name == METADATA_NAME:
                    return dict(record.metadata)
        return {}

    def _repair(self) -> int | None:
        if self.path.is_file() or len(self.files) > 1 or self.files[0].suffix != ".mcap":
            return None
        file, metadata = self.files[0], self.path / bag_metadata.FILE
        text = metadata.read_text(encoding="utf-8", errors="replace") if metadata.is_file() else ""
        ended = text and f'"{bag_metadata.STATE}": "{bag_metadata.RECORDING}"' not in text
        if (ended and repair.is_whole(file)) or not repair.is_ours(file):
            return None
        if repair.is_being_written(file):
            repair.wait_until_whole(file)
            return None
        try:
            return repair.repair(self.path, file).messages
        except RecordingError:
            raise
        except Exception as error:  # as above
            why = in_one_line(error)[:LONGEST]
            text = f"{file}: the recording was interrupted and cannot be repaired: {why}"
            raise RecordingError(text) from None
