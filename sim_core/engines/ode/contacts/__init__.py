"""Collision detection and contact joints."""
