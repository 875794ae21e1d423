"""The scene tree: its rows, the chosen node with its fields, and what can be done with nodes and worlds."""
