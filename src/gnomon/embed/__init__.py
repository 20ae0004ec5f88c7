"""Chunks to vectors: one module per engine, and the registry of models."""
