"""Ray casting for distance sensors and other devices."""
