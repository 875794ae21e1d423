"""Movies and animations of a running simulation."""
