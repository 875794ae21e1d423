"""Joints and their axes."""
