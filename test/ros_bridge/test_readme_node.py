"""The node that the README shows drives a robot of a world started without its controllers."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from nav_msgs.msg import Odometry
from sensor_msgs.msg import Range

ROOT = Path(__file__).resolve().parents[2]


def test_the_node_of_the_readme_drives_robot1(client) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- test: ros -->\n```python\n(.*?)```", readme, re.DOTALL)
    assert found
    run = [sys.executable, "-m", "ros_bridge.cli", "run", "wall_avoiders", "--no-controllers"]
    simulation = subprocess.Popen(run, cwd=ROOT)
    places: list[Odometry] = []
    ranges: list[Range] = []
    # Other tests kill processes; shared memory may stay locked then (docs/ros_interface.md).
    without_shared_memory = os.environ | {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}
    driver = subprocess.Popen([sys.executable, "-c", found[1]], cwd=ROOT, env=without_shared_memory)
    try:
        places = client.listen(Odometry, "/robot1/ground_truth")
        ranges = client.listen(Range, "/robot1/ds_front")
        client.until(lambda: places and places[-1].pose.pose.position.x > 0.3, "robot1 driving forward")
        simulation.send_signal(signal.SIGINT)
        assert simulation.wait(20.0) == 0
    finally:
        print(len(places), places[-1:], len(ranges), ranges[-1:], driver.poll(), simulation.poll())
        for process in (driver, simulation):
            process.kill()
            process.wait()
