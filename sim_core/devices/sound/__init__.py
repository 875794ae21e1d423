"""Speakers, microphones and the propagation of sound."""
