"""Batteries and chargers."""
