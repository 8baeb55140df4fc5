"""How many solutions, nodes, seconds and bytes there will be, with 95 % intervals, in a second or two."""

from nqueens_models.estimate.estimate import Estimate, estimate
from nqueens_models.estimate.interval import Interval

__all__ = ["Estimate", "Interval", "estimate"]
