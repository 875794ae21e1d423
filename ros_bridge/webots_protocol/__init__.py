"""The protocol of Webots' libController, for controllers made for Webots without changes."""
