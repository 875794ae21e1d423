"""Which shapes touch where, and what happens there."""
