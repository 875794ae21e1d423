"""The command `odesim`: its arguments and its subcommands."""
