"""Sensors of position, orientation and motion."""
