"""Folder to files: what is ours to index, and which rule says so."""
