"""Live topics of a simulation for Foxglove and Lichtblick, over their WebSocket protocol."""
