"""Ready tasks, one in each file; `docs/experiments.md` has their table."""
