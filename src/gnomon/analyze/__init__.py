"""Text to words: one analyzer for every words arm."""
