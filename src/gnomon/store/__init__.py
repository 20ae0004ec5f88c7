"""Keep and find: one module per backend."""
