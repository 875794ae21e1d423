"""Emitters and receivers of packets."""
