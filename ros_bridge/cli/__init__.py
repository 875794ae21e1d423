"""The command `odesim`: its arguments, and what each of its commands does."""
