"""Devices that draw: on screens and on the ground."""
