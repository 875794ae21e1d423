"""PROTO nodes: interface, body, templates, and the expansion of instances."""
