"""The protocol between Webots and its libController: controllers made for Webots are served as they are."""
