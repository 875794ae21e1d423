"""Devices that touch, hold, or sit in joints."""
