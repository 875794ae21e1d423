"""Many runs: sweeps, and environments for learning."""
