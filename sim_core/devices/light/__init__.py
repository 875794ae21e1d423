"""Lights, and what measures them."""
