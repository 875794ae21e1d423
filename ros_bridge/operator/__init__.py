"""The operator's station of the ute: files of what its sensors say, its link, its set points."""
