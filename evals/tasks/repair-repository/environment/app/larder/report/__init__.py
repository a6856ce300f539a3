"""Pages for the morning meeting."""
