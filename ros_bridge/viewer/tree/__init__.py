"""The scene tree: its rows, the selected node with its fields, and commands for nodes and worlds."""
