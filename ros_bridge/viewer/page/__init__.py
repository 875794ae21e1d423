"""Scripts and styles that the viewer adds to viser's page, and how they are sent."""
