"""Devices whose readings are pictures, and what is recognized in them."""
