"""Topics as data, how they are named and published."""
