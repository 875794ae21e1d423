"""Lights, LEDs and light sensors."""
