"""Lowest layer, which imports no other package of odesim: errors, geometry, time, settings, files."""
