"""Movies, animations and pictures of a simulation."""
