"""Processes of controllers, and lock-step with them."""
