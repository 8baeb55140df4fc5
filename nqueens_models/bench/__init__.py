"""Comparisons: fair measurements, kept, judged and shown."""
