"""The topics of a simulation for Foxglove and Lichtblick, live over their WebSocket."""
