"""Webots' text format: parser from characters to node trees, and writer."""
