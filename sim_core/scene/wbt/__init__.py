"""Webots' text format: from characters to node trees, and back."""
