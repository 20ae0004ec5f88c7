"""Keeps an index in step with the disk: one watch, for the server and for ``gnomon watch`` alike."""
