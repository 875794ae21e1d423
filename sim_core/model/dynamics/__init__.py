"""Dynamics of a scene as records for engines: bodies, joints, collision shapes, fluids and propulsion."""
