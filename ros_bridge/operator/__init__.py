"""The operator's station of the ute: recordings of its sensors, the link, set points."""
