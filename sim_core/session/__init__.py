"""A run: the simulation and its robots, what is played and changed in it, its snapshots."""
