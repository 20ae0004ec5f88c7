"""Local search that an agent can trust: what is relevant in your files, whether it is still true, and why."""

__version__ = "0.1.0"
