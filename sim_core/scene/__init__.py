"""Scenes: worlds as typed nodes without physics, read from and written to VRML97 text."""

from sim_core.scene.loader import load_scene, parse_scene
from sim_core.scene.node import Node, Source
from sim_core.scene.node_types import NodeType, node_type
from sim_core.scene.scene import ExternProto, Scene
from sim_core.scene.wbt.writer import write_node, write_scene

__all__ = [
    "ExternProto",
    "Node",
    "NodeType",
    "Scene",
    "Source",
    "load_scene",
    "node_type",
    "parse_scene",
    "write_node",
    "write_scene",
]
