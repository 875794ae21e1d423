"""Experiments of many runs: sweeps, and environments for learning."""
