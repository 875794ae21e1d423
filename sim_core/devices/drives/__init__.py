"""How robots on wheels are driven, and what their wheels tell of the way."""
