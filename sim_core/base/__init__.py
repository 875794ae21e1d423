"""The floor, which imports nothing else of ours: errors, geometry, time, settings, files."""
