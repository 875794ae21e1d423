"""Common parts of our nodes and processes: logs, threads, signals, shutdown."""
