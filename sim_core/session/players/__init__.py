"""Players of motions, trajectories and speed ramps on the motors of robots."""
