"""Packets through the air."""
