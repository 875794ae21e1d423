"""Supervisor functions for a running world: read and set fields, move nodes, save states, show labels."""
