"""Bitmask search: pure Python for small boards, compiled for larger ones."""
