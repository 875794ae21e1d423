"""What the viewer adds to viser's page: scripts and styles, and how they get there."""
