"""Controllers written for Webots: the simulation's end of the module `controller` in `webots_api/`."""
