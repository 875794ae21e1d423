"""The simulation node: its loop, pace, parameters and inputs."""
