"""Text to status: what a document says of its own life, and chains of successors."""
