"""Tests of worlds in pytest's way: fixtures that run a world with its controllers; grading of submissions."""
