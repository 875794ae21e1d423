"""What a supervisor may do to a running world: read and change fields, move things, save, label."""
