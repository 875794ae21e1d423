"""Devices that touch or hold, and joint position sensors."""
