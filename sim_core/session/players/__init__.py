"""Motions and trajectories that are played on the motors of robots."""
