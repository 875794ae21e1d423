"""metadata.yaml of a bag folder in the format of rosbag2 (version 9: Jazzy and later)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ros_bridge.base.installed_ros import distribution
from ros_bridge.topics.qos import Qos

VERSION = 9
FILE = "metadata.yaml"
ROOT = "rosbag2_bagfile_information"
STATE = "odesim.state"
"""Key in the custom data that tells whether the recording is complete."""
RECORDING, COMPLETE, REPAIRED = "recording", "complete", "repaired"
FOREVER = {"sec": 9223372036, "nsec": 854775807}


@dataclass
class RecordedTopic:
    """A recorded topic.

    Attributes:
        count: number of messages so far.
    """

    name: str
    type_name: str
    digest: str
    qos: Qos
    count: int = 0


def qos_entries(qos: Qos) -> list[dict[str, Any]]:
    """Return the offered QoS as rosbag2 stores it."""
    return [
        {
            "history": "keep_last",
            "depth": qos.depth,
            "reliability": "reliable" if qos.reliable else "best_effort",
            "durability": "transient_local" if qos.transient_local else "volatile",
            "deadline": dict(FOREVER),
            "lifespan": dict(FOREVER),
            "liveliness": "automatic",
            "liveliness_lease_duration": dict(FOREVER),
            "avoid_ros_namespace_conventions": False,
        }
    ]


def channel_metadata(topic: RecordedTopic) -> dict[str, str]:
    """Return the metadata that rosbag2 stores with a channel of an MCAP file."""
    return {
        "offered_qos_profiles": yaml.safe_dump(qos_entries(topic.qos), sort_keys=False).strip(),
        "topic_type_hash": topic.digest,
    }


def make_metadata(
    file: str, topics: Iterable[RecordedTopic], start_ns: int, end_ns: int, custom: Mapping[str, str]
) -> dict[str, Any]:
    """Return the contents of metadata.yaml below its root; the times are of the first and last message."""
    topics = list(topics)
    count = sum(topic.count for topic in topics)
    start = {"nanoseconds_since_epoch": start_ns}
    duration = {"nanoseconds": max(0, end_ns - start_ns)}
    return {
        "version": VERSION,
        "storage_identifier": "mcap",
        "relative_file_paths": [file],
        "duration": duration,
        "starting_time": start,
        "message_count": count,
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type_name,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": qos_entries(topic.qos),
                    "type_description_hash": topic.digest,
                },
                "message_count": topic.count,
            }
            for topic in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "files": [
            {"path": file, "starting_time": start, "duration": duration, "message_count": count},
        ],
        "custom_data": dict(custom),
        "ros_distro": distribution(),
    }


class _PlainDumper(yaml.SafeDumper):
    """YAML dumper without anchors, which not every reader of metadata.yaml supports."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write aliases out in full."""
        return True


def metadata_text(metadata: Mapping[str, Any]) -> str:
    """Return the metadata as text."""
    return yaml.dump(metadata, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True)


def write_metadata(folder: Path, metadata: Mapping[str, Any], quick: bool = False) -> None:
    """Replace metadata.yaml atomically.

    Args:
        folder: folder of the bag.
        metadata: contents below the root.
        quick: write JSON, which is valid YAML and a hundred times faster to write.
    """
    whole = {ROOT: metadata}
    text = json.dumps(whole, indent=1, ensure_ascii=False) if quick else metadata_text(whole)
    new = folder / f"{FILE}.new"
    new.write_text(text, encoding="utf-8")
    new.replace(folder / FILE)
