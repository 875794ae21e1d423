"""ODE joints and their axes."""
