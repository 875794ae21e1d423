"""What two bare programs need to answer each other here and now: the peers of controllers.

- a socket: two Python processes on one core pass 64 bytes to and fro over a Unix socket;
- rclpy: two nodes pass a JointState to and fro;
- rcl: two programs in C (dds_baseline.c) pass the messages of a lock-step to and fro: what DDS costs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.sampling import AS_PEER
from benchmarks.scenes import ROOT

SOCKET = """
import os, socket, time
ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    while data := theirs.recv(64):
        theirs.sendall(data)
    os._exit(0)
theirs.close()
times = [time.perf_counter()]
for _ in range(30_000):
    ours.sendall(bytes(64))
    ours.recv(64)
    times.append(time.perf_counter())
ours.close()
spans = sorted(1e6 * (b - a) for a, b in zip(times[10_000:], times[10_001:]))
print(spans[len(spans) // 2])
"""
NODE = """
import sys, time
import rclpy
from sensor_msgs.msg import JointState

asks, seconds = sys.argv[1] == "ask", float(sys.argv[2])
rclpy.init()
node = rclpy.create_node(sys.argv[1])
send, hear = ("ping", "pong") if asks else ("pong", "ping")
publisher = node.create_publisher(JointState, send, 10)
count = 0

def answer(message):
    global count
    count += 1
    publisher.publish(message)

node.create_subscription(JointState, hear, answer, 10)
message = JointState(name=["motor"], position=[0.0], velocity=[1.0], effort=[0.0])
if not asks:
    rclpy.spin(node)
while not count:
    if node.count_subscribers(send) and node.count_publishers(hear):
        publisher.publish(message)
    rclpy.spin_once(node, timeout_sec=1.0)
begin, count = time.perf_counter(), 0
while time.perf_counter() < begin + seconds:
    rclpy.spin_once(node, timeout_sec=1.0)
print(count / (time.perf_counter() - begin))
"""

DDS = """
import ctypes, sys
from ros_bridge.base.middleware import prepare_controller
prepare_controller()
import sensor_msgs.msg
from rclpy.type_support import check_for_type_support
check_for_type_support(sensor_msgs.msg.JointState)  # loads the libraries that the program is linked with
words = [each.encode() for each in sys.argv]
ctypes.CDLL(sys.argv[1]).main(len(words) - 1, (ctypes.c_char_p * len(words))(*words[1:]))
"""
LIBRARIES = (
    *("rcl", "rmw", "rcutils", "rosidl_runtime_c"),
    *("sensor_msgs__rosidl_typesupport_c", "sensor_msgs__rosidl_generator_c"),
)


def socket_exchange() -> float:
    """µs from one answer to the next over a socket, both processes on one core; the median."""
    code = f"{AS_PEER}\n{SOCKET}"
    command = ["taskset", "-c", str(max(os.sched_getaffinity(0))), sys.executable, "-c", code]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def node_exchanges(seconds: float) -> float:
    """Answers a second between two nodes of rclpy."""
    command = [sys.executable, "-c", f"{AS_PEER}\n{NODE}"]
    other = subprocess.Popen([*command, "answer", "0"])
    try:
        asked = [*command, "ask", str(seconds)]
        done = subprocess.run(asked, check=True, capture_output=True, text=True, timeout=60.0 + seconds)
        return float(done.stdout)
    finally:
        other.kill()
        other.wait()


def dds_exchanges(seconds: float) -> float | None:
    """Steps a second of two programs in C on rcl, with the settings of our controllers; None: rcl has no
    headers here."""
    distribution = os.environ.get("ROS_DISTRO")
    prefix = Path(f"/opt/ros/{distribution}" if distribution else sys.prefix)
    if not (prefix / "include" / "rcl").is_dir():
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "dds_baseline.so")
        found = [f"-I{each}" for each in (prefix / "include").iterdir()]
        found += [f"-L{prefix / 'lib'}", *(f"-l{each}" for each in LIBRARIES)]
        source = Path(__file__).with_name("dds_baseline.c")
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", library, source, *found], check=True)
        command = [sys.executable, "-c", f"{AS_PEER}\n{DDS}", library]
        other = subprocess.Popen([*command, "answer"], cwd=ROOT)
        try:
            asked = [*command, "ask", str(seconds)]
            done = subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            return float(done.stdout)
        finally:
            other.kill()
            other.wait()
