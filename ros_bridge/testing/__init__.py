"""Tests of worlds with pytest: fixtures that run a world with its controllers; grading of submissions."""
