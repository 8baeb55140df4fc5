"""The textbook methods, each an engine of its own."""
