"""Speakers, microphones and the air between them."""
