"""The n-queens family as CP-SAT, as CNF and as bitmask search: every solution, cross-checked and compared."""

__version__ = "0.1.0"
