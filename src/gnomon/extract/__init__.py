"""File to text: one module per format, and the registry that picks it."""
