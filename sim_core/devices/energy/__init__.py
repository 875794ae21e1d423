"""Batteries, chargers, and what they do in each step."""
