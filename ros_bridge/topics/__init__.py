"""Topics as data: their names, records, and publishing."""
