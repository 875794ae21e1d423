"""A client that speaks Foxglove's WebSocket protocol, for tests; over `websockets`.

What it says and hears is as in the protocol's specification: JSON of an `op` each, and binary messages of
which the first byte says what they are.
"""

import json
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from websockets.sync.client import connect

PROTOCOL = "foxglove.sdk.v1"
MESSAGE, TIME = 1, 2
LIMIT = 60.0
UNKNOWN = "Unknown channel ID: "
"""What the server says of a subscription to a channel that it has not."""


class FoxgloveClient:
    """One connection.

    Attributes:
        info: what the server said of itself.
        channels: by topic, as they were advertised.
        messages: by topic: log times in ns, and bytes.
        statuses: what the server told.
        times: sim times that it told, in ns.
    """

    def __init__(self, address: str, protocols: Sequence[str] = (PROTOCOL,), **options: Any) -> None:
        # no pings: their answers wait behind messages that a test has not read yet
        settings = {"max_size": None, "ping_interval": None, **options}
        self._socket = connect(address, subprotocols=list(protocols), **settings)  # type: ignore[arg-type]
        self.protocol = self._socket.subprotocol
        self.info: dict[str, Any] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.messages: dict[str, list[tuple[int, bytes]]] = {}
        self.statuses: list[str] = []
        self.times: list[int] = []
        self._subscribed: dict[int, str] = {}
        self._asked: dict[int, int] = {}
        self._stores: dict[str, Any] = {}

    def until(self, condition: Callable[[], Any], what: str, limit: float = LIMIT) -> Any:
        """Hear what comes until a condition is true."""
        end = time.monotonic() + limit
        while not (result := condition()):
            assert time.monotonic() < end, f"{what}: {self.statuses}, {list(self.channels)}"
            try:
                self._hear(self._socket.recv(timeout=0.05))
            except TimeoutError:
                continue
        return result

    def subscribe(self, topic: str) -> int:
        """Subscribe to a topic, once it is there; returns the number of the subscription."""
        channel = self.until(lambda: self.channels.get(topic), topic)
        number = len(self._subscribed) + 1
        self._subscribed[number] = topic
        self._ask_for(number, channel)
        return number

    def unsubscribe(self, number: int) -> None:
        self._say("unsubscribe", subscriptionIds=[number])

    def first(self, topic: str) -> Any:
        """The first message of a topic, decoded by the definition that its channel has."""
        self.subscribe(topic)
        _, data = self.until(lambda: self.messages.get(topic), f"a message on {topic}")[0]
        return self.decoded(topic, data)

    def decoded(self, topic: str, data: bytes) -> Any:
        channel = self.channels[topic]
        assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
        store = self._stores.get(topic)
        if store is None:
            store = self._stores[topic] = get_typestore(Stores.EMPTY)
            store.register(get_types_from_msg(channel["schema"], channel["schemaName"]))
        return store.deserialize_cdr(data, channel["schemaName"])

    def advertise(self, number: int, topic: str, kind: str, encoding: str) -> None:
        channel = {"id": number, "topic": topic, "encoding": encoding, "schemaName": kind}
        self._say("advertise", channels=[channel])

    def unadvertise(self, number: int) -> None:
        self._say("unadvertise", channelIds=[number])

    def publish(self, number: int, data: bytes) -> None:
        self._socket.send(struct.pack("<BI", MESSAGE, number) + data)

    def close(self) -> None:
        self._socket.close()

    def _ask_for(self, number: int, channel: dict[str, Any]) -> None:
        self._asked[number] = channel["id"]
        self._say("subscribe", subscriptions=[{"id": number, "channelId": channel["id"]}])

    def _ask_again(self, refused: int) -> None:
        """A channel that has just come is told to clients before the server takes subscriptions to it."""
        for number, channel in self._asked.items():
            known = self.channels.get(self._subscribed[number])
            if channel == refused and known is not None:
                self._ask_for(number, known)

    def _say(self, op: str, **what: Any) -> None:
        self._socket.send(json.dumps({"op": op, **what}))

    def _hear(self, heard: str | bytes) -> None:
        if isinstance(heard, bytes):
            if heard[0] == MESSAGE:
                number, time_ns = struct.unpack_from("<IQ", heard, 1)
                self.messages.setdefault(self._subscribed[number], []).append((time_ns, heard[13:]))
            elif heard[0] == TIME:
                self.times.append(struct.unpack_from("<Q", heard, 1)[0])
            return
        said = json.loads(heard)
        if said["op"] == "serverInfo":
            self.info = said
        elif said["op"] == "advertise":
            self.channels.update({each["topic"]: each for each in said["channels"]})
        elif said["op"] == "unadvertise":
            gone = set(said["channelIds"])
            self.channels = {name: each for name, each in self.channels.items() if each["id"] not in gone}
        elif said["op"] == "status":
            self.statuses.append(said["message"])
            if said["message"].startswith(UNKNOWN):
                self._ask_again(int(said["message"].removeprefix(UNKNOWN)))
