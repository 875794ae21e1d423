"""Mazes are perfect and the same for the same seed; the robot finds its way by the rule of the left hand."""

import math
from typing import Any

import pytest
from shipped_controllers import controller, touches_a_wall

from sim_core import SimulationConfig, load_world
from sim_core.base.shipped import share_dir, shipped_worlds
from sim_core.scene import Node, parse_scene

SOLVER: Any = controller("maze_solver")
CELL = 0.5
Walls = list[tuple[float, float, float, float]]


def maze(columns: int, rows: int, seed: int) -> Node:
    url = share_dir() / "protos" / "arenas" / "Maze.proto"
    text = f"Maze {{ columns {columns} rows {rows} seed {seed} cellSize {CELL} }}"
    return parse_scene(f'#VRML_SIM R2025a utf8\nEXTERNPROTO "{url}"\n{text}', "w.wbt").nodes[0]


def walls_of(node: Node) -> Walls:
    """Middle and size along x and y of what collides, in m."""
    poses = [child for child in node["boundingObject"]["children"] if child.type_name == "Pose"]
    return [(*pose["translation"][:2], *pose["children"][0]["size"][:2]) for pose in poses]


def is_open(walls: Walls, x: float, y: float) -> bool:
    """Whether no wall stands at a place."""
    return not any(abs(x - wx) <= a / 2.0 and abs(y - wy) <= b / 2.0 for wx, wy, a, b in walls)


@pytest.mark.parametrize(("columns", "rows", "seed"), [(1, 1, 3), (2, 5, 1), (9, 4, 2), (12, 12, 7)])
def test_a_maze_is_a_spanning_tree_of_its_cells(columns: int, rows: int, seed: int) -> None:
    """Connected, with cells - 1 openings: so there is one way between any two cells, and no round."""
    walls = walls_of(maze(columns, rows, seed))
    x0, y0 = -columns * CELL / 2.0, -rows * CELL / 2.0
    group = {(i, j): {(i, j)} for i in range(columns) for j in range(rows)}
    openings = 0
    for i in range(columns):
        for j in range(rows):
            for dx, dy in ((1, 0), (0, 1)):
                side = (x0 + (i + 0.5 + 0.5 * dx) * CELL, y0 + (j + 0.5 + 0.5 * dy) * CELL)
                if is_open(walls, *side):
                    openings += 1
                    assert (i + dx, j + dy) in group, "an opening in the outer wall"
                    joined = group[i, j] | group[i + dx, j + dy]
                    for cell in joined:
                        group[cell] = joined
        assert not is_open(walls, x0 + (i + 0.5) * CELL, y0)
    assert not any(is_open(walls, x0, y0 + (j + 0.5) * CELL) for j in range(rows))
    assert openings == columns * rows - 1
    assert len(group[0, 0]) == columns * rows
    assert walls_of(maze(columns, rows, seed)) == walls


def test_another_seed_is_another_maze_and_none_has_no_inner_walls() -> None:
    mazes = [walls_of(maze(6, 6, seed)) for seed in (0, 1, 2)]
    assert len(mazes[0]) == 4
    assert mazes[1] != mazes[2]


def test_the_robot_finds_the_goal_by_the_left_hand_and_touches_no_wall() -> None:
    sim = load_world(shipped_worlds()["maze"], SimulationConfig(contacts="stiff", sampling_period=0.032))
    sim.physics.record_contacts = True
    robot: Any = sim.robot("mouse")
    columns, rows, size = robot.node["controllerArgs"]
    way = SOLVER.LeftHand(int(columns), int(rows), float(size))
    eyes = {SOLVER.LEFT: "left", SOLVER.AHEAD: "front", SOLVER.RIGHT: "right"}
    sim.run(0.032)
    try:
        while not way.is_at_goal and sim.time < 300.0:
            (x, y, _), rotation = robot.frame.pose()
            if math.dist((x, y), way.target) < SOLVER.NEAR:
                way.choose({side: robot[name].value for side, name in eyes.items()})
            heading = math.atan2(rotation[3], rotation[0])
            left, right = SOLVER.wheels((x, y), heading, way.target, way.side)
            robot["motor_left"].set_velocity(left)
            robot["motor_right"].set_velocity(right)
            sim.run(0.032)
            assert not touches_a_wall(sim), (sim.time, x, y)
    finally:
        sim.close()
    assert way.is_at_goal
    assert all(
        abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in zip(way.visited, way.visited[1:], strict=False)
    )
