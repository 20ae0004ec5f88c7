"""Calibrate and evaluate on the user's own documents and questions."""
