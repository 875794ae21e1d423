"""The simulation node: its loop, its pace, its parameters, what comes in."""
