"""The simulation's side of the module `controller` in `webots_api/`, for controllers written for Webots."""
