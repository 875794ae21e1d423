"""Explanations of runs: what went wrong in a simulation, in words."""
