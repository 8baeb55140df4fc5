"""Bitmask search: pure Python for small boards, compiled for larger ones."""

from nqueens_models.engines.bitmask.engine import BitmaskEngine

__all__ = ["BitmaskEngine"]
