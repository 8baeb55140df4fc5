"""How a model is searched: one file an engine."""
