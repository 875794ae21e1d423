"""PROTO nodes: interface, body, templates, and what becomes of their instances."""
