"""Topics made of several devices of a robot, or of the whole world, one file each."""
