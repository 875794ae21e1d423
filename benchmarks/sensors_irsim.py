"""The scene of sensors_lidars.py in ir-sim; run by an interpreter that has it.

Reads the scene as one line of JSON and answers with the ranges; answers each further line with the
microseconds per step of a round: the tree of the objects is built anew, as ir-sim does in each step, and all
lidars scan.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time

os.environ["MPLBACKEND"] = "Agg"


def world(scene: dict) -> dict:
    """An ir-sim world."""
    lidar = {
        "name": "lidar2d",
        "range_min": 0,
        "range_max": scene["range"],
        "angle_range": 3.141592653589793,
        "number": scene["beams"],
    }
    robots = [
        {
            "kinematics": {"name": "diff"},
            "shape": {"name": "circle", "radius": scene["radius"]},
            "state": state,
            "sensors": [lidar],
        }
        for state in scene["robots"]
    ]
    obstacles = [
        {"shape": {"name": "circle", "radius": radius}, "state": [x, y, 0]}
        for x, y, radius in scene["circles"]
    ]
    obstacles += [
        {"shape": {"name": "rectangle", "length": length, "width": width}, "state": [x, y, turn]}
        for x, y, turn, length, width in scene["rectangles"]
    ]
    size = 2.2 * scene["half"]
    place = {"height": size, "width": size, "offset": [-size / 2, -size / 2], "step_time": 0.1}
    return {"world": place, "robot": robots, "obstacle": obstacles}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):
        import irsim
        import yaml

        scene = json.loads(sys.stdin.readline())
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(world(scene), file)
            file.flush()
            env = irsim.make(file.name, display=False, disable_all_plot=True, log_level="ERROR")

    def step() -> None:
        env.build_tree()
        for robot in env.robot_list:
            robot.sensor_step()

    step()
    ranges = [robot.lidar.range_data.tolist() for robot in env.robot_list]
    print("= " + json.dumps(ranges), file=answers, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        for _ in range(scene["steps"]):
            step()
        seconds = time.perf_counter() - start
        print(f"= {seconds / scene['steps'] * 1e6}", file=answers, flush=True)


if __name__ == "__main__":
    main()
