"""Sensors that measure distances by rays or echoes."""
