"""Wheeled robots: drives that convert twists to wheel speeds, and odometry from wheel angles."""
