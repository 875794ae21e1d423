"""Rays for distance sensors and whatever else must know what lies in a direction."""
