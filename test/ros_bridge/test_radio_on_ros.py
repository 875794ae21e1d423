"""Packets from one robot's topic to another's, through a running simulation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Vector3Stamped
from std_msgs.msg import Float64, UInt8MultiArray

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "a" controller "void" children [ Emitter { name "out" baudRate -1 } ] }
Robot { name "b" controller "void" translation 2 0 0 children [ Receiver { name "in" } ] }"""


def test_a_burst_of_packets_reaches_the_other_robot_in_order(
    tmp_path: Path, simulate: Callable[..., Any], client: Any
) -> None:
    world = tmp_path / "radio.wbt"
    world.write_text(WORLD, encoding="utf-8")
    simulate(world)
    data = client.listen(UInt8MultiArray, "/b/in/data")
    strength = client.listen(Float64, "/b/in/signal_strength")
    direction = client.listen(Vector3Stamped, "/b/in/emitter_direction")
    send = client.node.create_publisher(UInt8MultiArray, "/a/out/send", 300)
    client.until(send.get_subscription_count, "a subscriber of /a/out/send")

    def arrived() -> bool:
        send.publish(UInt8MultiArray(data=b"?"))  # until all three subscriptions are known over there
        return bool(data and strength and direction)

    client.until(arrived, "a packet on all topics")
    for number in range(200):
        send.publish(UInt8MultiArray(data=bytes([number, 255])))
    client.until(lambda: any(bytes(each.data) == b"\xc7\xff" for each in data), "the last packet")
    numbered = [bytes(each.data) for each in data if len(each.data) == 2]
    assert numbered == [bytes([number, 255]) for number in range(200)]
    client.until(lambda: strength[-1:] and direction[-1:], "their strengths")
    assert strength[-1].data == 0.25
    assert (direction[-1].vector.x, direction[-1].header.frame_id) == (-1.0, "b/in")
