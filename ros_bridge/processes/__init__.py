"""The processes of controllers, and lock-step with them."""
