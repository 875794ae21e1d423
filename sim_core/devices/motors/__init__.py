"""Motors, brakes, and what they apply to joints."""
