"""What of a scene moves, and by what: bodies, joints, what collides, what pushes, as records for engines."""
