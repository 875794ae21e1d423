"""Motors and brakes."""
