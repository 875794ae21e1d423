"""Devices that feel how they move and where they are."""
